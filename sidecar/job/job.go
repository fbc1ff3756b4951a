package job

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Job is one piece of work and what its process is given. Argv, Owner and Output
// must be set.
type Job struct {
	Argv []string
	Dir  string   // "": ours
	Env  []string // what the process inherits, see Inherit

	// Owner takes what the process emits over the channel. Run closes it.
	Owner *Owner
	// CallID and Tool are those of a tool call, "" for a turn.
	CallID, Tool string
	// TraceParent is the W3C traceparent for the process, "" for none.
	TraceParent string
	// Files is the folder with the message, which stays the caller's; nil: there is none.
	Files *Folder

	// Input is all of the process's standard input.
	Input string
	// Output takes its standard output as it comes. The chunk is only valid during
	// the call, which may block: the process then waits too.
	Output func(chunk []byte)

	// Started is told of the process, nil: nobody is.
	Started func(c *proc.Child)
	// Hard ends when the process is to be killed at once; nil: never.
	Hard context.Context
}

// Result is how a job ended.
type Result struct {
	Exit proc.Exit
	// Stopped is the cause of the context's end if that is how the job ended, nil if
	// the process brought its work to an end, well or not. A cancel always counts.
	// Any other cause counts for nothing after the process has said done or, before
	// it was asked to stop, has ended well.
	Stopped error
	// Done is the first done that the process said, nil for none.
	Done   *channel.Done
	Stderr Stderr
	Left   Left

	child *proc.Child
}

// Background counts the processes that a job which was not to stop has left
// running. It takes a look at all processes of the machine.
func (r *Result) Background() int {
	if r.child == nil {
		return 0
	}
	return r.child.Background()
}

// channelDrain bounds the wait for what a process that has ended had sent over the
// channel.
const channelDrain = 250 * time.Millisecond

// Run starts the job's process, feeds it, passes its output on and returns when it
// has gone and all that it emitted has been handled. When ctx ends the process goes
// through the stop ladder; one that has said done does so after the grace. The error
// says why no process was started: a *proc.StartError, or the cause of ctx's end.
func (r *Runner) Run(ctx context.Context, j Job) (Result, error) {
	defer j.Owner.Close()
	if err := context.Cause(ctx); err != nil {
		return Result{}, err
	}
	grant, token := r.grant(j.Owner)
	if grant != nil {
		defer grant.Revoke()
	}
	child, err := r.o.Host.Start(proc.Command{
		Argv: j.Argv, Dir: j.Dir, User: r.o.User, Env: r.environ(&j, token), Marker: Marker(token), Grace: r.o.Grace,
	})
	if err != nil {
		return Result{}, err
	}
	if grant != nil {
		grant.Started(child)
	}
	if j.Started != nil {
		j.Started(child)
	}
	var res Result
	late := r.attend(ctx, &j, child, &res)
	drain(ctx, grant)
	j.Owner.Close()
	res.Done = j.Owner.Outcome()
	if ctx.Err() != nil {
		child.Stop() // what it left behind was to stop too
		res.Stopped = stoppedBy(context.Cause(ctx), res.Done, late, res.Exit)
	} else {
		res.child = child
	}
	res.Left = j.Files.collectOnce(j.Owner)
	return res, nil
}

// attend feeds the process and reads its output until it has gone. It reports
// whether the process had ended before it was asked to stop.
func (r *Runner) attend(ctx context.Context, j *Job, child *proc.Child, res *Result) (late bool) {
	late = true // only the watcher of ctx writes it, and close waits for that
	var w watchers
	w.on(ctx, func() {
		late = exited(child)
		child.Stop()
	})
	w.on(j.Owner.over, func() { r.linger(child) })
	if j.Hard != nil {
		w.on(j.Hard, func() { child.Kill() })
	}
	fed := feed(child.Stdin(), j.Input)
	res.Exit = child.Output(j.Output, res.Stderr.Add)
	<-fed // Output has closed stdin, whoever did not read it
	w.close()
	return late
}

// leastLinger is how long a process that has said done may take to end where there is
// no grace: it has to read the answer, and to write its last output.
const leastLinger = 250 * time.Millisecond

// linger gives a process that has said done the grace to end by itself.
func (r *Runner) linger(child *proc.Child) {
	timer := time.NewTimer(cmp.Or(r.o.Grace, leastLinger))
	defer timer.Stop()
	select {
	case <-child.Exited():
	case <-timer.C:
		child.Stop()
	}
}

func exited(child *proc.Child) bool {
	select {
	case <-child.Exited():
		return true
	default:
		return false
	}
}

// stoppedBy is the cause that a job was stopped by, nil if its work had been brought
// to an end. A process that had ended badly when it was to be stopped may have heard
// of that before (the question that it asked was withdrawn): it was stopped.
func stoppedBy(cause error, done *channel.Done, late bool, exit proc.Exit) error {
	complete := done != nil || late && exit.Success()
	if complete && !errors.Is(cause, task.ErrCanceled) {
		return nil
	}
	return cause
}

// drain waits, for a bounded time, until all that the process had sent over the
// channel is handled. It does so for a job that was stopped too.
func drain(ctx context.Context, grant *channel.Grant) {
	if grant == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), channelDrain)
	defer cancel()
	_ = grant.Drain(ctx) // who still speaks then is not the process
}

// pipeAtomic is what an empty pipe takes without blocking, everywhere, in bytes.
const pipeAtomic = 4 << 10

// feed writes the input and closes stdin. What it returns is closed when that is
// done. A process has every right not to read it.
func feed(stdin *os.File, input string) <-chan struct{} {
	fed := make(chan struct{})
	write := func() {
		defer close(fed)
		_, _ = io.WriteString(stdin, input) // EPIPE: the process does not want it
		_ = stdin.Close()                   // Output closes it too
	}
	if len(input) <= pipeAtomic {
		write()
	} else {
		go write()
	}
	return fed
}
