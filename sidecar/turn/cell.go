package turn

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// socketName is the variable by which a process finds the channel.
const socketName = "SIDECAR_SOCKET"

// maxHost is how much of the name of a host that was refused is logged, in bytes.
const maxHost = 253

// cell is the sandbox of one process of an agent under GovernStrict, with its network. A nil cell is
// none.
type cell struct {
	confined *confine.Confined
	net      *confine.Net
	files    *job.Folder
	env      []string // for the process
}

// checkCells refuses an agent whose processes cannot be put into a sandbox as its recipe says.
func (r *Runner) checkCells(g *governing) error {
	switch c := g.recipe.Confinement; {
	case c == nil:
		return fmt.Errorf("--govern=strict: it was not measured what %s needs in a sandbox; use --govern", g.agent.Name)
	case !slices.Contains(c.Modes, r.o.Mode):
		return fmt.Errorf("--govern=strict: %s was not seen to work in a sandbox in --mode %s; use --mode %s, or --govern", g.agent.Name, r.o.Mode, strings.Join(c.Modes, " or "))
	case r.o.Sandbox == nil:
		return errors.New("--govern=strict: the agent's own process cannot be put into a sandbox here; use --govern")
	}
	return nil
}

// cell makes the sandbox of a process with that token and folder, for which env is the environment;
// nil if the agent runs in none. close must follow when the process has ended.
//
// Without a token, the process cannot reach the channel.
func (r *Runner) cell(token string, files *job.Folder, env []string) (*cell, error) {
	if !r.strict() {
		return nil, nil
	}
	c, err := r.openCell(token, files, env)
	if err != nil {
		return nil, fmt.Errorf("--govern=strict: the agent's sandbox: %w", err)
	}
	return c, nil
}

func (r *Runner) openCell(token string, files *job.Folder, env []string) (*cell, error) {
	if files == nil {
		return nil, errors.New("it has no folder")
	}
	temp, err := files.Temp()
	if err != nil {
		return nil, fmt.Errorf("it has no TMPDIR: %w", err)
	}
	env = confine.SetVariable(env, "TMPDIR", temp)
	needs := r.governing.recipe.Confinement
	for _, variable := range needs.Env {
		name, value, _ := strings.Cut(variable, "=")
		env = confine.SetVariable(env, name, strings.ReplaceAll(value, "{tmp}", temp))
	}
	l := spec.Launch{Argv: r.o.Command, Env: env, WorkDir: r.directory()}
	a := confine.Agent{Argv: r.o.Command, Dir: r.o.Dir, Env: env, Hosts: needs.Reaches(&l)}
	if at := profile.Arguments(r.o.Command); at > 1 && at <= len(r.o.Command) {
		a.Script = r.o.Command[at-1]
	}
	if a.Read, err = r.places(needs.Read, &l, false); err == nil {
		a.Write, err = r.places(needs.State, &l, true)
	}
	if err != nil {
		return nil, err
	}
	if r.o.Requires != nil {
		a.Set = r.o.Requires()
	}
	c := &cell{files: files}
	if c.confined, err = r.o.Sandbox.ForAgent(a); err != nil {
		return nil, err
	}
	var join func() (net.Conn, error)
	if r.o.Channel != nil && token != "" {
		join = func() (net.Conn, error) { return r.o.Channel.Join(token) }
	}
	if c.net, err = c.confined.OpenAgent(egress.Dialer{Log: r.o.Log}, r.tellHost, join); err != nil {
		return nil, err
	}
	c.env = c.net.Environ(env)
	if join != nil {
		c.env = confine.SetVariable(c.env, socketName, c.net.ChannelAddress())
	}
	return c, nil
}

// places returns where places are for a process. If make is set, a directory that is missing is made.
func (r *Runner) places(all []spec.Place, l *spec.Launch, make bool) (paths []string, err error) {
	for _, p := range all {
		path := p.In(l)
		if path == "" {
			continue
		}
		if _, err := os.Stat(path); make && !p.File && errors.Is(err, fs.ErrNotExist) {
			if err := r.makeState(path); err != nil {
				return nil, err
			}
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// makeState makes a directory of the agent's own.
func (r *Runner) makeState(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	if u := r.o.User; u != nil {
		return os.Lchown(path, int(u.UID), int(u.GID))
	}
	return nil
}

// tellHost logs a host that the agent could not reach because it may not.
func (r *Runner) tellHost(a egress.Attempt) {
	if !a.Allowed {
		r.o.Log.Info("the agent may not reach this host (--govern=strict)", "host", text.Line(a.Host, maxHost), "port", a.Port)
	}
}

// environ returns the process's environment: env, or that with what the sandbox brings.
func (c *cell) environ(env []string) []string {
	if c == nil {
		return env
	}
	return c.env
}

// box returns the sandbox of the process, nil for none.
func (c *cell) box() *sandbox.Sandbox {
	if c == nil {
		return nil
	}
	return c.confined.Box.With(sandbox.More{Write: c.files.Roots(), Read: c.files.ProtectedRoots(), Namespace: c.net.Namespace(), Connect: c.net.Connect()})
}

// close ends the network, for all that is left of the process.
func (c *cell) close() {
	if c != nil {
		c.net.Close()
	}
}

// startAside starts a process of the agent that does not serve, in a sandbox if those that serve run
// in one. end must follow when it has ended.
func (r *Runner) startAside(c proc.Command) (child *proc.Child, end func(), err error) {
	end = func() {}
	if r.strict() {
		files, err := r.jobs.Folder("aside-" + a2a.NewID())
		if err != nil {
			return nil, nil, err
		}
		cell, err := r.cell("", files, c.Env)
		end = func() {
			cell.close()
			_ = files.Remove() // Close removes what could not be removed
		}
		if err != nil {
			end()
			return nil, nil, err
		}
		c.Env, c.Sandbox = cell.environ(c.Env), cell.box()
	}
	if child, err = r.o.Host.Start(c); err != nil {
		end()
	}
	return child, end, err
}
