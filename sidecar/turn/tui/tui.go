package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Driver speaks to an agent that draws its screen: an input to type into, an answer
// that is redrawn as it grows, questions with options. The console knows what the
// agent is doing; the driver's machine decides what to type, and when.
type Driver struct {
	console    *console.Console
	people     *tty.Arbiter // nil: nobody else can type
	toolPrompt string       // puts calls in words; "": a line of JSON
	machine    machine
}

var _ driver.Live = (*Driver)(nil)

// Options configure New.
type Options struct {
	Hooked       bool          // the agent was started so that it reports
	ReadyTimeout time.Duration // how long to wait until the agent takes a message
	Quiet        time.Duration // silence that ends the answer of an unknown agent
	AskTimeout   time.Duration // how long a question of the agent may wait for its answer
	Headless     bool          // nobody can answer a question
	ToolPrompt   string        // puts calls in words; "": a line of JSON
	// AllowAgentCommands allows the agent's command characters.
	AllowAgentCommands bool
}

// New returns a driver for the program of a console.
func New(o Options, c *console.Console) *Driver {
	d := &Driver{console: c, toolPrompt: o.ToolPrompt, machine: machine{rules: rules{
		profile: c.Profile, timing: c.Profile.Timing, agent: c.Profile.Name, untypable: c.Untypable,
		hooked: o.Hooked, commands: o.AllowAgentCommands,
		ready: o.ReadyTimeout, quiet: o.Quiet, ask: o.AskTimeout, headless: o.Headless,
	}}}
	if c.Profile.Name == profile.GenericName {
		d.machine.meet()
	}
	return d
}

// Output implements driver.Live. It does nothing: the console gets the output too.
func (d *Driver) Output([]byte) {}

// Resize implements driver.Live. It does nothing: the console gets the size too.
func (d *Driver) Resize(tty.Size) {}

// Sit implements driver.Live.
func (d *Driver) Sit(p *tty.Arbiter) { d.people = p }

// Close implements driver.Driver.
func (d *Driver) Close() {}

// Learner returns what was learnt of an agent without a profile, nil if the agent has one. It must
// not be used while a call of the driver runs.
func (d *Driver) Learner() *learn.Learner { return d.machine.learner }

// run returns a run of the machine.
func (d *Driver) run(ctx context.Context) *run {
	return &run{ctx: ctx, machine: &d.machine, console: d.console, people: d.people, waits: func(string) {}}
}

// turn returns a run of the machine for a turn whose answer goes to out.
func (d *Driver) turn(ctx context.Context, t driver.Turn, out driver.Out) *run {
	r := d.run(ctx)
	r.turn, r.out, r.over, r.waits = t, out, t.Over().Done(), t.WaitFor
	return r
}

// Ready implements driver.Live. It waits until the agent takes a message and nothing is
// in the way. It waits for a person at the terminal without a limit, and reports that
// wait by waits. A Deliver or Call that follows goes on with the same wait.
func (d *Driver) Ready(ctx context.Context, or <-chan struct{}, limit time.Duration, waits func(what string)) error {
	d.machine.begin(toReady, round{})
	d.machine.ready = limit
	r := d.run(ctx)
	r.over, r.waits = or, waits
	return r.loop()
}

// Deliver implements driver.Driver: it types the text, and the answer is what the
// agent shows below it.
func (d *Driver) Deliver(ctx context.Context, t driver.Turn) driver.Outcome {
	err := d.deliver(ctx, t, t.Out(), t.Text())
	switch {
	case err == nil && d.machine.failed:
		return driver.Outcome{State: a2a.StateFailed, Text: d.machine.why}
	case err == nil || ctx.Err() != nil:
		return driver.Completed() // the runner sees how the context ended
	}
	o := driver.Failed(err)
	if refused := (*console.CommandError)(nil); errors.As(err, &refused) {
		o.State = a2a.StateRejected
	}
	return o
}

// Call implements driver.Driver: it types the call. A toolResult line answers it,
// or else what the agent says.
func (d *Driver) Call(ctx context.Context, t driver.Turn) (driver.CallResult, error) {
	text, err := driver.CallText(t.Call(), d.toolPrompt)
	if err != nil {
		return driver.CallResult{}, fmt.Errorf("the tool prompt: %w", err)
	}
	kept := &driver.Capture{Pass: t.Call().Output}
	if err = d.deliver(ctx, t, kept, text); err == nil && d.machine.failed {
		err = errors.New(d.machine.why)
	}
	for line := range strings.Lines(string(kept.Kept)) {
		if answer, ok := driver.ReadResult([]byte(line), t.Call().ID); ok {
			return answer, nil
		}
	}
	return kept.Result(), err
}

// deliver types the message and passes the answer on until it ends.
func (d *Driver) deliver(ctx context.Context, t driver.Turn, out driver.Out, text string) error {
	m := &d.machine
	m.begin(toDeliver, round{})
	m.phase = waiting
	body, stripped := console.TypedText(text)
	if stripped > 0 {
		t.Note("stripped", stripped)
	}
	body, err := m.escape(body)
	if err != nil {
		return err
	}
	if strings.TrimSpace(body) == "" {
		return errors.New("the message has no text that could be typed")
	}
	first, _, _ := strings.Cut(console.Trimmed(body), "\n")
	m.body, m.keys = body, console.Keys(d.people)
	m.page, m.unsure, m.guess = false, false, state.Verdict{}
	m.command = console.CheckCommands(m.agent, m.profile.CommandChars, []string{first}) != nil && m.commands
	err = d.turn(ctx, t, out).loop()
	d.note(t, err)
	if err != nil && ctx.Err() == nil && m.forget() {
		d.console.Relearn(m.profile)
	}
	return err
}

// note notes how the turn went.
func (d *Driver) note(t driver.Turn, err error) {
	if console.Keys(d.people) != d.machine.keys {
		t.Note("interleaved", true)
	}
	if how := d.console.Reports().Changed; how != "" && d.machine.phase.sent() {
		t.Note("changed", how)
	}
	d.console.Answered()
	v := d.console.Look().Verdict
	still := d.machine.guess
	if still.Source != "" && v.State == still.State {
		v = still
	}
	now := console.StateOf(v)
	now.FullScreen = d.machine.page
	t.Note("agentState", now)
	if from := d.machine.answerFrom(); err == nil && from != "" {
		t.Note("answerFrom", from)
	}
	if err == nil && (v.Inferred() || v.Source == sourceRest) {
		t.Note("inferred", true)
	}
}

// Ask puts the question that a program that reads lines asks now to the turn's
// caller, and types the answer. Meanwhile the answer to the turn goes to out. It returns the
// line that was typed, "" if an option was chosen.
func (d *Driver) Ask(ctx context.Context, t driver.Turn, out driver.Out) (reply string, err error) {
	d.machine.begin(toAsk, round{})
	err = d.turn(ctx, t, out).loop()
	reply, _ = d.machine.replyText()
	return reply, err
}

// Interrupt implements driver.Driver: it types the keys that stop the agent's turn,
// then waits until the agent is ready again. It empties the input if a message was
// typed and not sent, or if the agent has put it back there.
func (d *Driver) Interrupt(ctx context.Context) error {
	d.machine.again(toStop)
	return d.run(ctx).loop()
}

// Idle implements driver.Driver. If the agent still asks something though its turn
// is over, Idle declines it: some agents lose keys that come while a question
// appears, and nobody would ever answer the question.
func (d *Driver) Idle(ctx context.Context) error {
	d.machine.again(toIdle)
	return d.run(ctx).loop()
}
