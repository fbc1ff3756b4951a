package job

import (
	"fmt"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// doorName is the variable that names the descriptor by which a process in a sandbox reaches the
// channel.
const doorName = "SIDECAR_CHANNEL_FD"

// confine puts a job's process into its sandbox. It can also use its folder and, as descriptor 3,
// a door to the channel, whose socket it may not be able to reach. The caller calls the function
// that it gets when the process has ended.
func (r *Runner) confine(c *proc.Command, j *Job) (closed func(), err error) {
	if j.Sandbox == nil {
		return func() {}, nil
	}
	c.Sandbox = j.Sandbox.With(sandbox.More{Write: j.Files.roots(), Namespace: j.Namespace, Connect: j.Connect})
	if r.o.Channel == nil {
		return func() {}, nil
	}
	door, err := r.o.Channel.OpenDoor()
	if err != nil {
		return nil, fmt.Errorf("the channel: %w", err)
	}
	c.Files = append(c.Files, door.File())
	c.Env = append(c.Env, fmt.Sprintf("%s=%d", doorName, 2+len(c.Files)))
	return door.Close, nil
}

// roots returns the folder, and its TMPDIR if that is elsewhere.
func (d *Folder) roots() []sandbox.Root {
	if d == nil {
		return nil
	}
	all := []sandbox.Root{{Base: filepath.Dir(d.dir), Path: filepath.Base(d.dir)}}
	if d.temp != "" {
		all = append(all, sandbox.Root{Base: filepath.Dir(d.temp), Path: filepath.Base(d.temp)})
	}
	return all
}
