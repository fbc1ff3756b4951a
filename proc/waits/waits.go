package waits

import "time"

// Kind is what the foreground of a terminal does, as far as the terminal is concerned.
type Kind int

// The kinds. A higher kind is a stronger sign that the program waits for input.
const (
	// Gone means that the foreground has no process.
	Gone Kind = iota
	// Hidden means that the kernel does not tell; Look.Why says why.
	Hidden
	// Busy means that no thread waits for the terminal. Look.Doing says what the foreground does
	// instead.
	Busy
	// Watches means that a thread waits for the terminal and for other things too, as programs
	// with an event loop do. The program may be at work nevertheless.
	Watches
	// Polls means that a thread waits in poll or select for input of the terminal and for nothing
	// else from outside of its program, and that no other thread of the program can be at work.
	Polls
	// Reads means that a thread waits in a read of the terminal, and that no other thread of its
	// program can be at work.
	Reads
)

// String returns the kind in words that follow "the program".
func (k Kind) String() string {
	words := [...]string{"is gone", "cannot be inspected", "does not wait for its terminal", "waits for its terminal and for other things", "polls its terminal", "reads its terminal"}
	if k < 0 || int(k) >= len(words) {
		return "unknown"
	}
	return words[k]
}

// Doing is what a thread does that does not wait for the terminal.
type Doing int

// What threads do. If several threads do different things, the higher value says more about the
// program.
const (
	Waits       Doing = iota // it waits for something else, such as another process or the network
	WaitsThread              // it waits for another thread
	WaitsSignal              // it waits for a signal
	WaitsChild               // it waits for a child
	WaitsKernel              // it waits in the kernel, for example for a disk
	Stopped                  // it was stopped, and runs no more until it is continued
	Sleeps                   // it sleeps for a time
	Writes                   // it waits until its output is taken
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

// Look is the result of one look at a terminal.
type Look struct {
	Kind Kind
	// Group is the process group in the foreground.
	Group int
	// PID is the process that waits for the terminal. If none waits for it, PID is the process
	// that does what Doing says.
	PID int
	// Doing tells for Busy what the foreground does instead of waiting for the terminal. For
	// Watches it tells what the busiest of the other threads does.
	Doing Doing
	// InnerBusy, of Watches, reports that the foreground program only relays another terminal, as
	// script(1) does, and that the program on that terminal is busy.
	InnerBusy bool
	// Switches counts how often the threads that wait for the terminal have gone to sleep; of Busy,
	// all threads.
	Switches uint64
	// Timeout reports that the wait for the terminal ends by itself after some time.
	Timeout bool
	// Why is the reason for Hidden.
	Why string
	// Cost is how much processor time the look took.
	Cost time.Duration
}

// Waits reports whether the foreground waits for input and, as far as the kernel tells, for
// nothing else.
func (l Look) Waits() bool { return l.Kind == Reads || l.Kind == Polls }

// Same reports whether both looks saw the same process wait in the same way, and it did not wake
// between them.
func (l Look) Same(later Look) bool {
	return l.Kind == later.Kind && l.Group == later.Group && l.PID == later.PID && l.Switches == later.Switches
}
