package line

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/tui"
)

const (
	// echoTime is how long to wait for the echo of a line before its Enter is
	// typed.
	echoTime = 2 * time.Second
	// lateOutput is how long output that was written before a done may take to come
	// out of the terminal.
	lateOutput = 250 * time.Millisecond
)

// Driver types into a terminal whose program prints lines: it sees lines of text, a
// prompt at their end, or silence.
type Driver struct {
	term    console.TTY
	console *console.Console
	people  *tty.Arbiter // nil: nobody else can type
	buffer  *lineBuffer
	prompts prompts
	typed   bool        // some text of the turn has reached the agent
	served  bool        // the last turn ended by a line that answers a call: the program reads the next
	asker   *tui.Driver // puts the program's questions to the caller
	// takes reports whether the agent takes a message though it has no prompt; nil:
	// it never does.
	takes func() bool

	rhythm     rhythm        // how long it must be silent
	startQuiet time.Duration // Options.StartQuiet
	commands   bool          // the agent's command characters are allowed
	toolPrompt string
}

var _ driver.Live = (*Driver)(nil)

// Options configure New.
type Options struct {
	PromptPattern *regexp.Regexp // matches a prompt, which ends an answer, if the profile knows none
	StartQuiet    time.Duration  // silence after which a terminal without a prompt can be typed to
	Quiet         time.Duration  // silence after which its answer has ended, at least: it grows with the agent's pauses
	ToolPrompt    string         // puts calls in words; "": a line of JSON
	// AllowAgentCommands allows the agent's command characters.
	AllowAgentCommands bool
	// Takes reports whether the agent takes a message though it has no prompt; nil:
	// it never does.
	Takes func() bool
}

// New returns a driver for the program of a console. asker puts what the program
// asks to the caller.
func New(o Options, c *console.Console, asker *tui.Driver) *Driver {
	return &Driver{
		rhythm: newRhythm(o.Quiet, c.Profile.Timing),
		term:   c.TTY, console: c, asker: asker, buffer: newLineBuffer(c.Lines()), prompts: prompts{pattern: o.PromptPattern, profile: c.Profile},
		takes: o.Takes, startQuiet: o.StartQuiet, commands: o.AllowAgentCommands, toolPrompt: o.ToolPrompt,
	}
}

// Sit implements driver.Live.
func (d *Driver) Sit(p *tty.Arbiter) {
	d.people = p
	d.asker.Sit(p)
}

// Output implements driver.Live. It only waits while a turn is far behind: the output
// itself comes through the console's model of the screen.
func (d *Driver) Output([]byte) { d.buffer.wait() }

// Close implements driver.Driver.
func (d *Driver) Close() { d.buffer.close() }

// Ready implements driver.Live. It waits until the prompt is there, or until
// nothing has changed for startQuiet. A program that has a prompt is ready without
// it only if it has asked something else. A program that has answered a call with a
// line is ready at once.
func (d *Driver) Ready(ctx context.Context, or <-chan struct{}, limit time.Duration, _ func(string)) error {
	if d.served {
		return context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("the agent's terminal was not ready to be typed to within %s: no prompt, and no silence", limit))
	defer cancel()
	err := d.until(ctx, or, func(v term.Text) (time.Duration, bool) {
		if d.takes != nil && d.takes() {
			return 0, true
		}
		_, settle, stands := d.prompts.at(v.Current)
		switch d.asked(v) {
		case signalPending, signalWorking:
			return 0, false
		case signalReady:
			return settleSignal(stands), true
		}
		if stands {
			return settle, true
		}
		return d.startQuiet, d.waits(v)
	})
	if err == nil { // whatever stands there, a line may be typed behind it
		d.prompts.seen(d.buffer.look().Current)
	}
	return err
}

// Idle implements driver.Driver.
func (d *Driver) Idle(ctx context.Context) error {
	return d.until(ctx, nil, func(v term.Text) (time.Duration, bool) {
		_, settle, stands := d.prompts.at(v.Current)
		switch s := d.asked(v); {
		case s == signalPending:
			return 0, false
		case stands && s != signalWorking:
			return settle, true
		}
		return d.rhythm.quiet(v.Current), true
	})
}

// waits reports whether silence means that the agent waits for input: it has no
// prompt that could be missing, or it has written something on the current row, or
// it reads single keys (while it works, it would leave the terminal in line mode).
func (d *Driver) waits(v term.Text) bool {
	if !d.prompts.expected() || v.Current != "" {
		return true
	}
	mode, err := d.term.Mode()
	return err == nil && !mode.Canonical
}

// until waits until the terminal has been still for as long as judge wants. judge
// is called at each change, and returns false if being still means nothing now.
// also ends the wait early, without an error.
func (d *Driver) until(ctx context.Context, also <-chan struct{}, judge func(term.Text) (time.Duration, bool)) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		told := d.console.Look().Changed
		v := d.buffer.look()
		still, means := judge(v)
		left := still - time.Since(v.Output)
		if means && left <= 0 {
			return nil
		}
		timer.Stop()
		var expired <-chan time.Time
		if means {
			timer.Reset(left)
			expired = timer.C
		}
		select {
		case <-v.Changed:
		case <-told:
		case <-expired:
		case <-also:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Interrupt implements driver.Driver: it types one Ctrl-C, then waits for the
// prompt or silence. If nothing was typed to the agent yet, it does nothing, and a
// person's line stays too.
func (d *Driver) Interrupt(ctx context.Context) error {
	if !d.typed {
		return nil
	}
	before := d.buffer.look().Changed
	if _, err := d.console.Type(ctx, string(rune(console.CtrlC))); err != nil {
		return err
	}
	if d.overdrawn() { // such a program may ignore the key
		d.closeScreen(ctx)
		return d.Idle(ctx)
	}
	select {
	case <-before:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	d.closeScreen(ctx)
	return d.Idle(ctx)
}

// Deliver implements driver.Driver: it types the text line by line, and the answer
// is what the agent prints after it.
func (d *Driver) Deliver(ctx context.Context, t driver.Turn) driver.Outcome {
	e := d.begin(t, t.Out())
	err := d.exchange(ctx, e, t.Text())
	if e.inferred {
		t.Note("inferred", true)
	}
	if err == nil {
		t.Note("agentState", e.state)
	}
	if err == nil || ctx.Err() != nil {
		return driver.Completed() // the runner sees how the context ended
	}
	o := driver.Failed(err)
	if refused := (*console.CommandError)(nil); errors.As(err, &refused) {
		o.State = a2a.StateRejected
	}
	return o
}

// Call implements driver.Driver: it types the call. A toolResult line answers it,
// or else what the agent prints.
func (d *Driver) Call(ctx context.Context, t driver.Turn) (driver.CallResult, error) {
	text, err := driver.CallText(t.Call(), d.toolPrompt)
	if err != nil {
		return driver.CallResult{}, fmt.Errorf("the tool prompt: %w", err)
	}
	var answer driver.CallResult
	answered := false
	kept := &driver.Capture{Pass: t.Call().Output}
	e := d.begin(t, kept)
	e.ends = func(row string) bool {
		answer, answered = driver.ReadResult([]byte(row), t.Call().ID)
		return answered
	}
	err = d.exchange(ctx, e, text)
	if answered {
		d.served = true
		return answer, nil
	}
	return kept.Result(), err
}

// begin returns an exchange whose answer goes to out.
func (d *Driver) begin(t driver.Turn, out driver.Out) *exchange {
	d.typed, d.served = false, false
	return &exchange{d: d, t: t, out: out, echo: echo{prompts: &d.prompts}}
}

// exchange types a text and reads until the answer has ended.
func (d *Driver) exchange(ctx context.Context, e *exchange, text string) error {
	typed, stripped := console.TypedText(text)
	lines := strings.Split(typed, "\n")
	if stripped > 0 {
		e.t.Note("stripped", stripped)
	}
	if err := d.check(lines); err != nil {
		return err
	}
	defer d.buffer.ignore()
	keys := d.keys()
	err := e.run(ctx, lines)
	if d.keys() != keys {
		e.t.Note("interleaved", true)
	}
	return err
}

// check returns an error if a line must not be typed. It is called before anything
// is typed.
func (d *Driver) check(lines []string) error {
	if !d.commands {
		if err := console.CheckCommands(d.console.Profile.Name, d.console.Profile.CommandChars, lines); err != nil {
			return err
		}
	}
	mode, err := d.term.Mode()
	if err != nil {
		return err
	}
	if mode.Canonical {
		return console.CheckLength(lines)
	}
	return nil
}

// keys returns how many keys people have typed.
func (d *Driver) keys() uint64 { return console.Keys(d.people) }

// alone runs fn while no person is in the middle of a line.
func (d *Driver) alone(ctx context.Context, t driver.Turn, fn func() error) error {
	return console.Alone(ctx, d.people, t, d.line, fn)
}
