package oneshot

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Options configure New.
type Options struct {
	Jobs    *job.Runner
	Hard    context.Context // ends when every process has to die at once
	Log     *slog.Logger
	Command []string // argv of the program
	Dir     string   // its working directory; "": ours
	Env     []string

	// Equip changes how a process is started: see [job.Job]. files is the turn's folder. nil:
	// nothing is changed.
	Equip func(files *job.Folder, token string, c *proc.Command) (release func(), err error)

	OutputFormat string // one of the values in config
	// ThreadCreate and ThreadResume are the arguments by which the program keeps a
	// conversation; both are set or neither. StateDir is where the seen
	// conversations are kept; "" means in memory only.
	ThreadCreate, ThreadResume, StateDir string
	// ThreadName makes the program's name of a conversation from the context's id; nil: they are the same.
	ThreadName func(contextID string) string
	// Forgotten is the exit code of a process that says nothing because it does not know the conversation
	// that it is to resume: another process begins a new one. 0: there is no such code.
	Forgotten int
	// Dialect is how the structured output is written; nil: what is known of the command, or what the
	// first event shows.
	Dialect *spec.Dialect
	// Quiet leaves out the artifact with the end of standard error, unless the turn has failed.
	Quiet bool
}

// Program is an agent that runs once per turn. Its methods may be called from many
// goroutines.
type Program struct {
	Options
	threads *threads
}

// New returns a Program. It reads the conversations that survived a restart.
func New(o Options) (*Program, error) {
	threads, err := openThreads(o.StateDir, o.ThreadCreate, o.ThreadResume)
	if err != nil {
		return nil, err
	}
	threads.name = o.ThreadName
	if o.Dialect == nil {
		o.Dialect = agent.Dialect(o.Command)
	}
	return &Program{Options: o, threads: threads}, nil
}

// Admits returns an error if a caller may not have the context's conversation, as
// far as the program's own memory is concerned.
func (p *Program) Admits(caller, contextID string) error { return p.threads.admits(caller, contextID) }

// Close closes the files of conversations.
func (p *Program) Close() error { return p.threads.Close() }

// Process is what a turn has ready for its process.
type Process struct {
	Owner *job.Owner
	// Renew makes the owner for another process of the same turn.
	Renew func() *job.Owner
	Files *job.Folder
	// Stderr is the id of the artifact that gets the end of stderr.
	Stderr string
	// Started is called when the process was started. Ended is called when it is
	// gone, with a function that counts what the process has left running.
	Started func(*proc.Child)
	Ended   func(background func() int)
	// Publish takes what the process left in its outbox.
	Publish func(job.Left)
}

// Driver returns the driver for a turn, which runs one process.
func (p *Program) Driver(o Process) *Driver { return &Driver{p, o} }

// Driver runs one process for one turn, over pipes.
type Driver struct {
	r *Program
	o Process
}

var _ driver.Driver = (*Driver)(nil)

// Close implements driver.Driver.
func (d *Driver) Close() {}

// Interrupt implements driver.Driver. It does nothing: the process ended with the
// turn's context.
func (d *Driver) Interrupt(context.Context) error { return nil }

// Idle implements driver.Driver. It does nothing: the process serves one turn only.
func (d *Driver) Idle(context.Context) error { return nil }

// Deliver implements driver.Driver: the text goes to stdin, then EOF; stdout is the
// answer. When ctx ends, the process goes through the stop ladder, and Deliver
// returns when it is gone.
func (d *Driver) Deliver(ctx context.Context, t driver.Turn) driver.Outcome {
	out, judge := d.reader(t, t.Out())
	res, err := d.run(ctx, t, t.Text(), out)
	if err != nil {
		return driver.NotStarted(err)
	}
	o := judge(&res)
	o.Complete = res.Stopped == nil
	if u, ok := res.Stderr.Artifact(d.o.Stderr); ok && (!d.r.Quiet || o.State == a2a.StateFailed) {
		// The task has finished: nobody wants the artifact any more.
		_ = t.Task().Artifact(context.WithoutCancel(t.Task().Context()), u)
	}
	d.o.Publish(res.Left)
	return o
}

// reader returns two functions: out takes stdout; judge judges the turn by how the
// process ended or, for structured output, by its final event.
func (d *Driver) reader(t driver.Turn, to driver.Out) (out func([]byte), judge func(*job.Result) driver.Outcome) {
	if d.r.OutputFormat == config.FormatText {
		return to.Write, judgeExit
	}
	dec := newDecoder(d.r.OutputFormat, d.r.Dialect, to)
	return dec.write, func(res *job.Result) driver.Outcome {
		v := dec.end()
		recordUsage(t.Task(), v.Usage)
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

// recordUsage writes the cost in the agent's final event into the task's metadata.
func recordUsage(t *task.Task, u peer.Usage) {
	job.RecordUsage(t, channel.Usage{InputTokens: u.Input, OutputTokens: u.Output, CostUSD: u.Cost, Model: u.Model})
}

// judgeExit returns the outcome by exit code.
func judgeExit(res *job.Result) driver.Outcome {
	if res.Exit.Success() {
		return driver.Completed()
	}
	return explain(res.Exit.String(), res)
}

// explain returns a failure that says how the process ended and what it wrote about
// that.
func explain(why string, res *job.Result) driver.Outcome {
	o := driver.Outcome{State: a2a.StateFailed, Text: why}.WithExit(res.Exit)
	if said := res.Stderr.Reason(); said != "" {
		o.Text += "\n" + said
	}
	return o
}

// run starts the process, feeds it, passes its output on and returns how it ended.
// The error says why it did not start.
func (d *Driver) run(ctx context.Context, t driver.Turn, input string, out func([]byte)) (job.Result, error) {
	k := t.Task()
	thread, resumed, err := d.r.threads.args(k.Owner(), k.ContextID())
	if err != nil {
		return job.Result{}, err
	}
	res, answered, err := d.process(ctx, t, thread, input, out)
	if resumed && !answered && err == nil && ctx.Err() == nil && d.r.Forgotten != 0 && res.Exit.Code == d.r.Forgotten {
		t.Note("newSession", true)
		d.r.Log.Warn("the agent does not know a conversation any more and begins a new one", "task", k.ID(), "context", k.ContextID())
		d.o.Owner = d.o.Renew()
		res, answered, err = d.process(ctx, t, d.r.threads.begin(k.ContextID()), input, out)
	}
	if err == nil {
		d.begun(ctx, k, res.Exit, answered)
	}
	return res, err
}

// process runs one process with the arguments of a conversation. answered reports whether it wrote
// anything on its standard output.
func (d *Driver) process(ctx context.Context, t driver.Turn, thread []string, input string, out func([]byte)) (res job.Result, answered bool, err error) {
	r := d.r
	// answered is written only by the goroutine that reads stdout, for which Run waits.
	j := job.Job{
		Argv: slices.Concat(r.Command, thread), Dir: r.Dir, Env: r.Env, Owner: d.o.Owner, TraceParent: t.TraceParent(), Files: d.o.Files,
		Input: input, Output: func(chunk []byte) { answered = true; out(chunk) },
		Started: d.o.Started, Hard: r.Hard,
	}
	if r.Equip != nil {
		j.Equip = func(token string, c *proc.Command) (func(), error) { return r.Equip(d.o.Files, token, c) }
	}
	if c := t.Call(); c != nil {
		j.CallID, j.Tool = c.ID, c.Tool
	}
	res, err = r.Jobs.Run(ctx, j)
	d.o.Ended(res.Background)
	return res, answered, err
}

// begun notes that the agent knows the context's thread. A process that failed
// without any output did not get that far; a process that was stopped may have.
func (d *Driver) begun(ctx context.Context, k *task.Task, exit proc.Exit, answered bool) {
	if !exit.Success() && !answered && ctx.Err() == nil {
		return
	}
	if err := d.r.threads.add(k.Owner(), k.ContextID()); err != nil {
		d.r.Log.Error("the thread will be forgotten at the next start", "task", k.ID(), "context", k.ContextID(), "error", err)
	}
}

// Call implements driver.Driver: the arguments, or the prompt, go to stdin.
func (d *Driver) Call(ctx context.Context, t driver.Turn) (driver.CallResult, error) {
	c := t.Call()
	input := c.Prompt
	if input == "" {
		input = string(c.Arguments)
	}
	kept := &driver.Capture{Pass: c.Output}
	out, judge := d.reader(t, kept)
	res, err := d.run(ctx, t, input, out)
	if err != nil {
		return driver.CallResult{}, err
	}
	d.o.Publish(res.Left)
	answer := driver.CallResult{Output: kept.Kept, Exit: &res.Exit, IsError: !res.Exit.Success(), Stderr: res.Stderr}
	if d.r.OutputFormat != config.FormatText {
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

// lastResult reads a toolResult line with that id at the end of an output, and
// reports whether there is one.
func lastResult(out []byte, id string) (driver.CallResult, bool) {
	text := strings.TrimRight(string(out[max(0, len(out)-maxDocument):]), "\r\n ")
	return driver.ReadResult(json.RawMessage(text[strings.LastIndexByte(text, '\n')+1:]), id)
}
