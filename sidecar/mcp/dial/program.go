package dial

import (
	"errors"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

// errClosed is the error of a start after Close.
var errClosed = errors.New("the sidecar is shutting down")

// start starts a server's program.
func (d *Dialer) start(s *serverfile.Server) (started *process, err error) {
	if d.o.Host == nil {
		return nil, errors.New("programs cannot be started here")
	}
	c := proc.Command{Argv: s.Command, User: d.o.User, Grace: min(d.o.Grace, MaxGrace)}
	if c.Dir, err = job.Directory(d.o.Workspace, s.Cwd); err != nil {
		return nil, err
	}
	c.Env = environ(d.o.Env, s)
	p := newProcess(d, s.Slug)
	defer func() {
		if err != nil && p.child == nil {
			p.release()
		}
	}()
	if err := d.confine(p, &c, s); err != nil {
		return nil, err
	}
	token := a2a.NewID() // only a mark, by which processes that ran away are found
	c.Marker = job.Marker(token)
	c.Env = append(c.Env, c.Marker)
	if !d.enter() {
		return nil, errClosed
	}
	if p.child, err = d.o.Host.Start(c); err != nil {
		d.wg.Done()
		return nil, err
	}
	go p.run() // it is counted
	if d.keep(p) {
		d.o.Log.Debug("an MCP server was started", "server", s.Slug, "pid", p.child.PID())
		return p, nil
	}
	_ = p.Close() // never fails
	return nil, errClosed
}

// enter counts a process that is about to be started. It reports false after Close.
func (d *Dialer) enter() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.over {
		d.wg.Add(1)
	}
	return !d.over
}

// keep remembers a process for Close. It reports false after that.
func (d *Dialer) keep(p *process) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.over && !p.over {
		d.live[p] = struct{}{}
	}
	return !d.over
}

// forget undoes keep, also for a process that has ended before.
func (d *Dialer) forget(p *process) {
	d.mu.Lock()
	defer d.mu.Unlock()
	p.over = true
	delete(d.live, p)
}

// environ returns the environment of a server's program.
func environ(ours []string, s *serverfile.Server) []string {
	env := job.InheritTool(ours, nil)
	for _, v := range s.Env {
		name, value, _ := strings.Cut(v, "=")
		env = confine.SetVariable(env, name, value)
	}
	return env
}

// confine puts the command into the server's sandbox, with what it has for itself.
func (d *Dialer) confine(p *process, c *proc.Command, s *serverfile.Server) (err error) {
	if d.o.Sandbox == nil {
		return nil
	}
	as := Tool(s)
	confined, err := d.o.Sandbox.For(confine.Call{Tool: as, Set: d.o.Scope.Effective(as), Argv: c.Argv, Dir: c.Dir, Env: c.Env})
	if err != nil || confined.Box == nil {
		return err
	}
	p.confined = true
	if p.files, err = d.folders.Folder(s.Slug + "-" + a2a.NewID()); err != nil {
		return err
	}
	temp, err := p.files.Temp()
	if err != nil {
		return err
	}
	env := confined.Environ(c.Env, temp)
	for _, name := range []string{"TMPDIR", "HOME"} { // what is written has the last word
		if at := slices.IndexFunc(s.Env, func(v string) bool { return strings.HasPrefix(v, name+"=") }); at >= 0 {
			env = confine.SetVariable(env, name, s.Env[at][len(name)+1:])
		}
	}
	if p.net, err = confined.Open(egress.Dialer{Log: d.o.Log}, nil); err != nil {
		return err
	}
	c.Env = p.net.Environ(env)
	c.Sandbox = confined.Box.With(sandbox.More{Write: p.files.Roots(), Namespace: p.net.Namespace(), Connect: p.net.Connect()})
	return nil
}

// Tool returns an exec tool that may use what the program of a server may use.
func Tool(s *serverfile.Server) *manifest.Tool {
	return &manifest.Tool{
		Name: s.Slug, Digest: s.Key(), Effects: manifest.EffectsWrite, Requires: s.Requires, Limits: s.Limits,
		Bridge: manifest.Bridge{Kind: manifest.BridgeExec, Exec: &manifest.Exec{Command: s.Command, Cwd: s.Cwd}},
	}
}
