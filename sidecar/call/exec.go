package call

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// runExec runs a tool's program: it gets the arguments as one line on stdin, and its
// stdout is the result.
func (p *Pipeline) runExec(ctx context.Context, inv *Invocation) *execution {
	if p.opts.Host == nil {
		return unavailable(inv, noPrograms)
	}
	dir, err := job.Directory(p.opts.Workspace, inv.tool.Bridge.Exec.Cwd)
	if err != nil {
		return unavailable(inv, err.Error())
	}
	j, in, err := p.equip(inv, inv.input.argv, dir, inv.tool.Bridge.Exec.Env)
	inv.after = append(inv.after, in.remove)
	if err != nil {
		return notStartable(inv, err)
	}
	defer in.net.Close()
	e := &execution{out: p.listen(inv), format: inv.tool.Bridge.Exec.Output}
	j.Started = func(c *proc.Child) { inv.child.Store(c) }
	j.Input, j.Output = inv.input.final+"\n", func(chunk []byte) { inv.stream(e.out.write(chunk)) }
	res, err := p.jobs.Run(ctx, j)
	switch {
	case err != nil && ctx.Err() != nil:
		e.stopped = context.Cause(ctx)
		return e
	case err != nil:
		return notStartable(inv, err)
	}
	p.exited(inv, in, &res)
	e.stopped, e.done, e.stderr, e.artifacts = res.Stopped, res.Done, res.Stderr, res.Left.Artifacts
	e.cleanStderr(inv)
	if e.done == nil && e.stopped == nil && !res.Exit.Success() {
		e.failure = failed(exitText(res.Exit.String(), &e.stderr))
	}
	return e
}

// equip makes a job of a program that a call starts, and what it runs in. in.net.Close must follow when the program
// has ended, and in.remove after that, also after an error.
func (p *Pipeline) equip(inv *Invocation, argv []string, dir string, declared []string) (j job.Job, in confinement, err error) {
	env := job.InheritTool(p.opts.Env, declared)
	confined, err := p.sandboxOf(inv, argv, dir, env)
	if err != nil {
		return j, in, err
	}
	files, err := p.folder(inv, confined.Box)
	if err != nil {
		return j, confinement{files: files}, errFolder{err}
	}
	if in, err = p.confine(inv, confined, env, files); err != nil {
		return j, in, err
	}
	return job.Job{
		Argv: argv, Dir: dir, Env: in.env, Sandbox: in.box, Namespace: in.net.Namespace(), Connect: in.net.Connect(), Owner: p.newOwner(inv),
		CallID: inv.id, Tool: inv.tool.Name, TraceParent: inv.request.TraceParent, Files: files,
	}, in, nil
}

// folder makes the call's folder, with the message that carried the call. It comes with an error too, if it was
// made.
func (p *Pipeline) folder(inv *Invocation, box *sandbox.Sandbox) (*job.Folder, error) {
	files, err := p.jobs.FolderIn(box, inv.task.ID())
	if err != nil {
		return nil, fmt.Errorf("its folder: %w", err)
	}
	if err := files.WriteMessage(inv.task.Message()); err != nil {
		return files, fmt.Errorf("its message file: %w", err)
	}
	return files, nil
}

// errFolder is the error of a call's folder.
type errFolder struct{ error }

// exited notes how a call's program has ended, and what is left to do when nobody waits any more.
func (p *Pipeline) exited(inv *Invocation, in confinement, res *job.Result) {
	inv.exit, inv.exited = res.Exit, true
	if in.net == nil { // else its next start has another network
		inv.after = append(inv.after, func() { p.jobs.Prepare(in.box) })
	}
	inv.after = append(inv.after, func() { p.countBackground(inv, res) })
	if skipped := res.Left.Skipped; skipped > 0 {
		inv.task.SetMetadata("outboxSkipped", strconv.AppendInt(nil, int64(skipped), 10))
		p.opts.Log.Warn("files in the outbox were left out", "task", inv.task.ID(), "call", inv.id, "files", skipped)
	}
}

// countBackground logs how many processes a call left running, if the call ended by
// itself. Those of an exec tool are left alone: its author meant them. Those of a command line
// are ended: what is to go on has a tool of its own, which counts it.
func (p *Pipeline) countBackground(inv *Invocation, res *job.Result) {
	n := res.Background()
	if n == 0 {
		return
	}
	says := "tool left processes in the background"
	if inv.tool.Bridge.Kind == manifest.BridgeCore {
		says = "what a command left running is ended"
		res.End()
	}
	p.opts.Log.Info(says, "task", inv.task.ID(), "tool", inv.tool.Name, "call", inv.id, "processes", n)
}

// noPrograms is why a tool is unavailable without a Host.
const noPrograms = "programs cannot be started here"

func notStartable(inv *Invocation, err error) *execution {
	var start *proc.StartError
	var files errFolder
	switch {
	case errors.As(err, &start):
		return unavailable(inv, start.Error())
	case errors.As(err, &files):
		return unavailable(inv, err.Error())
	}
	return unavailable(inv, fmt.Sprintf("its program cannot be started: %s", err))
}
