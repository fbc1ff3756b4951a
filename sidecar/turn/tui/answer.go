package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// idleRule is the rule of an agent that says that it waits, and not that it is
	// done: somebody has stopped it.
	idleRule = "state=idle"
	// certain is the confidence of a verdict that the agent itself has given.
	certain = 0.9
)

// errUntaken says that the agent waits for a message, and that nothing shows that
// it got this one. What its screen shows is the answer to another message.
var errUntaken = errors.New("the agent did not take the message: it was typed and left the input, and then neither the agent's hooks nor its screen showed anything of it; it may be lost")

// round is one message or call on a screen: what was typed, and what has come of it
// so far. It belongs to the turn's goroutine.
type round struct {
	d   *Driver
	t   driver.Turn
	out driver.Out

	screen        term.Snapshot // before any of the message was typed
	before, stood entry         // the input at that time, and with the message
	rows          int           // how many rows the input has with the message
	ending        string        // the end of the message, as it may show on the screen
	typed         time.Time     // when the message was typed
	worked        bool          // the agent was seen at work on the message
	told          state.Verdict
	sent          time.Time // when its Enter was typed
	asked         time.Time // when the question at hand was seen
	message       string    // text of the question, if it cannot be read from the screen
	lines         bool      // the program reads lines
	command       bool      // the message is one of the agent's own commands, which no hook reports
	keys          uint64    // how many keys people had typed when the turn began

	reader *transcript.Reader // nil until something is typed
	said   []byte             // the answer that was passed on so far
	exact  bool               // the text that is passed on comes from a hook
	heard  string             // the last text of the answer that a hook reported

	failed bool // the agent said that the turn failed
	why    string
}

// run types the message and passes the answer on until it ends.
func (x *round) run(ctx context.Context, text string) error {
	body, stripped := typedText(text)
	if stripped > 0 {
		x.t.Note("stripped", stripped)
	}
	body, err := x.d.escape(body)
	if err != nil {
		return err
	}
	if strings.TrimSpace(body) == "" {
		return errors.New("the message has no text that could be typed")
	}
	first, _, _ := strings.Cut(console.Trimmed(body), "\n")
	x.command = console.CheckCommands(x.d.agent, x.d.profile.CommandChars, []string{first}) != nil && x.d.commands
	x.keys = x.d.keys()
	err = x.submit(ctx, body)
	if err == nil && x.d.stage == submitted {
		err = x.follow(ctx)
	}
	if x.shared() {
		x.t.Note("interleaved", true)
	}
	if how := x.d.console.Reports().Changed; how != "" && x.d.stage == submitted {
		x.t.Note("changed", how)
	}
	x.d.console.Answered()
	v := x.d.console.Look().Verdict
	x.t.Note("agentState", console.StateOf(v))
	if err == nil && v.Inferred() {
		x.t.Note("inferred", true)
	}
	return err
}

// shared reports whether people have typed since the turn began.
func (x *round) shared() bool { return x.d.keys() != x.keys }

// over reports whether the agent said that the turn is done.
func (x *round) over() bool { return x.t.Over().Err() != nil }

// listen begins to read the answer to a message that is about to be typed.
func (x *round) listen(s term.Snapshot, body string) {
	x.reader = transcript.NewReader(x.d.profile, body, x.d.console.Sent()...)
	x.reader.Begin(s)
}

// evidence notes whether the agent is seen at work on the message.
func (x *round) evidence(v console.Observation) {
	if s := v.Verdict; s.Source != state.SourceSubmit && (s.State == profile.Working || s.State == profile.Asking) {
		x.worked = true
	}
}

// follow passes the agent's answer on until its turn has ended.
func (x *round) follow(ctx context.Context) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		var due <-chan time.Time
		v := x.d.console.Look()
		x.evidence(v)
		x.tell(v.Verdict)
		if !x.silent(v) {
			x.read(v.Screen)
		}
		switch {
		case ctx.Err() != nil:
			x.finish(ctx, x.d.console.Snapshot()) // what was drawn before the end of ctx
			return context.Cause(ctx)
		case x.over():
			x.drawn(ctx)
			x.finish(ctx, x.d.console.Look().Screen)
			return nil
		case x.shared() && x.whole():
			// A turn that a person has typed meanwhile may start at once; it is not
			// ours.
			x.finish(ctx, v.Screen)
			return nil
		case v.Verdict.State == profile.Ready:
			if left := max(x.unbegun(v), x.untold(v)); left > 0 {
				timer.Reset(left)
				due = timer.C
				break
			}
			if x.lost(v) {
				return errUntaken
			}
			if x.end(ctx, v) {
				return nil
			}
			continue
		case asks(v.Verdict):
			if err := x.question(ctx, v); err != nil {
				return err
			}
			continue
		default:
			if left := x.d.redraw(ctx, v); left > 0 {
				timer.Reset(left)
				due = timer.C
			}
		}
		select {
		case <-v.Changed:
		case <-due:
		case <-x.t.Over().Done():
		case <-ctx.Done():
		}
	}
}

// whole reports whether a hook has reported the whole answer.
func (x *round) whole() bool {
	heard := x.d.console.Reports()
	return heard.Any && heard.Final
}

// unbegun returns how long to wait for an agent that looks ready, was not seen at
// work and has answered nothing. An agent that runs a command of its own may have
// nothing to show.
func (x *round) unbegun(v console.Observation) time.Duration {
	heard := x.d.console.Reports()
	if x.worked || x.d.commands || heard.Any || heard.Final || len(x.said) > 0 || v.Verdict.Confidence >= certain {
		return 0
	}
	limit := x.d.profile.Timing.BeginLimit
	if x.d.profile.Name == profile.GenericName {
		limit = x.d.quiet
	}
	left := limit - x.d.console.Now().Sub(x.sent)
	if left > 0 && x.reader.Final(x.history(v.Screen)) != "" {
		return 0
	}
	return left
}

// silent reports whether only the screen says anything about this turn, though the
// agent's hooks reported an earlier turn from its start to its end. The screen may
// then still show the earlier turn.
func (x *round) silent(v console.Observation) bool {
	heard := x.d.console.Reports()
	return heard.Turns && !heard.Begun && !heard.Any && !heard.Final && !x.command && v.Verdict.Confidence < certain
}

// untold returns how long to wait for a silent agent that looks ready.
func (x *round) untold(v console.Observation) time.Duration {
	if !x.silent(v) {
		return 0
	}
	now, ready := x.d.console.Now(), later(x.sent, v.Verdict.Since)
	return min(x.d.profile.Timing.UntoldHold-now.Sub(later(ready, v.Screen.Output)), x.d.profile.Timing.UntoldLimit-now.Sub(ready))
}

// lost reports whether the agent is silent and its screen does not show the message
// either.
func (x *round) lost(v console.Observation) bool {
	if !x.silent(v) {
		return false
	}
	x.reader.Final(x.history(v.Screen))
	return !x.reader.Found()
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// end takes the rest of the answer of an agent that is ready again. It returns
// false if the agent is not ready: it had paused, or has only begun.
func (x *round) end(ctx context.Context, v console.Observation) bool {
	if v.Verdict.Confidence >= certain {
		x.begun(ctx)
		x.drawn(ctx)
	}
	x.awaitReport(ctx)
	if v = x.d.console.Look(); v.Verdict.State != profile.Ready && !x.d.console.Reports().Final && !x.over() && ctx.Err() == nil {
		return false
	}
	x.finish(ctx, v.Screen)
	x.judge(v)
	if x.shared() && v.Verdict.Rule == idleRule && !x.d.console.Reports().Final {
		x.t.Note("interrupted", true)
	}
	return true
}

// judge notes whether the turn failed: the agent says so, or its screen shows it
// and nothing surer tells how the turn ended.
func (x *round) judge(v console.Observation) {
	shown, ok := x.reader.Failure(v.Screen)
	if !v.Verdict.Failed && (!ok || v.Verdict.Confidence >= certain || x.d.console.Reports().Final) {
		return
	}
	x.failed = true
	for _, why := range []string{v.Verdict.Message, shown, "the agent says that the turn failed"} {
		if x.why = console.PlainText(why); x.why != "" {
			break
		}
	}
}

// begun waits until the screen shows a part of an answer, and no longer shows the
// agent at work: on a busy machine, the agent's reports overtake what it draws.
func (x *round) begun(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, x.d.profile.Timing.LateLimit)
	defer cancel()
	_ = x.d.console.Until(ctx, func(v console.Observation) bool { // later text is not waited for
		if x.d.console.Reports().Final || x.over() || v.Verdict.State != profile.Ready || v.Verdict.Failed {
			return true
		}
		if m, ok := x.d.profile.Match(v.Screen); ok && m.State == profile.Working {
			return false
		}
		if len(x.said) > 0 || x.reader.Final(x.history(v.Screen)) != "" {
			return true
		}
		_, failed := x.reader.Failure(v.Screen)
		return failed
	})
}

// drawn waits until the screen is quiet.
func (x *round) drawn(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, x.d.profile.Timing.DrawLimit)
	defer cancel()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		v := x.d.console.Look()
		timer.Reset(x.d.profile.Timing.DrawHold)
		if heard := x.d.console.Reports(); heard.Final {
			return // its text is exact
		}
		select {
		case <-v.Changed:
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// awaitReport waits for the final report of a hook, if hooks have reported before
// or may report for the first time.
func (x *round) awaitReport(ctx context.Context) {
	if !x.d.console.Reports().Known && (!x.d.hooked || x.d.missed >= x.d.profile.Timing.MissedTurns) {
		return
	}
	wait, cancel := context.WithTimeout(ctx, x.d.profile.Timing.ReportLimit)
	defer cancel()
	final := false
	err := x.d.console.Until(wait, func(v console.Observation) bool {
		final = x.d.console.Reports().Final
		return final || v.Verdict.State != profile.Ready
	})
	switch {
	case final:
		x.d.missed = 0
	case err != nil && ctx.Err() == nil: // the screen's text is the answer
		x.d.missed++
	}
}

// read passes on the new part of the answer that will not change any more.
func (x *round) read(s term.Snapshot) {
	if heard := x.d.console.Reports(); heard.Any {
		if x.exact && heard.Text == x.heard {
			return
		}
		x.exact, x.heard = true, heard.Text
		if tail, replace := transcript.Reconcile(string(x.said), heard.Text); !replace {
			x.say(tail)
		}
		return
	}
	if x.exact {
		return
	}
	settled := x.reader.Read(x.history(s))
	if len(settled) > len(x.said) {
		x.say(settled[len(x.said):])
	}
}

// history returns the rows that the reader has not seen, and the screen below them.
func (x *round) history(s term.Snapshot) ([]term.Line, uint64, term.Snapshot) {
	rows, first := x.d.console.History(x.reader.Next())
	if end := first + uint64(len(rows)); end > s.Scrolled { // scrolled after s
		rows = rows[:max(0, len(rows)-int(end-s.Scrolled))]
	}
	return rows, first, s
}

// finish makes what was passed on the whole answer: the exact text of a hook if
// there is one, else the screen's text.
func (x *round) finish(ctx context.Context, s term.Snapshot) {
	heard := x.d.console.Reports()
	if !heard.Any {
		x.settle(x.reader.Final(x.history(s)))
		if x.reader.Missed() && len(x.said) > 0 {
			x.t.Note("truncated", true)
		}
		return
	}
	if ctx.Err() != nil && !heard.Final {
		return // a part of the answer is all there is
	}
	tail, replace := transcript.Reconcile(string(x.said), heard.Text)
	if !replace {
		x.say(tail)
		return
	}
	x.replace(tail)
}

// settle makes the screen's text the whole answer.
func (x *round) settle(text string) {
	switch rest, goesOn := strings.CutPrefix(text, string(x.said)); {
	case goesOn:
		x.say(rest)
	case text != "":
		x.replace(text)
	}
}

// replace passes on that the whole answer is this text.
func (x *round) replace(text string) {
	x.said = append(x.said[:0], text...)
	x.out.Replace(x.said)
}

// say passes text on.
func (x *round) say(text string) {
	if text == "" {
		return
	}
	x.said = append(x.said, text...)
	x.out.Write([]byte(text))
}

// tell keeps the agent's state in the task's metadata while the turn runs.
func (x *round) tell(v state.Verdict) {
	if old := x.told; old.State == v.State && old.Source == v.Source && old.Rule == v.Rule {
		return
	}
	x.told = v
	x.t.Task().SetMetadata("agentState", driver.JSON(console.StateOf(v)))
}
