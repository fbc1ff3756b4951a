package job

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Job is one piece of work and what its process is given. Argv, Owner and Output must
// be set.
type Job struct {
	Argv []string
	Dir  string   // "": ours
	Env  []string // what the process inherits, see Inherit

	// Owner takes what the process emits over the channel. Run closes it.
	Owner *Owner
	// CallID and Tool identify a tool call; they are "" for a turn.
	CallID, Tool string
	// TraceParent is the W3C traceparent for the process, "" for none.
	TraceParent string
	// Equip changes the command of the process, whose token it is given; its error keeps the process
	// from starting. What it returns is called when the process has ended. nil: the command stays.
	Equip func(token string, c *proc.Command) (release func(), err error)
	// Sandbox confines the process, which also gets its folder and a door to the channel; nil:
	// it is not confined.
	Sandbox *sandbox.Sandbox
	// Namespace is the network namespace of a sandboxed process, nil for ours.
	Namespace *sandbox.Namespace
	// Connect are the TCP ports that a sandboxed process may connect to, in addition to those
	// that its rules name.
	Connect []uint16
	// Files is the folder with the message, which still belongs to the caller; nil:
	// there is none.
	Files *Folder

	// Input is all of the process's standard input.
	Input string
	// Output gets the process's standard output as it comes. The chunk is only valid
	// during the call. The call may block; the process then waits too.
	Output func(chunk []byte)

	// Merged passes standard error to Output too, in the order in which both were written.
	Merged bool
	// Started is called with the process; nil: it is not called.
	Started func(c *proc.Child)
	// Hard ends when the process is to be killed at once; nil: never.
	Hard context.Context
}

// Result is how a job ended.
type Result struct {
	Exit proc.Exit
	// Stopped is the cause of the context's end if that is how the job ended. It is
	// nil if the process brought its work to an end, successfully or not. A cancel
	// always counts. Any other cause does not count if the process has said done, or
	// if it had already ended successfully when it was asked to stop.
	Stopped error
	// Done is the first done that the process sent, nil for none.
	Done   *channel.Done
	Stderr Stderr
	Left   Left

	child *proc.Child
}

// Background counts the processes that a job left running, if the job was not
// stopped. It looks at all processes of the machine.
func (r *Result) Background() int {
	if r.child == nil {
		return 0
	}
	return r.child.Background()
}

// End stops what Background counts, as the process would be stopped, and returns when it is gone.
func (r *Result) End() {
	if r.child != nil {
		r.child.Stop()
	}
}

// channelDrain bounds the wait until what an ended process had sent over the channel
// is handled.
const channelDrain = 250 * time.Millisecond

// Run starts the job's process, feeds it, passes its output on, and returns after the
// process has gone and everything that it emitted has been handled. When ctx ends,
// the process goes through the stop ladder; a process that has said done does so
// after the grace. The error says why no process was started: a *proc.StartError, the
// cause of ctx's end, or that of Equip.
func (r *Runner) Run(ctx context.Context, j Job) (Result, error) {
	defer j.Owner.Close()
	if err := context.Cause(ctx); err != nil {
		return Result{}, err
	}
	j.Owner.exchanges(j.Files.Outbox())
	grant, token := r.grant(j.Owner)
	if grant != nil {
		defer grant.Revoke()
	}
	c := proc.Command{Argv: j.Argv, Dir: j.Dir, User: r.o.User, Env: r.environ(&j, token), Marker: Marker(token), Grace: r.o.Grace, Merged: j.Merged}
	if j.Equip != nil {
		release, err := j.Equip(token, &c)
		if err != nil {
			return Result{}, err
		}
		defer release()
	}
	open, err := r.confine(&c, &j)
	if err != nil {
		return Result{}, err
	}
	defer open()
	child, err := r.o.Host.Start(c)
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
		child.Stop() // the processes that it left behind must stop too
		res.Stopped = stoppedBy(context.Cause(ctx), res.Done, late, res.Exit)
	} else {
		res.child = child
	}
	res.Left = j.Files.Collect(j.Owner)
	return res, nil
}

// attend feeds the process and reads its output until it has gone. It reports whether
// the process had ended before it was asked to stop.
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
	<-fed // Output has closed stdin, even if the process did not read it
	w.close()
	return late
}

// leastLinger is how long a process that has said done may take to end if the grace
// is 0: it must still read the answer and write its last output.
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

// stoppedBy returns the cause that stopped a job, nil if its work had been brought to
// an end. A process that had already ended badly when it was to be stopped still
// counts as stopped: it may have noticed the stop earlier (the question that it asked
// was withdrawn).
func stoppedBy(cause error, done *channel.Done, late bool, exit proc.Exit) error {
	complete := done != nil || late && exit.Success()
	if complete && !errors.Is(cause, task.ErrCanceled) {
		return nil
	}
	return cause
}

// drain waits, for a bounded time, until everything that the process had sent over
// the channel is handled. It does so even if the job was stopped.
func drain(ctx context.Context, grant *channel.Grant) {
	if grant == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), channelDrain)
	defer cancel()
	_ = grant.Drain(ctx) // whoever still sends then is not the process
}

// pipeAtomic is how many bytes an empty pipe takes without blocking, on every system.
const pipeAtomic = 4 << 10

// feed writes the input and closes stdin; the channel that it returns is closed after
// that. A process need not read its input.
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
