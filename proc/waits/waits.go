package waits

import "time"

// Kind is what the foreground of a terminal does, as far as the terminal is concerned.
type Kind int

// The kinds: those that tell more of a program that waits for input come later.
const (
	// Gone means that the foreground has no process.
	Gone Kind = iota
	// Hidden means that the kernel does not tell; Look.Why says why.
	Hidden
	// Busy means that no thread waits for the terminal; Look.Doing says what is done instead.
	Busy
	// Watches means that a thread waits for the terminal and for other things too, as programs
	// with an event loop do: the program may be at work all the same.
	Watches
	// Polls means that a thread waits in poll or select for input of the terminal, and for
	// nothing else that comes from outside of its program; no other thread of it can be at work.
	Polls
	// Reads means that a thread waits in a read of the terminal, and that no other one of its
	// program can be at work.
	Reads
)

// String returns the kind in words.
func (k Kind) String() string {
	words := [...]string{"is gone", "cannot be seen", "does not wait for its terminal", "waits for its terminal and for other things", "polls its terminal", "reads its terminal"}
	if k < 0 || int(k) >= len(words) {
		return "unknown"
	}
	return words[k]
}

// Doing is what a thread does that does not wait for the terminal.
type Doing int

// What threads do. Of several, the later one says more about the program.
const (
	Waits       Doing = iota // it waits for something else, such as another process or the network
	WaitsThread              // it waits for another thread
	WaitsSignal              // it waits for a signal
	WaitsChild               // it waits for a child
	WaitsKernel              // it waits in the kernel, as for a disk
	Stopped                  // it was stopped, and runs no more until it is continued
	Sleeps                   // it sleeps for a time
	Writes                   // it waits until what it writes is taken
	Runs                     // it runs
)

// String returns what is done, in words that follow "it".
func (d Doing) String() string {
	words := [...]string{"waits for something else", "waits for another thread", "waits for a signal", "waits for a child", "waits for the disk", "is stopped", "sleeps", "waits until its output is taken", "runs"}
	if d < 0 || int(d) >= len(words) {
		return "does something else"
	}
	return words[d]
}

// Look is what one look at a terminal has seen.
type Look struct {
	Kind Kind
	// Group is the process group in the foreground.
	Group int
	// PID is the process that waits for the terminal, or that does what Doing says.
	PID int
	// Doing, of Busy, is what the foreground does instead; of Watches, what the busiest of its
	// other threads does.
	Doing Doing
	// Behind, of Watches, is true if a program on another terminal, below this one's, does
	// something else than to wait for that terminal.
	Behind bool
	// Switches counts how often the threads that wait for the terminal have gone to sleep.
	Switches uint64
	// Timeout is true if the wait for the terminal ends by itself after some time.
	Timeout bool
	// Why, of Hidden, is the reason.
	Why string
	// Cost is how long the look has kept a processor busy.
	Cost time.Duration
}

// Waits reports whether the foreground waits for input and, as far as can be seen, for nothing
// else.
func (l Look) Waits() bool { return l.Kind == Reads || l.Kind == Polls }

// Same reports whether what waits for the terminal has not woken between two looks.
func (l Look) Same(later Look) bool {
	return l.Kind == later.Kind && l.Group == later.Group && l.PID == later.PID && l.Switches == later.Switches
}
