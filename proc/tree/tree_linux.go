package tree

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

type platformStarter struct{ cgroups cgroups }

// Close kills what ended processes left running in their control groups, and removes the
// groups. After that, no process gets one.
func (s *Starter) Close() { s.cgroups.close() }

// platformTree is protected by the lock of its Tree, except for born.
type platformTree struct {
	born     uint64  // the clock before the fork
	reapedAt uint64  // the clock after the wait
	orphaned bool    // the group still had members when the process was reaped
	cgroup   *cgroup // nil: there is none, or it was found empty and removed
	grouped  bool    // there is or was a control group
}

// start forks and registers the pid before the reaper can see it. A process with a terminal
// gets a control group. A process with pipes gets none: it lives as long as one message, a
// group would add a tenth to that time, and it has its tag.
func (t *Tree) start(path string, argv []string, attr *os.ProcAttr) (*reaper.Ticket, error) {
	if t.terminal && t.box == nil {
		t.cgroup = t.starter.cgroups.take()
	}
	t.born = procfs.Clock()
	return reaper.Shared().Start(t.tagging(), func() (pid int, err error) {
		if t.process, err = t.enter(path, argv, attr); err != nil {
			return 0, err
		}
		t.pid = t.process.Pid
		return t.pid, nil
	})
}

// tagging returns whether the process gets a tag.
func (t *Tree) tagging() reaper.Tagging {
	if t.starter.Reaps {
		return reaper.Tagged
	}
	return reaper.Untagged
}

// enter starts the process, in its control group if it has one.
func (t *Tree) enter(path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	if t.cgroup == nil {
		return t.spawn(path, argv, attr)
	}
	p, err := t.cgroup.start(path, argv, *attr)
	if err == nil {
		t.grouped = true
		return p, nil
	}
	t.starter.cgroups.give(t.cgroup)
	t.cgroup = nil
	return os.StartProcess(path, argv, attr) // if this fails too, the group is not the cause
}

// reap waits for the process. It first waits without taking the status, then takes the status
// under the lock. So no holder of the lock can signal a pid that now belongs to another
// process.
func (t *Tree) reap() (*os.ProcessState, error) {
	reaper.AwaitEnd(t.pid)
	t.mu.Lock()
	defer t.mu.Unlock()
	state, err := t.process.Wait()
	t.reaped, t.reapedAt = true, procfs.Clock()
	t.orphaned = unix.Kill(-t.pid, 0) != unix.ESRCH
	return state, err
}

// leave removes the control group if the process and all other processes in it have ended.
func (t *Tree) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cgroup != nil && t.starter.cgroups.give(t.cgroup) {
		t.cgroup = nil
	}
}

// killCgroup kills all processes in the control group.
func (t *Tree) killCgroup() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cgroup != nil {
		t.cgroup.kill()
	}
}

// cgroupEmpty reports whether there is, or was, a control group and no process is left in it.
func (t *Tree) cgroupEmpty() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.grouped && (t.cgroup == nil || !t.cgroup.populated())
}

// leftGroup reports whether the process group still had members when the process was waited
// for.
func (t *Tree) leftGroup() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.orphaned
}
