package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Driver speaks to an agent that draws its screen: an input to type into, an answer
// that is redrawn as it grows, questions with options. The console knows what the
// agent is doing; the driver decides what to type, and when.
type Driver struct {
	console *console.Console
	tty     console.TTY
	people  *tty.Arbiter // nil: nobody else can type
	profile *profile.Profile
	hooked  bool // the agent was started so that it reports

	agent      string        // the agent's name, for messages to clients
	commands   bool          // the agent's command characters are allowed
	toolPrompt string        // puts calls in words; "": a line of JSON
	ready      time.Duration // Options.ReadyTimeout
	quiet      time.Duration // Options.Quiet
	ask        time.Duration // Options.AskTimeout
	headless   bool          // nobody can answer

	at      *round    // the current message
	stage   stage     // how far the current message has come
	echoing *round    // its message was typed, not sent, and may not be in the input yet
	cut     bool      // a paste was begun, and its end was not typed
	cleared time.Time // when the keys that empty the input were last typed
	missed  int       // turns in a row whose exact text no hook reported

	redrawn time.Time // when the agent was last made to draw its screen anew
}

// stage is how far a message has come.
type stage int

const (
	untyped   stage = iota // nothing of it has reached the agent
	typing                 // a part or all of it stands in the input
	submitted              // its Enter was typed
)

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
	return &Driver{
		console: c, tty: c.TTY, profile: c.Profile, hooked: o.Hooked,
		agent: c.Profile.Name, commands: o.AllowAgentCommands, toolPrompt: o.ToolPrompt,
		ready: o.ReadyTimeout, quiet: o.Quiet, ask: o.AskTimeout, headless: o.Headless,
	}
}

// Output implements driver.Live. It does nothing: the console gets the output too.
func (d *Driver) Output([]byte) {}

// Resize implements driver.Live. It does nothing: the console gets the size too.
func (d *Driver) Resize(tty.Size) {}

// Sit implements driver.Live.
func (d *Driver) Sit(p *tty.Arbiter) { d.people = p }

// Close implements driver.Driver.
func (d *Driver) Close() {}

// showsWork reports whether the screen still shows a turn that the agent says is
// over. Text that is typed at that time may be lost, or its Enter may become a part
// of it.
func (d *Driver) showsWork(v console.Observation) bool {
	m, ok := d.profile.Match(v.Screen)
	return ok && m.State == profile.Working && d.console.Now().Sub(v.Verdict.Since) < d.profile.Timing.StaleWork
}

// takesText reports whether a message can be typed now.
func (d *Driver) takesText(v console.Observation) bool {
	if v.Verdict.State != profile.Ready {
		return false
	}
	text, ok := d.profile.Input(v.Screen)
	switch {
	case d.showsWork(v):
		return false
	case d.profile.Submit.Paste && !v.Screen.Modes.BracketedPaste && d.console.Now().Sub(v.Verdict.Since) < d.profile.Timing.PasteMode:
		return false
	case !ok:
		return !d.boxed()
	case text != "" && console.Occupied(d.people):
		return false // somebody's draft
	}
	return true
}

// drafted reports whether a person at the terminal has begun a message.
func (d *Driver) drafted(v console.Observation) bool {
	text, ok := d.profile.Input(v.Screen)
	return v.Verdict.State == profile.Ready && ok && text != "" && console.Occupied(d.people)
}

// boxed reports whether the profile knows where messages are typed.
func (d *Driver) boxed() bool { return d.profile.Prompt.Row != nil || d.profile.Prompt.Cursor }

// Ready implements driver.Live. It waits until the agent takes a message and
// nothing is in the way. It waits for a person at the terminal without a limit, and
// reports that wait by waits.
func (d *Driver) Ready(ctx context.Context, or <-chan struct{}, limit time.Duration, waits func(what string)) error {
	if d.console.Untypable != "" {
		return errors.New(d.console.Untypable + "; nothing was typed")
	}
	defer waits("")
	timer := time.NewTimer(limit)
	defer timer.Stop()
	began, since := d.console.Now(), time.Time{} // start of the limit, and of a wait for a person
	for {
		v := d.console.Look()
		now := d.console.Now()
		if d.takesText(v) {
			return nil
		}
		if closed, err := d.dismiss(ctx, v); err != nil {
			return err
		} else if closed && now.Sub(began) < limit {
			continue
		}
		left := limit - now.Sub(began)
		if what := d.person(v); what == "" {
			since = time.Time{}
			waits("")
		} else {
			began, since, left = now, first(since, now), limit
			if more := console.TellTime - now.Sub(since); more > 0 {
				left = more
			} else {
				waits(what)
			}
		}
		if left <= 0 {
			return d.notReady(v, limit)
		}
		if v.Verdict.State == profile.Ready {
			left = min(left, d.profile.Timing.PasteMode)
		}
		if due := d.redraw(ctx, v); due > 0 {
			left = min(left, due)
		}
		timer.Reset(left)
		select {
		case <-v.Changed:
		case <-timer.C:
		case <-or:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// person returns what a person at the agent's terminal uses it for, "" if nothing.
func (d *Driver) person(v console.Observation) string {
	switch {
	case !console.Occupied(d.people):
		return ""
	case d.drafted(v):
		return console.LineOfPerson
	case v.Verdict.State == profile.Working && v.Verdict.Source != state.SourceSubmit:
		return console.TurnOfPerson
	}
	return ""
}

// first returns a, or b if a is zero.
func first(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return a
}

// notReady returns an error that says what is in the way.
func (d *Driver) notReady(v console.Observation, limit time.Duration) error {
	why := ""
	switch v.Verdict.State {
	case profile.Dialogue, profile.Asking:
		why = "a dialog is open"
		if v.Verdict.Message != "" {
			why += ": " + firstLine(v.Verdict.Message)
		} else if v.Verdict.Rule != "" {
			why += ": " + v.Verdict.Rule
		}
		if m, ok := d.profile.Match(v.Screen); ok && m.Hint != "" {
			why += " (" + m.Hint + ")"
		}
	case profile.Working:
		why = "it is at work"
	case profile.Ready:
		why = "its input holds text already"
		if _, ok := d.profile.Input(v.Screen); !ok {
			why = "its input is not on the screen"
		}
	default:
		why = "nothing on its screen says that it waits for a message"
		if last := console.LastRow(v.Screen); last != "" {
			why += "; the last row is " + fmt.Sprintf("%.80q", last)
		}
	}
	return fmt.Errorf("the agent's terminal was not ready to be typed to within %s: %s; nothing was typed", limit, why)
}

// firstLine returns the first line of what an agent said, as plain text.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return console.PlainText(s)
}

// Interrupt implements driver.Driver: it types the keys that stop the agent's turn,
// then waits until the agent is ready again. It empties the input if a message was
// typed and not sent, or if the agent has put it back there.
func (d *Driver) Interrupt(ctx context.Context) error {
	switch d.stage {
	case untyped:
		return nil
	case typing:
		return d.clear(ctx)
	}
	d.console.Within(ctx, d.profile.Timing.StopDelay, func(v console.Observation) bool { return v.Verdict.State == profile.Ready || d.at.left(v) })
	if d.console.Look().Verdict.State != profile.Ready {
		if err := d.halt(ctx); err != nil {
			return err
		}
	}
	if err := d.Idle(ctx); err != nil {
		return err
	}
	return d.takeBack(ctx)
}

// interruptKeys returns the keys that stop the agent's turn.
func (d *Driver) interruptKeys() []string {
	if len(d.profile.Interrupt) == 0 {
		return []string{string(rune(console.CtrlC))}
	}
	return d.profile.Interrupt
}

// press types keys, each as a write of its own: some programs take several keys in
// one write for text. The screen gets KeyGap to show each key before the next one.
// A key too soon after an Esc would make another key of both.
func (d *Driver) press(ctx context.Context, keys []string) error {
	return d.pressEach(ctx, keys, d.profile.Timing.KeyGap, func(console.Observation) bool { return true })
}

// pressWhile is press for keys that belong to something on the screen: no key is
// typed once that has gone. A redraw may hide it for a moment.
func (d *Driver) pressWhile(ctx context.Context, keys []string, there func(console.Observation) bool) error {
	return d.pressEach(ctx, keys, d.profile.Timing.AnswerGap, there)
}

func (d *Driver) pressEach(ctx context.Context, keys []string, gap time.Duration, there func(console.Observation) bool) error {
	for i, key := range keys {
		if !there(d.console.Look()) {
			if i == 0 || !d.comesBack(ctx, there) {
				return nil
			}
		}
		v := d.console.Look()
		if err := d.write(ctx, key); err != nil {
			return err
		}
		if i == len(keys)-1 {
			break
		}
		timer := time.NewTimer(gap)
		shown := v.Changed
		if key == "\x1b" {
			shown = nil
			timer.Reset(d.profile.Timing.KeyGap)
		}
		select {
		case <-shown:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// comesBack waits at most GoneHold, and reports whether it is on the screen again.
func (d *Driver) comesBack(ctx context.Context, there func(console.Observation) bool) bool {
	d.console.Within(ctx, d.profile.Timing.GoneHold, there)
	return ctx.Err() == nil && there(d.console.Look())
}

// write types s.
func (d *Driver) write(ctx context.Context, s string) error {
	_, err := d.tty.WriteContext(ctx, []byte(s))
	if err == nil {
		d.console.Typed(s)
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("the terminal takes no more input: %w", err)
}

// Deliver implements driver.Driver: it types the text, and the answer is what the
// agent shows below it.
func (d *Driver) Deliver(ctx context.Context, t driver.Turn) driver.Outcome {
	x := d.begin(t, t.Out())
	err := x.run(ctx, t.Text())
	switch {
	case err == nil && x.failed:
		return driver.Outcome{State: a2a.StateFailed, Text: x.why}
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
	x := d.begin(t, kept)
	if err = x.run(ctx, text); err == nil && x.failed {
		err = errors.New(x.why)
	}
	for line := range strings.Lines(string(kept.Kept)) {
		if answer, ok := driver.ReadResult([]byte(line), t.Call().ID); ok {
			return answer, nil
		}
	}
	return kept.Result(), err
}

// begin returns a round whose answer goes to out.
func (d *Driver) begin(t driver.Turn, out driver.Out) *round {
	d.stage, d.at = untyped, &round{d: d, t: t, out: out}
	return d.at
}

// keys returns how many keys people have typed.
func (d *Driver) keys() uint64 { return console.Keys(d.people) }

// alone runs fn while no person is in the middle of a line.
func (d *Driver) alone(ctx context.Context, t driver.Turn, fn func() error) error {
	return console.Alone(ctx, d.people, t, d.line, fn)
}

// line reports how far the line in the agent's input has come.
func (d *Driver) line() (tty.Line, time.Time, <-chan struct{}) {
	v := d.console.Look()
	return console.InputLine(d.profile, v), v.Screen.Output, v.Changed
}
