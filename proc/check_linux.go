package proc

import (
	"os"
	"runtime"
	"syscall"
)

// rehearse has the kernel load the program as it would for Start, and ends the
// process before its first instruction: one that is traced stops after the exec.
func (h *Host) rehearse(path string, c *Command) error {
	// The tracer is this thread, and its end would be the process's.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr := &os.ProcAttr{Dir: c.Dir, Env: c.Env, Sys: &syscall.SysProcAttr{
		Setsid: true, Credential: c.User.credential(), Ptrace: true, Pdeathsig: syscall.SIGKILL,
	}}
	if attr.Env == nil {
		attr.Env = []string{} // nil would mean ours
	}
	var process *os.Process
	ticket, err := h.reaper.start(untagged, func() (pid int, err error) {
		if process, err = os.StartProcess(path, c.Argv, attr); err != nil {
			return 0, err
		}
		return process.Pid, nil
	})
	if err != nil {
		return err
	}
	defer ticket.release()
	_ = process.Kill() // which fails when something else has killed it
	_, err = process.Wait()
	return err
}
