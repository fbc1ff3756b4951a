package call

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// runExec runs a tool's program: it gets the arguments as one line on stdin, and its
// stdout is the result.
func (p *Pipeline) runExec(ctx context.Context, inv *Invocation) *execution {
	if p.opts.Host == nil {
		return unavailable(inv, "programs cannot be started here")
	}
	dir, err := job.Directory(p.opts.Workspace, inv.tool.Bridge.Exec.Cwd)
	if err != nil {
		return unavailable(inv, err.Error())
	}
	env := job.InheritTool(p.opts.Env, inv.tool.Bridge.Exec.Env)
	confined, err := p.sandboxOf(inv, dir, env)
	if err != nil {
		return notStartable(inv, err)
	}
	files, err := p.folder(inv, confined.Box)
	if err != nil {
		return unavailable(inv, err.Error())
	}
	in, err := p.confine(inv, confined, env, files)
	if err != nil {
		return notStartable(inv, err)
	}
	defer in.net.Close()
	e := &execution{out: p.listen(inv), format: inv.tool.Bridge.Exec.Output}
	res, err := p.jobs.Run(ctx, job.Job{
		Argv: inv.input.argv, Dir: dir, Env: in.env, Sandbox: in.box, Namespace: in.net.Namespace(), Connect: in.net.Connect(), Owner: p.newOwner(inv),
		CallID: inv.id, Tool: inv.tool.Name, TraceParent: inv.request.TraceParent, Files: files,
		Started: func(c *proc.Child) { inv.child.Store(c) },
		Input:   inv.input.final + "\n", Output: func(chunk []byte) { inv.stream(e.out.write(chunk)) },
	})
	switch {
	case err != nil && ctx.Err() != nil:
		e.stopped = context.Cause(ctx)
		return e
	case err != nil:
		return notStartable(inv, err)
	}
	inv.exit, inv.exited = res.Exit, true
	if in.net == nil { // else its next start has another network
		inv.after = append(inv.after, func() { p.jobs.Prepare(in.box) })
	}
	inv.after = append(inv.after, func() { p.countBackground(inv, &res) })
	e.stopped, e.done, e.stderr, e.artifacts = res.Stopped, res.Done, res.Stderr, res.Left.Artifacts
	e.cleanStderr(inv)
	if e.done == nil && e.stopped == nil && !res.Exit.Success() {
		e.failure = failed(exitText(res.Exit.String(), &e.stderr))
	}
	if skipped := res.Left.Skipped; skipped > 0 {
		inv.task.SetMetadata("outboxSkipped", strconv.AppendInt(nil, int64(skipped), 10))
		p.opts.Log.Warn("files in the outbox were left out", "task", inv.task.ID(), "call", inv.id, "files", skipped)
	}
	return e
}

// folder makes the call's folder, with the message that carried the call. The folder
// is removed after the call has ended.
func (p *Pipeline) folder(inv *Invocation, box *sandbox.Sandbox) (*job.Folder, error) {
	files, err := p.jobs.FolderIn(box, inv.task.ID())
	if err != nil {
		return nil, fmt.Errorf("its folder: %w", err)
	}
	inv.after = append(inv.after, func() { _ = files.Remove() }) // Close removes what could not be removed
	if err := files.WriteMessage(inv.task.Message()); err != nil {
		return nil, fmt.Errorf("its message file: %w", err)
	}
	return files, nil
}

// countBackground logs how many processes a call left running, if the call ended by
// itself. They are left alone.
func (p *Pipeline) countBackground(inv *Invocation, res *job.Result) {
	if n := res.Background(); n > 0 {
		p.opts.Log.Info("tool left processes in the background", "task", inv.task.ID(), "tool", inv.tool.Name, "call", inv.id, "processes", n)
	}
}

func notStartable(inv *Invocation, err error) *execution {
	var start *proc.StartError
	if errors.As(err, &start) {
		return unavailable(inv, start.Error())
	}
	return unavailable(inv, fmt.Sprintf("its program cannot be started: %s", err))
}
