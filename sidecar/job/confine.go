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
// a door to the channel, whose socket it may not be able to reach. What it uses is released with its
// folder, because nobody waits for that; without a folder, by the function that the caller gets.
func (r *Runner) confine(c *proc.Command, j *Job) (release func(), err error) {
	if j.Sandbox == nil {
		return func() {}, nil
	}
	uses := j.Files.takeAhead()
	if uses != nil && j.Namespace == nil && len(j.Connect) == 0 && j.Files.temp == "" {
		c.Sandbox = uses.box
	} else {
		c.Sandbox = j.Sandbox.With(sandbox.More{Write: j.Files.Roots(), Namespace: j.Namespace, Connect: j.Connect})
	}
	if uses == nil {
		uses = &ahead{box: c.Sandbox}
	}
	if r.o.Channel != nil {
		if uses.door == nil {
			uses.door, err = r.o.Channel.OpenDoor()
		}
		if err != nil {
			uses.release()
			return nil, fmt.Errorf("the channel: %w", err)
		}
		c.Files = append(c.Files, uses.door.File())
		c.Env = append(c.Env, fmt.Sprintf("%s=%d", doorName, 2+len(c.Files)))
	}
	if j.Files == nil {
		return uses.release, nil
	}
	j.Files.ahead = uses
	return func() {}, nil
}

// takeAhead returns what was made with the folder, which is the caller's then; nil for nothing.
func (d *Folder) takeAhead() *ahead {
	if d == nil {
		return nil
	}
	made := d.ahead
	d.ahead = nil
	return made
}

// Roots returns the folder, and its TMPDIR if that is elsewhere, for the sandbox of a process that
// may use them.
func (d *Folder) Roots() []sandbox.Root {
	if d == nil {
		return nil
	}
	all := []sandbox.Root{{Base: filepath.Dir(d.dir), Path: filepath.Base(d.dir)}}
	if d.temp != "" {
		all = append(all, sandbox.Root{Base: filepath.Dir(d.temp), Path: filepath.Base(d.temp)})
	}
	return all
}
