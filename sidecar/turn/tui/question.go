package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// errVanished withdraws a question that is no longer on the screen: somebody at the
// terminal has answered it, or the agent has withdrawn it.
var errVanished = errors.New("the question is not on the agent's screen any more")

// notTaken says that the keys of an answer changed nothing.
func (d *Driver) notTaken() error {
	return fmt.Errorf("the agent did not take the answer to its question within %s", d.profile.Timing.TakenLimit)
}

// Ask puts the question that a program that reads lines asks now to the turn's
// caller, and types the answer. Meanwhile the answer to the turn goes to out.
func (d *Driver) Ask(ctx context.Context, t driver.Turn, out driver.Out) error {
	x := &round{d: d, t: t, out: out, lines: true}
	return x.question(ctx, d.console.Look())
}

// question puts what the agent asks to the task's client, and types the answer.
func (x *round) question(ctx context.Context, v console.Observation) error {
	if closed, err := x.d.dismiss(ctx, v); closed || err != nil {
		return err
	}
	q, ok := x.d.profile.Question(v.Screen)
	if !ok {
		return x.unread(ctx, v)
	}
	x.asked = x.d.console.Now()
	a, err := x.put(ctx, q, v.Verdict)
	switch {
	case errors.Is(err, errVanished):
		return nil
	case ctx.Err() != nil:
		return nil // follow sees it
	case err != nil:
		return x.undecided(ctx, q, err)
	}
	return x.choose(ctx, q, a.OptionID)
}

// unread handles a question that cannot be read: a hook reported it before it was
// drawn, or its form is unknown. A person at the terminal may answer it. The caller
// can only cancel it, because what looks like a no may be a yes in that form, or
// press the selected button. Only if a line of text is awaited may the caller type
// one.
func (x *round) unread(ctx context.Context, v console.Observation) error {
	if !awaitsLine(v.Verdict) { // a question that awaits a line is already drawn
		wait, cancel := context.WithTimeout(ctx, x.d.profile.Timing.TakenLimit)
		err := x.d.console.Until(wait, func(now console.Observation) bool {
			_, ok := x.d.profile.Question(now.Screen)
			return ok || !asks(now.Verdict) || x.over()
		})
		cancel()
		if err == nil || ctx.Err() != nil {
			return nil
		}
	}
	unknown := &profile.Question{Kind: v.Verdict.Kind, Text: v.Verdict.Message}
	if unknown.Text == "" {
		unknown.Text = "the agent asks something on its screen:\n" + v.Screen.Text()
	}
	if console.FullScreen(v.Verdict) {
		unknown.Text += "\n(A full-screen program has the terminal: what is answered here is typed there, with Enter.)"
	}
	free := x.takesReply(v.Verdict)
	if !free {
		unknown.Text += "\n(What the agent asks cannot be read from its screen: it can be cancelled here, or answered at its terminal.)"
		unknown.Options = []profile.Option{{ID: "cancel", Label: "Cancel", Kind: profile.RejectOnce, Keys: x.d.interruptKeys()}}
	}
	x.asked, x.message = x.d.console.Now(), v.Verdict.Message
	a, err := x.put(ctx, unknown, v.Verdict)
	switch {
	case errors.Is(err, errVanished), ctx.Err() != nil:
		return nil
	case err != nil:
		return x.undecided(ctx, unknown, err)
	case free:
		return x.reply(ctx, unknown, v.Verdict, a.Text)
	}
	return x.choose(ctx, unknown, a.OptionID)
}

// asks reports whether the agent waits for somebody in the middle of a turn, or in
// a dialog of its own.
func asks(v state.Verdict) bool { return v.State == profile.Asking || v.State == profile.Dialogue }

// awaitsLine reports whether the terminal itself shows that a line is awaited.
func awaitsLine(v state.Verdict) bool {
	return v.Source == state.SourceReadline || v.Source == state.SourceQuiet
}

// takesReply reports whether a line of text answers what the agent asks: if the
// terminal awaits a line, and for some questions of a program that reads lines.
func (x *round) takesReply(v state.Verdict) bool {
	if awaitsLine(v) {
		return true
	}
	mode, err := x.d.tty.Mode()
	return x.lines && err == nil && (mode.Canonical || v.Kind == profile.KindQuestion)
}

// same reports whether the question is still on the screen.
func (x *round) same(v console.Observation, q *profile.Question) bool {
	now, ok := x.d.profile.Question(v.Screen)
	if q.ID == "" { // one that cannot be read
		return !ok && asks(v.Verdict) && v.Verdict.Message == x.message && (!secret(v.Verdict) || x.unseen())
	}
	return ok && now.ID == q.ID
}

// put asks the task's client, and withdraws the question if it disappears from the
// screen.
func (x *round) put(ctx context.Context, q *profile.Question, v state.Verdict) (task.Answer, error) {
	if x.d.headless {
		if !console.Occupied(x.d.people) {
			return task.Answer{}, errNobody
		}
		x.gone(ctx, q) // the person at the terminal answers
		return task.Answer{}, errVanished
	}
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	type answered struct {
		task.Answer
		err error
	}
	answers := make(chan answered, 1)
	go func() { // waited for below
		a, err := x.t.Task().Ask(asking, asked(q, v, x.d.ask))
		answers <- answered{a, err}
	}()
	watch, stop := context.WithCancel(asking)
	var watching = make(chan struct{})
	go func() { // waited for below
		defer close(watching)
		if x.gone(watch, q) {
			cancel(errVanished)
		}
	}()
	a := <-answers
	stop()
	<-watching
	return a.Answer, a.err
}

// errNobody says that nobody is there to decide.
var errNobody = errors.New("nobody can answer: the sidecar runs with --headless")

// asked returns a question in the form that the task's client gets.
func asked(q *profile.Question, v state.Verdict, timeout time.Duration) task.Question {
	state, kind := a2a.StateInputRequired, q.Kind
	if kind == "" || v.Kind == profile.KindAuth {
		kind = v.Kind
	}
	if kind == profile.KindPermission || kind == profile.KindAuth {
		state = a2a.StateAuthRequired
	}
	options := make([]task.Option, len(q.Options))
	for i, o := range q.Options {
		options[i] = task.Option{ID: o.ID, Label: console.PlainText(o.Label), Kind: o.Kind}
	}
	return task.Question{Text: console.PlainText(q.Text), Detail: console.PlainText(q.Detail), Options: options, State: state, Timeout: timeout}
}

// gone waits until the question is off the screen for GoneHold, or the turn is
// over. It returns false if ctx ends before.
func (x *round) gone(ctx context.Context, q *profile.Question) bool {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var since time.Time
	for {
		v, now := x.d.console.Look(), x.d.console.Now()
		timer.Stop()
		var due <-chan time.Time
		if x.same(v, q) {
			since = time.Time{}
		} else {
			if since.IsZero() {
				since = now
			}
			left := x.d.profile.Timing.GoneHold - now.Sub(since)
			if left <= 0 {
				return true
			}
			timer.Reset(left)
			due = timer.C
		}
		select {
		case <-v.Changed:
		case <-due:
		case <-x.t.Over().Done():
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// undecided types the safe answer if nobody has decided.
func (x *round) undecided(ctx context.Context, q *profile.Question, why error) error {
	x.t.Note("undecided", why.Error())
	if err := x.answer(ctx, q, x.safely); !errors.Is(err, errVanished) {
		return err
	}
	return nil
}

// choose types the keys of an option while its question is on the screen.
func (x *round) choose(ctx context.Context, q *profile.Question, id string) error {
	return x.beaten(x.answer(ctx, q, func(now *profile.Question) []string {
		for _, o := range now.Options {
			if o.ID == id {
				return o.Keys
			}
		}
		return x.safely(now) // the option does not exist: the question was read differently
	}))
}

// safely returns the keys that decline.
func (x *round) safely(q *profile.Question) []string {
	if safe, ok := q.Safe(); ok {
		return safe.Keys
	}
	return x.d.interruptKeys()
}

// answer types the keys that choose returns for the question as it is on the screen
// now: a person may have moved its marker.
func (x *round) answer(ctx context.Context, q *profile.Question, choose func(*profile.Question) []string) error {
	return x.first(ctx, q, x.unlined(q), func() error {
		if !x.readable(ctx, q) {
			return errVanished
		}
		now := q
		if read, ok := x.d.profile.Question(x.d.console.Look().Screen); ok && q.ID != "" && read.ID == q.ID {
			now = read
		}
		if err := x.d.pressWhile(ctx, choose(now), func(v console.Observation) bool { return x.same(v, q) }); err != nil {
			return err
		}
		return x.taken(ctx, q)
	})
}

// readable waits until the question has been on the screen for ReadHold, and
// reports whether it is still there.
func (x *round) readable(ctx context.Context, q *profile.Question) bool {
	wait, cancel := context.WithTimeout(ctx, x.d.profile.Timing.ReadHold-x.d.console.Now().Sub(x.asked))
	defer cancel()
	_ = x.d.console.Until(wait, func(v console.Observation) bool { return !x.same(v, q) }) // it is gone, or time is up
	return ctx.Err() == nil && x.same(x.d.console.Look(), q)
}

// reply types a free answer. In the terminal's own line mode, it types the text and
// Enter at once. Only a secret may be text that the program would run as a command.
func (x *round) reply(ctx context.Context, q *profile.Question, v state.Verdict, text string) error {
	text, stripped := typedText(text)
	if stripped > 0 {
		x.t.Note("stripped", stripped)
	}
	text = strings.ReplaceAll(text, "\n", " ")
	if v.Kind != profile.KindAuth && !x.d.commands {
		if err := console.CheckCommands(x.d.agent, x.d.profile.CommandChars, []string{text}); err != nil {
			return errors.Join(err, x.withdraw(ctx, q))
		}
	}
	return x.beaten(x.first(ctx, q, x.d.line, func() error {
		if !x.readable(ctx, q) {
			return errVanished
		}
		before := x.d.console.Look().Screen
		mode, err := x.d.tty.Mode()
		switch {
		case err != nil:
			return err
		case mode.Canonical:
			if err := console.CheckLength([]string{text}); err != nil {
				return errors.Join(err, x.withdraw(ctx, q))
			}
			err = x.d.write(ctx, text+x.d.enterKey())
		default:
			if err = x.d.write(ctx, text); err != nil {
				return err
			}
			x.drawn(ctx)
			if !x.same(x.d.console.Look(), q) {
				return nil
			}
			err = x.d.write(ctx, x.d.enterKey())
		}
		if err != nil {
			return err
		}
		switch {
		case secret(v):
			return x.swallowed(ctx, q, before)
		case console.FullScreen(v):
			x.drawn(ctx) // the screen may stay, and then is asked about again
			return nil
		}
		return x.taken(ctx, q)
	}))
}

// taken waits until the question has left the screen.
func (x *round) taken(ctx context.Context, q *profile.Question) error {
	wait, cancel := context.WithTimeout(ctx, x.d.profile.Timing.TakenLimit)
	defer cancel()
	err := x.d.console.Until(wait, func(v console.Observation) bool { return !x.same(v, q) || x.over() })
	if err == nil || ctx.Err() != nil {
		x.dropLate()
		return nil
	}
	return errors.Join(x.d.notTaken(), x.withdraw(ctx, q))
}

// withdraw declines a question that cannot be answered: the agent would wait
// forever.
func (x *round) withdraw(ctx context.Context, q *profile.Question) error {
	return x.d.pressWhile(ctx, x.safely(q), func(v console.Observation) bool { return x.same(v, q) })
}
