package tty

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc"
	"golang.org/x/sys/unix"
)

// restoreWait bounds how long the reset is written to a terminal that is stuck.
const restoreWait = 250 * time.Millisecond

// HostTerminal is the terminal that this program was started from, taken for a while: it is in
// raw mode, shows what another terminal shows, and gives its keys to that one. Close must be
// called on every way out. Its methods may be called from many goroutines.
//
// The flags of the terminal's open file, which other processes share, are never changed: we
// open the terminal again.
type HostTerminal struct {
	in, out *os.File // ours alone, non-blocking
	saved   *unix.Termios
	resized func(Size) error

	ctx     context.Context // ends at Close
	stop    context.CancelFunc
	workers sync.WaitGroup
	closing sync.Once
	screen  chan struct{} // a token; only its holder writes to out

	mu     sync.Mutex
	modes  modeTracker
	guard  *guard // nil if no process gives the terminal back when we are killed
	killed bool   // the program shown was killed, so its row may be unfinished
	notice string // waits to be written between two sequences; "" if there is none
}

// TakeHost takes the real terminal whose open files are in and out. It calls resized with the
// terminal's size, now and at each SIGWINCH, from any goroutine; if the first call fails,
// TakeHost returns its error. If the terminal does not know its size (a serial line), resized
// is not called.
func TakeHost(in, out *os.File, resized func(Size) error) (*HostTerminal, error) {
	s := &HostTerminal{screen: make(chan struct{}, 1), resized: resized}
	if err := s.open(in, out); err != nil {
		return nil, fmt.Errorf("take over the terminal: %w", err)
	}
	// The lifetime is not bound to a call: it ends at Close.
	s.ctx, s.stop = context.WithCancel(context.Background())
	winch := make(chan os.Signal, 1)
	signal.Notify(winch, syscall.SIGWINCH, syscall.SIGCONT)
	s.workers.Go(func() { s.follow(winch) })
	return s, nil
}

// open opens the terminal for us alone and makes it raw.
func (s *HostTerminal) open(in, out *os.File) (err error) {
	if s.in, err = reopen(in, os.O_RDONLY); err != nil {
		return err
	}
	if s.out, err = reopen(out, os.O_WRONLY); err != nil {
		return errors.Join(err, s.in.Close())
	}
	err = proc.Control(s.in, func(fd int) (err error) {
		s.saved, err = unix.IoctlGetTermios(fd, getTermios)
		return err
	})
	if err == nil {
		err = s.size()
	}
	if err == nil {
		err = s.raw()
	}
	if err != nil {
		return errors.Join(err, s.in.Close(), s.out.Close())
	}
	return nil
}

// reopen opens the terminal behind f again, non-blocking, and makes sure that deadlines work on
// the new file.
func reopen(f *os.File, mode int) (*os.File, error) {
	own, err := openAgain(f, mode|syscall.O_NOCTTY|syscall.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	if err := own.SetDeadline(time.Time{}); err != nil {
		return nil, errors.Join(err, own.Close())
	}
	return own, nil
}

// Guard starts a process that gives the terminal back if this one is killed. The process runs
// program under GuardName, and program must call RunGuard. For PID 1 there is no guard, because
// everything ends with PID 1.
func (s *HostTerminal) Guard(program string) error {
	if os.Getpid() == 1 {
		return nil
	}
	g, err := startGuard(program, s.in, s.out, s.saved)
	if err != nil {
		return err
	}
	select {
	case s.screen <- struct{}{}:
	case <-s.ctx.Done():
		g.leave()
		return nil
	}
	defer func() { <-s.screen }()
	s.mu.Lock()
	alternate := s.modes.alternate
	s.guard = g
	s.mu.Unlock()
	g.alternate(alternate)
	return nil
}

// raw makes the terminal raw.
func (s *HostTerminal) raw() error {
	t := rawSettings(s.saved)
	return proc.Control(s.in, func(fd int) error { return unix.IoctlSetTermios(fd, setTermios, t) })
}

// rawSettings returns the settings of cfmakeraw(3): every byte comes and goes unchanged.
func rawSettings(saved *unix.Termios) *unix.Termios {
	t := *saved
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cflag &^= unix.CSIZE | unix.PARENB
	t.Cflag |= unix.CS8
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	return &t
}

// size calls resized with the real terminal's size.
func (s *HostTerminal) size() error {
	size, err := getSize(s.out)
	if err != nil || size.Cols == 0 || size.Rows == 0 {
		return err
	}
	return s.resized(size)
}

// follow follows changes of the size. After we were stopped and continued, it makes the
// terminal raw again, because the shell has used it meanwhile.
func (s *HostTerminal) follow(signals chan os.Signal) {
	defer signal.Stop(signals)
	for {
		select {
		case <-s.ctx.Done():
			return
		case sig := <-signals:
			if sig == syscall.SIGCONT {
				_ = s.raw() // if the terminal is gone, Read fails
			}
			_ = s.size()
		}
	}
}

// Read reads keys. It fails when the terminal hangs up, and after Close.
func (s *HostTerminal) Read(p []byte) (int, error) { return s.in.Read(p) }

// Show writes to the real terminal. It returns when the terminal has taken the chunk. After
// Close it drops the chunk.
func (s *HostTerminal) Show(chunk []byte) {
	select {
	case s.screen <- struct{}{}:
	case <-s.ctx.Done():
		return
	}
	defer func() { <-s.screen }()
	if s.ctx.Err() == nil {
		news := s.note(chunk)
		_, _ = s.out.Write(chunk) // a terminal that hung up shows nothing
		_, _ = s.out.WriteString(news)
	}
}

// note follows the modes that chunk sets, and returns a notice that may be written after chunk,
// or "".
func (s *HostTerminal) note(chunk []byte) (news string) {
	s.mu.Lock()
	before := s.modes.alternate
	s.modes.feed(chunk)
	after, g := s.modes.alternate, s.guard
	if s.modes.between() {
		news, s.notice = s.notice, ""
	}
	s.mu.Unlock()
	if after != before {
		g.alternate(after)
	}
	return news
}

// Notify rings the terminal's bell and shows text where the terminal shows notifications (OSC
// 9). It does so between two sequences of the other output. Like Show it waits for the
// terminal.
func (s *HostTerminal) Notify(text string) {
	s.insert("\a\x1b]9;" + text + "\a")
}

// Alert is Notify for something that lasts: text is the terminal's title, too, until undo is
// called. The title that was there comes back on terminals that keep titles (XTWINOPS 22). Like
// Show, both wait for the terminal.
func (s *HostTerminal) Alert(line string) (undo func()) {
	line = text.Line(line, maxTitle)
	s.insert("\a\x1b[22;2t\x1b]2;" + line + "\a\x1b]9;" + line + "\a")
	return func() { s.insert("\x1b[23;2t") }
}

// maxTitle is the most bytes of a title: longer ones are refused by some terminals.
const maxTitle = 200

// insert writes sequences between two sequences of the other output.
func (s *HostTerminal) insert(sequences string) {
	s.mu.Lock()
	s.notice += sequences
	s.mu.Unlock()
	s.Show(nil)
}

// Clear resets the real terminal to its usual modes and clears its screen.
func (s *HostTerminal) Clear() {
	s.mu.Lock()
	reset := s.modes.reset()
	s.mu.Unlock()
	s.Show([]byte(reset + "\x1b[H\x1b[2J"))
}

// Killed notes that the program shown here was killed. Close then moves to the next row and
// clears what the program had drawn below.
func (s *HostTerminal) Killed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.killed = true
}

// interrupt ends all waits for the terminal.
func (s *HostTerminal) interrupt() {
	s.stop()
	past := time.Unix(1, 0)
	_ = s.in.SetReadDeadline(past)
	_ = s.out.SetWriteDeadline(past)
}

// Close gives the real terminal back as it was: it resets the modes that were set, restores the
// line settings, and discards keys not yet read. It waits for the goroutines and can be called
// more than once.
func (s *HostTerminal) Close() { s.closing.Do(s.restore) }

func (s *HostTerminal) restore() {
	s.interrupt()
	s.workers.Wait()
	s.screen <- struct{}{} // the token is never given back
	_ = s.out.SetWriteDeadline(time.Now().Add(restoreWait))
	s.mu.Lock()
	reset := s.modes.reset()
	if s.killed && !s.modes.alternate {
		reset += nextLine
	}
	s.mu.Unlock()
	// An error has no receiver here: it means that the terminal is gone.
	_, _ = s.out.WriteString(reset)
	_ = proc.Control(s.in, func(fd int) error {
		_ = flushInput(fd)
		return unix.IoctlSetTermios(fd, setTermios, s.saved)
	})
	_ = s.in.Close()
	_ = s.out.Close()
	s.mu.Lock()
	g := s.guard
	s.mu.Unlock()
	g.leave()
}

// IsForegroundTerminal reports whether in and out are terminals that we may use: this process
// is in the terminal's foreground process group.
func IsForegroundTerminal(in, out *os.File) bool {
	for _, f := range []*os.File{in, out} {
		var group int
		err := proc.Control(f, func(fd int) (err error) {
			group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
			return err
		})
		if err != nil || group != unix.Getpgrp() {
			return false
		}
	}
	return true
}
