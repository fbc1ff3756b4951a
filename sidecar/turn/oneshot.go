package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// oneshot runs one process for one turn, over pipes.
type oneshot struct {
	r *Runner
	t *turn
}

var _ driver.Driver = (*oneshot)(nil)

// Close implements driver.
func (d *oneshot) Close() {}

// Interrupt implements driver: the process went with the turn's context.
func (d *oneshot) Interrupt(context.Context) error { return nil }

// Idle implements driver: the process is there for one turn.
func (d *oneshot) Idle(context.Context) error { return nil }

// Deliver implements driver: text on stdin, then EOF; stdout is the answer.
// When ctx ends the process goes through the stop ladder, and Deliver returns
// when it is gone.
func (d *oneshot) Deliver(ctx context.Context, _ driver.Turn) driver.Outcome {
	t := d.t
	out, judge := d.reader(t.out)
	res, err := d.run(ctx, t.text, out)
	if err != nil {
		return driver.NotStarted(err)
	}
	o := judge(&res)
	o.Complete = res.Stopped == nil
	if u, ok := res.Stderr.Artifact(t.ArtifactID("stderr")); ok {
		// The task has finished: nobody wants it any more.
		_ = t.task.Artifact(context.WithoutCancel(t.task.Context()), u)
	}
	t.publish(res.Left)
	return o
}

// reader is what takes stdout, and what judges the turn by how the process ended
// or, for structured output, by its final event.
func (d *oneshot) reader(to driver.Out) (out func([]byte), judge func(*job.Result) driver.Outcome) {
	if d.r.o.OutputFormat == FormatText {
		return to.Write, judgeExit
	}
	dec := newDecoder(d.r.o.OutputFormat, d.r.o.Command, to)
	return dec.write, func(res *job.Result) driver.Outcome {
		v := dec.end()
		recordUsage(d.t.task, v.Usage)
		if v.Final && v.OK {
			return driver.Completed()
		}
		why := v.Reason
		if !v.Final && !res.Exit.Success() {
			why = res.Exit.String() + ": " + why
		}
		return explain(why, res)
	}
}

// recordUsage writes what the agent's final event says of its cost into the task's
// metadata.
func recordUsage(t *task.Task, u spec.Usage) {
	job.RecordUsage(t, channel.Usage{InputTokens: u.Input, OutputTokens: u.Output, CostUSD: u.Cost, Model: u.Model})
}

// judgeExit is the outcome by exit code.
func judgeExit(res *job.Result) driver.Outcome {
	if res.Exit.Success() {
		return driver.Completed()
	}
	return explain(res.Exit.String(), res)
}

// explain is a failure with how the process ended and what it said of it.
func explain(why string, res *job.Result) driver.Outcome {
	o := driver.Outcome{State: a2a.StateFailed, Text: why}.WithExit(res.Exit)
	if said := res.Stderr.Reason(); said != "" {
		o.Text += "\n" + said
	}
	return o
}

// run starts the process, feeds it, passes its output on and returns how it
// ended. The error is why it did not start.
func (d *oneshot) run(ctx context.Context, input string, out func([]byte)) (job.Result, error) {
	r, t := d.r, d.t
	thread, err := r.threads.args(t.task.Owner(), t.task.ContextID())
	if err != nil {
		return job.Result{}, err
	}
	answered := false // only the goroutine that reads stdout writes it, and Run waits for that
	j := job.Job{
		Argv: slices.Concat(r.o.Command, thread), Dir: r.o.Dir, Env: r.env, Owner: t.Owner, TraceParent: t.trace, Files: t.files,
		Input: input, Output: func(chunk []byte) { answered = true; out(chunk) },
		Started: d.started, Hard: r.hard,
	}
	if t.call != nil {
		j.CallID, j.Tool = t.call.ID, t.call.Tool
	}
	res, err := r.jobs.Run(ctx, j)
	r.untrack(t)
	if err != nil {
		return res, err
	}
	t.background = res.Background
	d.begun(ctx, res.Exit, answered)
	return res, nil
}

// started makes the turn's process known to whoever looks at it or sends it a
// signal.
func (d *oneshot) started(c *proc.Child) {
	d.t.listing.pid.Store(int64(c.PID()))
	d.r.track(d.t, c)
}

// begun notes that the agent knows the context's thread. One that failed
// without a word did not get that far; one that was stopped may have.
func (d *oneshot) begun(ctx context.Context, exit proc.Exit, answered bool) {
	if !exit.Success() && !answered && ctx.Err() == nil {
		return
	}
	if err := d.r.threads.add(d.t.task.Owner(), d.t.task.ContextID()); err != nil {
		d.t.log().Error("the thread will be forgotten at the next start", "error", err)
	}
}

// Call implements driver: the arguments, or the prompt, on stdin.
func (d *oneshot) Call(ctx context.Context, _ driver.Turn) (driver.CallResult, error) {
	c := d.t.call
	input := c.Prompt
	if input == "" {
		input = string(c.Arguments)
	}
	kept := &driver.Capture{Pass: c.Output}
	out, judge := d.reader(kept)
	res, err := d.run(ctx, input, out)
	if err != nil {
		return driver.CallResult{}, err
	}
	d.t.publish(res.Left)
	answer := driver.CallResult{Output: kept.Kept, Exit: &res.Exit, IsError: !res.Exit.Success(), Stderr: res.Stderr}
	if d.r.o.OutputFormat != FormatText {
		if o := judge(&res); o.State == a2a.StateFailed {
			return answer, fmt.Errorf("the agent: %s", o.Text)
		}
		answer.IsError = false
	}
	if read, ok := lastResult(kept.Kept, c.ID); ok {
		read.Exit, read.Stderr = answer.Exit, answer.Stderr
		answer = read
	}
	return answer, res.Stopped
}

// lastResult reads a toolResult line of that id at the end of an output.
func lastResult(out []byte, id string) (driver.CallResult, bool) {
	text := strings.TrimRight(string(out[max(0, len(out)-maxDocument):]), "\r\n ")
	return driver.ReadResult(json.RawMessage(text[strings.LastIndexByte(text, '\n')+1:]), id)
}

// track keeps a turn's process, to which signals are passed on, until untrack.
func (r *Runner) track(t *turn, c *proc.Child) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.children[t] = c
}

func (r *Runner) untrack(t *turn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.children, t)
}

// reserved reports whether an artifact's id is one of the turns' own: response,
// stderr, or those of a later turn.
func reserved(id string) bool {
	if base, n, ok := strings.Cut(id, "-"); ok {
		if _, err := strconv.Atoi(n); err == nil {
			id = base
		}
	}
	return id == "response" || id == "stderr"
}
