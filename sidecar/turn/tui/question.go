package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// goneTime is how long a question must be off the screen to be withdrawn: a
	// redraw may hide it for a moment.
	goneTime = 250 * time.Millisecond
	// takenTime is how long the agent may take to show that it has taken an
	// answer.
	takenTime = 5 * time.Second
	// readTime is how long a question must have stood on the screen before it is
	// answered: some agents ignore keys that come sooner, as a person's who was
	// typing something else.
	readTime = 600 * time.Millisecond
)

// errVanished withdraws a question that is on the screen no more: somebody at
// the terminal has answered it, or the agent has changed its mind.
var errVanished = errors.New("the question is not on the agent's screen any more")

// errNotTaken: the keys of an answer changed nothing.
var errNotTaken = errors.New("the agent did not take the answer to its question within " + takenTime.String())

// Ask puts what a program that reads lines asks now to the turn's caller, and
// types the answer. The answer to the turn goes to out meanwhile.
func (d *Driver) Ask(ctx context.Context, t driver.Turn, out driver.Out) error {
	x := &round{d: d, t: t, out: out, lines: true}
	return x.question(ctx, d.console.Look())
}

// question hands what the agent asks to the task's client, and types the
// answer.
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

// unread waits while the agent asks something that cannot be read: by a hook's
// word before it is drawn, or in a form that nobody knows. A person may answer.
// The caller can only cancel it, unless it is a line that is awaited: what looks
// like a no may be a yes there, or press the button that is marked.
func (x *round) unread(ctx context.Context, v console.Observation) error {
	if !awaitsLine(v.Verdict) { // it is drawn by now
		wait, cancel := context.WithTimeout(ctx, takenTime)
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

// asks reports whether the agent waits for somebody in the middle of a turn. In a
// dialog of its own it does as well.
func asks(v state.Verdict) bool { return v.State == profile.Asking || v.State == profile.Dialogue }

// awaitsLine reports whether the terminal itself shows that a line is awaited.
func awaitsLine(v state.Verdict) bool {
	return v.Source == state.SourceReadline || v.Source == state.SourceQuiet
}

// takesReply reports whether what the agent asks is answered by a line of text:
// of a program that reads lines.
func (x *round) takesReply(v state.Verdict) bool {
	if awaitsLine(v) {
		return true
	}
	mode, err := x.d.tty.Mode()
	return x.lines && err == nil && (mode.Canonical || v.Kind == profile.KindQuestion)
}

// same reports whether the question is on the screen.
func (x *round) same(v console.Observation, q *profile.Question) bool {
	now, ok := x.d.profile.Question(v.Screen)
	if q.ID == "" { // one that cannot be read
		return !ok && asks(v.Verdict) && v.Verdict.Message == x.message && (!secret(v.Verdict) || x.unseen())
	}
	return ok && now.ID == q.ID
}

// put asks the task's client, and withdraws the question when it is on the
// screen no more.
func (x *round) put(ctx context.Context, q *profile.Question, v state.Verdict) (task.Answer, error) {
	if x.d.headless {
		if !console.Occupied(x.d.people) {
			return task.Answer{}, errNobody
		}
		x.gone(ctx, q) // who sits there answers
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

// errNobody: there is nobody to decide.
var errNobody = errors.New("nobody can answer: the sidecar runs with --headless")

// asked is a question as the task's client gets it.
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

// gone waits until the question is off the screen for good, and reports false
// when ctx ends before.
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
			left := goneTime - now.Sub(since)
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

// undecided does what is safe when nobody has decided.
func (x *round) undecided(ctx context.Context, q *profile.Question, why error) error {
	x.t.Note("undecided", why.Error())
	if err := x.answer(ctx, q, x.safely); !errors.Is(err, errVanished) {
		return err
	}
	return nil
}

// choose types the keys of an option while the question they are for is there.
func (x *round) choose(ctx context.Context, q *profile.Question, id string) error {
	return x.beaten(x.answer(ctx, q, func(now *profile.Question) []string {
		for _, o := range now.Options {
			if o.ID == id {
				return o.Keys
			}
		}
		return x.safely(now) // there is none such: it was not read as it is now
	}))
}

// safely are the keys that decline.
func (x *round) safely(q *profile.Question) []string {
	if safe, ok := q.Safe(); ok {
		return safe.Keys
	}
	return x.d.interruptKeys()
}

// answer types keys that are chosen by the question as it stands there now: a
// person may have moved its marker.
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

// readable waits until the question has stood for readTime, and reports whether
// it is there then.
func (x *round) readable(ctx context.Context, q *profile.Question) bool {
	wait, cancel := context.WithTimeout(ctx, readTime-x.d.console.Now().Sub(x.asked))
	defer cancel()
	_ = x.d.console.Until(wait, func(v console.Observation) bool { return !x.same(v, q) }) // gone, or time
	return ctx.Err() == nil && x.same(x.d.console.Look(), q)
}

// reply types a free answer: of a line in the terminal's own line mode, all at
// once. Only a secret may be what the program would run as a command.
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
			x.drawn(ctx) // it may stay, and is asked about again
			return nil
		}
		return x.taken(ctx, q)
	}))
}

// taken waits until the question has left the screen.
func (x *round) taken(ctx context.Context, q *profile.Question) error {
	wait, cancel := context.WithTimeout(ctx, takenTime)
	defer cancel()
	err := x.d.console.Until(wait, func(v console.Observation) bool { return !x.same(v, q) || x.over() })
	if err == nil || ctx.Err() != nil {
		x.dropLate()
		return nil
	}
	return errors.Join(errNotTaken, x.withdraw(ctx, q))
}

// withdraw takes a question away that cannot be answered: the agent would wait
// for ever.
func (x *round) withdraw(ctx context.Context, q *profile.Question) error {
	return x.d.pressWhile(ctx, x.safely(q), func(v console.Observation) bool { return x.same(v, q) })
}
