package call

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// systemShell runs command lines. It is the one of the system, whatever PATH says.
const systemShell = "/bin/sh"

// shell runs the command lines of one call of a tool. While the tool runs, the goroutine that owns the call does
// nothing but pass on what the tool says: until then, what is the owner's is the shell's.
type shell struct {
	p   *Pipeline
	inv *Invocation

	used bool // one process was started
	res  *job.Result
}

var _ tool.Shell = (*shell)(nil)

// shell returns the shell of a call, nil if its tool requires none.
func (p *Pipeline) shell(inv *Invocation) *shell {
	if r := inv.tool.Requires; r == nil || len(r.Shell) == 0 {
		return nil
	}
	return &shell{p: p, inv: inv}
}

// unstartable is the error of a process that could not be started.
type unstartable struct{ error }

func (u unstartable) Unwrap() error { return u.error }

var (
	errSecond  = errors.New("this call has started a process already")
	errMoved   = errors.New("its directory was changed after the call was judged: call it again")
	errNoShell = errors.New(noPrograms)
)

// equip makes a job of a line, and what it runs in, as equip of the pipeline does.
func (s *shell) equip(line, dir string) (job.Job, confinement, error) {
	if s.used {
		return job.Job{}, confinement{}, errSecond
	}
	s.used = true
	if s.p.opts.Host == nil {
		return job.Job{}, confinement{}, unstartable{errNoShell}
	}
	at, err := s.inv.input.scope.Directory(dir)
	if err != nil || at != s.inv.input.dir {
		return job.Job{}, confinement{}, errMoved
	}
	j, in, err := s.p.equip(s.inv, []string{systemShell, "-c", line}, at, nil)
	j.Merged = true
	if err != nil {
		err = unstartable{err}
	}
	return j, in, err
}

// Run implements tool.Shell.
func (s *shell) Run(ctx context.Context, line, dir string, timeout time.Duration, out io.Writer) (tool.Exit, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, timeLimit(timeout))
		defer cancel()
	}
	j, in, err := s.equip(line, dir)
	s.inv.after = append(s.inv.after, in.remove)
	defer func() { in.net.Close() }()
	if err != nil {
		return tool.Exit{}, err
	}
	j.Started = func(c *proc.Child) { s.inv.child.Store(c) }
	j.Output = func(chunk []byte) { _, _ = out.Write(chunk) } // that nobody wants more ends ctx
	res, err := s.p.jobs.Run(ctx, j)
	switch {
	case err != nil && ctx.Err() != nil:
		return tool.Exit{}, context.Cause(ctx)
	case err != nil:
		return tool.Exit{}, unstartable{err}
	}
	s.res = &res
	s.p.exited(s.inv, in, &res)
	return exitOf(res.Exit), res.Stopped
}

// exitOf returns how a process ended as tools see it.
func exitOf(e proc.Exit) tool.Exit {
	if e.Signal != 0 {
		return tool.Exit{Signal: strings.TrimPrefix(e.String(), "killed by ")}
	}
	return tool.Exit{Code: e.Code}
}

// left adds to the execution of a call what its process has left.
func (s *shell) left(e *execution) {
	if s != nil && s.res != nil {
		e.done = s.res.Done
		e.artifacts = append(e.artifacts, s.res.Left.Artifacts...)
	}
}

// failure returns what became of a call whose shell failed, nil for any other error.
func (s *shell) failure(err error) *result {
	var not unstartable
	switch {
	case s == nil || !errors.As(err, &not):
		return nil
	case errors.Is(err, errNoShell):
		return unavailable(s.inv, noPrograms).failure
	}
	return notStartable(s.inv, not.error).failure
}
