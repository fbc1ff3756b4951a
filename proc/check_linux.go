package proc

import (
	"os"
	"runtime"
	"syscall"

	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// rehearse makes the kernel load the program as it would for Start, and ends the process before
// its first instruction: a traced process stops after the exec.
func (h *Host) rehearse(path string, c *Command) error {
	// This thread is the tracer; if it ended, the process would end too.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	attr := &os.ProcAttr{Dir: c.Dir, Env: c.Env, Sys: &syscall.SysProcAttr{
		Setsid: true, Credential: c.User.Credential(), Ptrace: true, Pdeathsig: syscall.SIGKILL,
	}}
	if attr.Env == nil {
		attr.Env = []string{} // nil would mean ours
	}
	var process *os.Process
	release, err := reaper.Register(func() (pid int, err error) {
		if process, err = os.StartProcess(path, c.Argv, attr); err != nil {
			return 0, err
		}
		return process.Pid, nil
	})
	if err != nil {
		return err
	}
	defer release()
	_ = process.Kill() // it fails if something else has killed the process
	_, err = process.Wait()
	return err
}
