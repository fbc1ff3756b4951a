package call

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

const (
	// stderrTail is how much of stderr is kept.
	stderrTail = 64 << 10
	// channelDrain bounds the wait for what a process that has ended had sent.
	channelDrain = 250 * time.Millisecond
	// pipeAtomic is what an empty pipe takes without blocking, everywhere.
	pipeAtomic = 4 << 10
	tokenName  = "SIDECAR_CHANNEL_TOKEN"
)

// errSettled ends a process that has told its result and does not go.
var errSettled = errors.New("the tool has told its result")

// runExec runs a tool's program: arguments on stdin, stdout is the result.
func (p *Pipeline) runExec(ctx context.Context, inv *Invocation) *execution {
	if p.opts.Host == nil {
		return unavailable(inv, "programs cannot be started here")
	}
	dir, err := p.directory(inv.tool.Bridge.Exec)
	if err != nil {
		return unavailable(inv, err.Error())
	}
	folder, err := p.newScratch(inv)
	if err != nil {
		return unavailable(inv, err.Error())
	}
	inv.after = append(inv.after, folder.remove)
	ctx, settle := context.WithCancelCause(ctx)
	defer settle(nil)
	v := p.newVoice(inv, func() { settle(errSettled) })
	defer v.close()
	child, err := p.opts.Host.Start(p.command(inv, dir, v.token, folder))
	if err != nil {
		return notStartable(inv, err)
	}
	v.started(child)
	e := &execution{out: newOutput(p.maxOutput(inv.tool)), format: inv.tool.Bridge.Exec.Output}
	exit := p.attend(ctx, inv, child, e)
	inv.exit = exit
	v.drain(ctx)
	e.done = v.result()
	if e.done == nil && e.stopped == nil && !exit.Success() {
		e.failure = failed(exitText(exit.String(), e.stderr))
	}
	if e.stopped == nil {
		inv.after = append(inv.after, func() { p.countBackground(inv, child) })
	}
	e.artifacts = p.collect(inv, folder)
	return e
}

func (p *Pipeline) command(inv *Invocation, dir, token string, folder *scratch) proc.Command {
	env := environment(p.opts.Env, inv.tool.Bridge.Exec.Env)
	return proc.Command{
		Argv: inv.argv, Dir: dir, User: p.opts.User, Grace: p.opts.CancelGrace,
		Env: append(env, p.callEnvironment(inv, token, folder)...), Marker: tokenName + "=" + token,
	}
}

// attend feeds the process, takes its output and, when ctx ends first, takes
// it down by the ladder. It returns when the process has gone.
func (p *Pipeline) attend(ctx context.Context, inv *Invocation, child *proc.Child, e *execution) proc.Exit {
	down, late := make(chan struct{}), false
	watch := context.AfterFunc(ctx, func() {
		defer close(down)
		select {
		case <-child.Exited():
			late = true
		default:
		}
		child.Stop()
	})
	fed := feed(child.Stdin(), inv.input.Final)
	complaints := tail{limit: stderrTail}
	exit := child.Output(
		func(chunk []byte) { inv.stream(e.out.write(chunk)) },
		complaints.write,
	)
	fed()
	if !watch() {
		<-down
		e.stopped = stoppedBy(context.Cause(ctx), late, exit)
	}
	e.stderr = complaints.bytes()
	return exit
}

// stoppedBy is what a process was stopped by, nil when it ended by itself. One
// that had ended when it was to be stopped may have heard of that before (the
// question that it asked was withdrawn): then it is what made it fail. Its
// success counts, but for a cancel.
func stoppedBy(cause error, late bool, exit proc.Exit) error {
	switch {
	case errors.Is(cause, errSettled), late && exit.Success() && !errors.Is(cause, task.ErrCanceled):
		return nil
	}
	return cause
}

// countBackground logs what a call that ended by itself has left running. It is
// left alone.
func (p *Pipeline) countBackground(inv *Invocation, child *proc.Child) {
	if n := child.Background(); n > 0 {
		p.opts.Log.Info("tool left processes in the background", "task", inv.task.ID(), "tool", inv.tool.Name, "call", inv.id, "processes", n)
	}
}

// feed writes the arguments as a line and then EOF. A program that does not
// read them is no fault, and holds nobody up: the returned function ends what
// is still being written and waits for it.
func feed(stdin *os.File, args []byte) (end func()) {
	line := make([]byte, 0, len(args)+1)
	line = append(append(line, args...), '\n')
	if len(line) <= pipeAtomic {
		_, _ = stdin.Write(line) // EPIPE: it does not want them
		stdin.Close()
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = stdin.Write(line)
		stdin.Close()
	}()
	return func() {
		stdin.Close()
		<-done
	}
}

// directory is where the program runs. A relative cwd stays in the workspace,
// whatever symbolic links stand there.
func (p *Pipeline) directory(x *manifest.Exec) (string, error) {
	if x.Cwd == "" || x.Cwd == "." {
		return p.opts.Workspace, nil
	}
	if filepath.IsAbs(x.Cwd) {
		return x.Cwd, nil
	}
	base := p.opts.Workspace
	if base == "" {
		base = "."
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return "", fmt.Errorf("the workspace: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(x.Cwd)
	switch {
	case err != nil:
		return "", fmt.Errorf("cwd %q in the workspace: %w", x.Cwd, causeOf(err))
	case !info.IsDir():
		return "", fmt.Errorf("cwd %q is not a directory", x.Cwd)
	}
	return filepath.Join(base, x.Cwd), nil
}

// causeOf is err without the path, which is told already.
func causeOf(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}

func notStartable(inv *Invocation, err error) *execution {
	var start *proc.StartError
	if errors.As(err, &start) {
		return unavailable(inv, start.Error())
	}
	return unavailable(inv, fmt.Sprintf("its program cannot be started: %s", err))
}
