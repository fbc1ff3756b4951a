package tty

import (
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// RunGuard is all that a program does that was started under GuardName: it waits for the end of
// the program that started it, which has the terminal. If that program was killed, RunGuard
// gives the terminal back.
//
// Its files are 0, the pipe, and the terminal: 1 to write, 2 to read.
func RunGuard() {
	takeName()
	saved := new(unix.Termios)
	if _, err := io.ReadFull(os.Stdin, settingsBytes(saved)); err != nil {
		return
	}
	k := keeper{out: 1, in: 2, saved: saved, raw: rawSettings(saved)}
	_ = unix.SetNonblock(k.out, true) // so that a stuck terminal does not block us
	k.isRaw()                         // run once now, to be quick later
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
	_, _ = f.WriteString(GuardName) // without effect the program's own name stays, which is harmless
	_ = f.Close()
}

// nextLine moves the cursor out of the row in which the program was killed, and clears what the
// program had drawn below it.
const nextLine = "\r\n\x1b[J"

// keeper gives a terminal back.
type keeper struct {
	out, in    int // the terminal's descriptors
	saved, raw *unix.Termios
	modes      modeTracker
}

// isRaw reports whether the terminal is still in the raw mode that the program set. If it is
// not, a shell has taken the terminal: then the line settings and the paste mode are the
// shell's.
func (k *keeper) isRaw() bool {
	now, err := unix.IoctlGetTermios(k.in, getTermios)
	return err == nil && now.Iflag == k.raw.Iflag && now.Oflag == k.raw.Oflag && now.Lflag == k.raw.Lflag
}

// giveBack resets the terminal to its line settings and its usual modes. The settings come
// first, because a shell that looks at them is about to run.
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

// write writes for at most restoreWait.
func (k *keeper) write(b []byte) {
	for end := time.Now().Add(restoreWait); len(b) > 0; {
		n, err := unix.Write(k.out, b)
		switch left := time.Until(end); {
		case err == nil:
			b = b[n:]
		case err == unix.EINTR:
		case err != unix.EAGAIN || left <= 0:
			return // the terminal is gone or stuck
		default:
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(k.out), Events: unix.POLLOUT}}, int(left.Milliseconds())+1)
		}
	}
}
