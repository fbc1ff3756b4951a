package proc

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Exit says how a process ended. The zero value is success.
type Exit struct {
	// Code is the exit code, 0 if a signal ended the process.
	Code int
	// Signal is the signal that ended the process, 0 if the process exited.
	Signal syscall.Signal
}

// Status returns the code that a shell would report for this end: the exit code, or 128 plus
// the signal's number.
func (e Exit) Status() int {
	if e.Signal != 0 {
		return 128 + int(e.Signal)
	}
	return e.Code
}

// Success reports whether the exit code is 0 and no signal ended the process.
func (e Exit) Success() bool { return e == Exit{} }

// String returns "exit status 3" or "killed by SIGKILL".
func (e Exit) String() string {
	if e.Signal == 0 {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	if name := unix.SignalName(e.Signal); name != "" {
		return "killed by " + name
	}
	return fmt.Sprintf("killed by signal %d", int(e.Signal))
}

// exitOf converts the status that a wait returned.
func exitOf(s *os.ProcessState) Exit {
	ws, ok := s.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return Exit{Signal: ws.Signal()}
	}
	return Exit{Code: s.ExitCode()}
}
