package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// maxStderr is how much of the end of stderr is kept, in bytes.
	maxStderr = 64 << 10
	// maxReason is how much of it a status message tells, in bytes.
	maxReason = 4 << 10
	// drainTime is how long what a finished process sent over the channel is
	// waited for.
	drainTime = 250 * time.Millisecond
)

// oneshot runs one process for one turn, over pipes.
type oneshot struct {
	r      *Runner
	t      *turn
	token  string
	grant  *channel.Grant // nil: the channel is off
	stderr tail
}

var _ driver.Driver = (*oneshot)(nil)

// newOneshot gives the turn's process its token.
func newOneshot(r *Runner, t *turn) *oneshot {
	d := &oneshot{r: r, t: t, stderr: tail{limit: maxStderr}}
	if r.o.Channel == nil {
		d.token = a2a.NewID()
		return d
	}
	d.grant = r.o.Channel.GrantProcess(t)
	d.token = d.grant.Token()
	return d
}

// Close implements driver.
func (d *oneshot) Close() {
	if d.grant != nil {
		d.grant.Revoke()
	}
}

// Interrupt implements driver: the process went with the turn's context.
func (d *oneshot) Interrupt(context.Context) error { return nil }

// Idle implements driver: the process is there for one turn.
func (d *oneshot) Idle(context.Context) error { return nil }

// Deliver implements driver: text on stdin, then EOF; stdout is the answer.
// When ctx ends the process goes through the stop ladder, and Deliver returns
// when it is gone.
func (d *oneshot) Deliver(ctx context.Context, _ driver.Turn) driver.Outcome {
	t := d.t
	out, decode := d.reader(t, t.out)
	exit, err := d.run(ctx, t, t.text, out)
	if err != nil {
		return driver.NotStarted(err)
	}
	o := d.judge(exit)
	if decode != nil {
		o = decode(exit)
	}
	d.publishStderr(t)
	return o
}

// reader is what takes stdout, and for structured output what judges the turn
// by it.
func (d *oneshot) reader(t *turn, to driver.Out) (out func([]byte), judge func(proc.Exit) driver.Outcome) {
	if d.r.o.OutputFormat == FormatText {
		return to.Write, nil
	}
	dec := newDecoder(d.r.o.OutputFormat, d.r.o.Command, to)
	return dec.write, func(exit proc.Exit) driver.Outcome {
		v := dec.end()
		noteUsage(v.Usage, t.task)
		if v.Final && v.OK {
			return driver.Completed()
		}
		o := d.explain(driver.Outcome{State: a2a.StateFailed, Text: v.Reason}, exit)
		if !v.Final && !exit.Success() {
			o.Text = exit.String() + ": " + o.Text
		}
		return o
	}
}

// run starts the process, feeds it, passes its output on and returns how it
// ended. The error is why it did not start.
func (d *oneshot) run(ctx context.Context, t *turn, input string, out func([]byte)) (proc.Exit, error) {
	if err := context.Cause(ctx); err != nil {
		return proc.Exit{}, err
	}
	thread, err := d.r.threads.args(t.task.Owner(), t.task.ContextID())
	if err != nil {
		return proc.Exit{}, err
	}
	argv := slices.Concat(d.r.o.Command, thread)
	child, err := d.r.o.Host.Start(proc.Command{
		Argv: argv, Env: t.environment(d.token), Dir: d.r.o.Dir, User: d.r.o.User,
		Marker: marker(d.token), Grace: d.r.o.CancelGrace,
	})
	if err != nil {
		return proc.Exit{}, err
	}
	if d.grant != nil {
		d.grant.Started(child)
	}
	t.listing.pid.Store(int64(child.PID()))
	d.r.track(child, true)
	defer d.r.track(child, false)

	var w watchers
	w.on(ctx, func() { child.Stop() })
	w.on(d.r.hard, func() { child.Kill() })
	w.on(t.over, func() { d.linger(child) })
	fed := feed(child, input)
	answered := false // only Output's goroutine for stdout writes it, and Output waits for that
	exit := child.Output(func(chunk []byte) { answered = true; out(chunk) }, d.stderr.write)
	<-fed // Output has closed stdin, whoever did not read it
	w.close()
	d.settle(ctx, t, child)
	d.begun(ctx, t, exit, answered)
	return exit, nil
}

// pipeRoom is what a pipe takes without anybody reading it, in bytes.
const pipeRoom = 4 << 10

// fedAtOnce is what feed returns when nothing is left to do.
var fedAtOnce = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// feed writes the input and closes stdin, and closes what it returns when that
// is done. A process that does not read it has every right to.
func feed(child *proc.Child, input string) <-chan struct{} {
	write := func() {
		_, _ = io.WriteString(child.Stdin(), input)
		_ = child.Stdin().Close() // Output closes it too
	}
	if len(input) <= pipeRoom {
		write()
		return fedAtOnce
	}
	fed := make(chan struct{})
	go func() {
		defer close(fed)
		write()
	}()
	return fed
}

// linger gives a process that has said done the grace to end by itself.
func (d *oneshot) linger(child *proc.Child) {
	timer := time.NewTimer(d.r.o.CancelGrace)
	defer timer.Stop()
	select {
	case <-child.Exited():
	case <-timer.C:
		child.Stop()
	}
}

// settle leaves the turn with nothing under way: what the process sent over the
// channel has been handled, and what it left behind is gone when the turn was
// to stop, else left alone.
func (d *oneshot) settle(ctx context.Context, t *turn, child *proc.Child) {
	if d.grant != nil {
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		_ = d.grant.Drain(drain) // whoever still speaks was not the agent
	}
	if ctx.Err() != nil {
		child.Stop()
		return
	}
	t.child = child
}

// begun notes that the agent knows the context's thread. One that failed
// without a word did not get that far; one that was stopped may have.
func (d *oneshot) begun(ctx context.Context, t *turn, exit proc.Exit, answered bool) {
	if !exit.Success() && !answered && ctx.Err() == nil {
		return
	}
	if err := d.r.threads.add(t.task.Owner(), t.task.ContextID()); err != nil {
		t.log().Error("the thread will be forgotten at the next start", "error", err)
	}
}

// judge is the outcome by exit code.
func (d *oneshot) judge(exit proc.Exit) driver.Outcome {
	if exit.Success() {
		return driver.Completed()
	}
	return d.explain(driver.Outcome{State: a2a.StateFailed, Text: exit.String()}, exit)
}

// explain adds how the process ended and what it said of it.
func (d *oneshot) explain(o driver.Outcome, exit proc.Exit) driver.Outcome {
	o = o.WithExit(exit)
	if said := reasonTail(d.stderr.bytes()); said != "" {
		o.Text += "\n" + said
	}
	return o
}

// reasonTail is the end of stderr as text for people.
func reasonTail(stderr []byte) string {
	return strings.TrimSpace(console.PlainText(string(text.Tail(stderr, maxReason))))
}

// publishStderr makes the artifact of stderr's end.
func (d *oneshot) publishStderr(t *turn) {
	if d.stderr.total == 0 {
		return
	}
	name := t.artifact("stderr")
	text := strings.ToValidUTF8(string(d.stderr.bytes()), string(utf8.RuneError))
	u := a2a.ArtifactUpdate{LastChunk: true, Artifact: a2a.Artifact{ID: name, Name: name, Parts: []a2a.Part{a2a.TextPart(text)}}}
	if d.stderr.total > maxStderr {
		u.Artifact.Metadata = a2a.Metadata{"truncated": driver.JSON(true), "totalBytes": driver.JSON(d.stderr.total)}
	}
	// The task has finished: nobody wants it any more.
	_ = t.task.Artifact(context.WithoutCancel(t.task.Context()), u)
}

// Call implements driver: the arguments, or the prompt, on stdin.
func (d *oneshot) Call(ctx context.Context, _ driver.Turn) (driver.CallResult, error) {
	t := d.t
	c := t.call
	input := c.Prompt
	if input == "" {
		input = string(c.Arguments)
	}
	kept := &driver.Capture{Pass: c.Output}
	out, decode := d.reader(t, kept)
	exit, err := d.run(ctx, t, input, out)
	if err != nil {
		return driver.CallResult{}, err
	}
	res := driver.CallResult{Output: kept.Kept, Exit: &exit, IsError: !exit.Success(), Stderr: strings.ToValidUTF8(string(d.stderr.bytes()), string(utf8.RuneError))}
	if decode != nil {
		if o := decode(exit); o.State == a2a.StateFailed {
			return res, fmt.Errorf("the agent: %s", o.Text)
		}
		res.IsError = false
	}
	if r, ok := lastResult(kept.Kept, c.ID); ok {
		r.Exit, r.Stderr = res.Exit, res.Stderr
		return r, context.Cause(ctx)
	}
	return res, context.Cause(ctx)
}

// lastResult reads a toolResult line of that id at the end of an output.
func lastResult(out []byte, id string) (driver.CallResult, bool) {
	text := strings.TrimRight(string(out[max(0, len(out)-maxDocument):]), "\r\n ")
	return driver.ReadResult(json.RawMessage(text[strings.LastIndexByte(text, '\n')+1:]), id)
}

// track keeps the processes that a signal is passed on to.
func (r *Runner) track(c *proc.Child, runs bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if runs {
		r.children[c] = struct{}{}
	} else {
		delete(r.children, c)
	}
}
