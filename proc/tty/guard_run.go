package tty

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// RunGuard is what a program that was started under GuardName does, and all it
// does: it waits for the end of the program that started it, which has the
// terminal. When that was killed it gives the terminal back.
//
// Its files are 0, the pipe, and the terminal: 1 to write, 2 to read.
func RunGuard() {
	takeName()
	saved := new(unix.Termios)
	if _, err := io.ReadFull(os.Stdin, settingsBytes(saved)); err != nil {
		return
	}
	k := keeper{out: 1, in: 2, saved: saved, raw: rawSettings(saved)}
	_ = unix.SetNonblock(k.out, true) // a stuck terminal does not keep us
	k.isRaw()                         // what is to be quick has run once
	told := make([]byte, 64)
	for {
		n, err := os.Stdin.Read(told)
		for _, c := range told[:n] {
			if c == guardLeave {
				return
			}
			k.modes.alternate = c == guardAlternate
		}
		if err != nil {
			k.giveBack()
			return
		}
	}
}

// takeName changes the name by which ps and killall know this process, on Linux.
func takeName() {
	f, err := os.OpenFile("/proc/self/comm", os.O_WRONLY, 0)
	if err != nil {
		return
	}
	_, _ = f.WriteString(GuardName) // the program's own does no harm
	_ = f.Close()
}

// nextLine leaves the row in the middle of which the program was killed, and
// clears what it had drawn below.
const nextLine = "\r\n\x1b[J"

// keeper gives a terminal back.
type keeper struct {
	out, in    int // the terminal's descriptors
	saved, raw *unix.Termios
	modes      modeTracker
}

// isRaw reports whether the terminal is as the program had it. Once it is not, a
// shell has taken it: then the line settings are that one's own, and so is the
// mode in which it wants pastes.
func (k *keeper) isRaw() bool {
	now, err := unix.IoctlGetTermios(k.in, getTermios)
	return err == nil && now.Iflag == k.raw.Iflag && now.Oflag == k.raw.Oflag && now.Lflag == k.raw.Lflag
}

// giveBack brings the terminal back to its line settings and to its usual modes.
// The settings come first: a shell that looks at them is on its way.
func (k *keeper) giveBack() {
	raw := k.isRaw()
	if raw {
		_ = flushInput(k.in)
		_ = unix.IoctlSetTermios(k.in, setTermios, k.saved)
	}
	reset := k.modes.resetButPastes()
	if raw {
		reset += plainPaste
	}
	if raw && !k.modes.alternate {
		reset += nextLine
	}
	k.write([]byte(reset))
}

// write is bounded by restoreWait.
func (k *keeper) write(b []byte) {
	for end := time.Now().Add(restoreWait); len(b) > 0; {
		n, err := unix.Write(k.out, b)
		switch left := time.Until(end); {
		case err == nil:
			b = b[n:]
		case err == unix.EINTR:
		case err != unix.EAGAIN || left <= 0:
			return // it is gone, or stuck
		default:
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(k.out), Events: unix.POLLOUT}}, int(left.Milliseconds())+1)
		}
	}
}
