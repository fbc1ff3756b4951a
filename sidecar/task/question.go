package task

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Question is what a task asks its client. Without Options any text answers it.
// Detail is what the question is about, such as a command. State is input-required
// or auth-required; "" means input-required. Timeout 0 means no timeout.
//
// Parts are shown after the text. Metadata and Extensions are those of the message
// that asks.
//
// Accept, if it is set, reads the client's message instead of what Options and Text say:
// it returns the answer, or an error for the client, and then the question stays open. It
// is called by whoever brings the message, and must return soon. Plain says that the answer grants
// nothing, although Accept reads it: AnswerQuestion may bring it.
type Question struct {
	Text       string
	Detail     string
	Parts      []a2a.Part
	Options    []Option
	State      a2a.TaskState
	Timeout    time.Duration
	Metadata   a2a.Metadata
	Extensions []string
	Accept     func(m *a2a.Message) (Answer, error)
	Plain      bool
	// Secret says that the answer is a secret: it is handed over, and the task keeps SecretKept in its place.
	Secret bool
}

// SecretKept is what a task's history and its store have in place of an answer that is a secret.
const SecretKept = "(a secret, which is not kept)"

// kept returns the message of an answer as the task keeps it.
func (q *question) kept(m *a2a.Message) *a2a.Message {
	if !q.Secret {
		return m
	}
	without := *m
	without.Parts, without.Metadata = []a2a.Part{a2a.TextPart(SecretKept)}, nil
	return &without
}

// Option is one allowed answer. If Label is "", the ID is shown. Kind says what
// choosing it means: allow_once, allow_always, reject_once, reject_always or other;
// "" means that nothing is known. Key, if there is one, is what a person would type for the
// option where the question is asked; it chooses the option, too.
type Option struct{ ID, Label, Kind, Key string }

// Answer is the text that somebody sent; if the question had options, it is the
// label of the chosen one (its ID if it has no label) and its ID. Message is all
// that was sent, nil if there is no answer; it must not be changed.
type Answer struct {
	Text, OptionID string
	Message        *a2a.Message
}

// question is an open question. The goroutine that takes it out of the task sets
// answer or err and then closes ended.
type question struct {
	Question
	id     string // of the message that asks
	ended  chan struct{}
	answer Answer
	err    error
}

// Ask publishes the question as the task's state, waits for the answer, and sets the
// state back to working. The question becomes part of the history.
//
// The errors are ErrQuestionOpen, ErrTimeout, ErrFinished, and the cause of the end
// of ctx or of the task's own context. On ErrTimeout and when a context ends, the
// question is withdrawn.
func (t *Task) Ask(ctx context.Context, q Question) (Answer, error) {
	if q.State == "" {
		q.State = a2a.StateInputRequired
	}
	if t.ctx.Err() != nil {
		return Answer{}, context.Cause(t.ctx)
	}
	q.Text, q.Detail = text.Strip(q.Text), text.Strip(q.Detail)
	q.Options = slices.Clone(q.Options)
	for i := range q.Options {
		q.Options[i].Label = text.Line(q.Options[i].Label, 0)
	}
	open := &question{Question: q, ended: make(chan struct{})}
	if err := t.openQuestion(ctx, open); err != nil {
		return Answer{}, err
	}
	var timeout <-chan time.Time
	if q.Timeout > 0 {
		timer := time.NewTimer(q.Timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-open.ended:
	case <-timeout:
		t.withdraw(open, ErrTimeout)
	case <-ctx.Done():
		t.withdraw(open, context.Cause(ctx))
	case <-t.ctx.Done():
		t.withdraw(open, context.Cause(t.ctx))
	}
	return open.answer, open.err
}

func (t *Task) openQuestion(ctx context.Context, open *question) error {
	m := a2a.Message{Role: a2a.RoleAgent, Parts: open.parts(), Metadata: open.Metadata, Extensions: open.Extensions}
	t.fill(&m, a2a.RoleAgent)
	open.id = m.ID
	if !t.begin(ctx.Done()) {
		return context.Cause(ctx)
	}
	defer t.end()
	if t.Asking() {
		return ErrQuestionOpen
	}
	said := t.statusMessage(&m)
	return t.setStatus(transition{state: open.State, message: &m, said: said, also: func() { t.question = open }})
}

// parts returns the question for people and, if it has options or a detail, for
// programs.
func (q *question) parts() []a2a.Part {
	parts := append([]a2a.Part{a2a.TextPart(q.Text)}, q.Parts...)
	if len(q.Options) == 0 && q.Detail == "" {
		return parts
	}
	type option struct {
		ID    string `json:"id"`
		Label string `json:"label,omitempty"`
		Kind  string `json:"kind,omitempty"`
	}
	list := struct {
		Question string   `json:"question,omitempty"`
		Options  []option `json:"options"`
		Detail   string   `json:"detail,omitempty"`
	}{Options: []option{}, Detail: q.Detail}
	if q.Detail != "" || slices.ContainsFunc(q.Options, func(o Option) bool { return o.Kind != "" }) {
		list.Question = q.Text // so that a program need not join the parts
	}
	for _, o := range q.Options {
		list.Options = append(list.Options, option{ID: o.ID, Label: o.Label, Kind: o.Kind})
	}
	data, err := json.Marshal(list)
	if err != nil { // strings always encode
		panic(err)
	}
	return append(parts, a2a.DataPart(data))
}

// withdraw ends the question without an answer, unless an answer came first. The
// state then becomes working, even while the task is being stopped: as long as the
// state said that the task waits, clients would continue it.
func (t *Task) withdraw(open *question, why error) {
	t.begin(nil)
	defer t.end()
	t.mu.Lock()
	mine := t.question == open
	t.mu.Unlock()
	if mine {
		// The task has not finished: that would have ended the question.
		_ = t.setStatus(transition{state: a2a.StateWorking, also: func() { t.endQuestion(Answer{}, why) }})
	}
	<-open.ended
}

// endQuestion takes the question out of the task. mu is held.
func (t *Task) endQuestion(a Answer, err error) {
	q := t.question
	t.question = nil
	t.version++
	q.answer, q.err = a, err
	close(q.ended)
}

// closeQuestion ends the open question, if any, because the task has ended. mu is
// held.
func (t *Task) closeQuestion() {
	if t.question != nil {
		t.endQuestion(Answer{}, ErrFinished)
	}
}

// Asking reports whether a question is open.
func (t *Task) Asking() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.question != nil
}

// Answer answers the open question with a client's message, which becomes part of
// the history, and sets the state to working before it returns. If the message
// matches none of the question's options (by ID, else by label), the error is an
// a2a.ErrInvalidParams and the question stays open. If no question is open, because
// another answer came first, the error is ErrNoQuestion as an
// a2a.ErrUnsupportedOperation.
func (t *Task) Answer(m *a2a.Message) error { return t.answer("", m) }

// AnswerQuestion is Answer for the question that the message with the id asked asks, and for
// callers that may not grant anything: a question for a permission (auth-required, with Accept and not Plain, or
// with options that allow something) is not theirs to answer, and the error is an
// a2a.ErrUnsupportedOperation; so it is if another question is open.
func (t *Task) AnswerQuestion(asked string, m *a2a.Message) error {
	if asked == "" {
		return a2a.ErrUnsupportedOperation.With("%w", ErrNoQuestion)
	}
	return t.answer(asked, m)
}

// permits reports whether an answer to the question may grant something.
func (q *question) permits() bool {
	return q.Accept != nil && !q.Plain || q.State != a2a.StateInputRequired ||
		slices.ContainsFunc(q.Options, func(o Option) bool { return o.Kind != "" && o.Kind != "other" })
}

// answer answers the open question, if it is the one that was asked; "" is any.
func (t *Task) answer(asked string, m *a2a.Message) error {
	t.begin(nil)
	defer t.end()
	t.mu.Lock()
	q := t.question
	t.mu.Unlock()
	switch {
	case q == nil, asked != "" && q.id != asked:
		return a2a.ErrUnsupportedOperation.With("%w", ErrNoQuestion)
	case asked != "" && q.permits():
		return a2a.ErrUnsupportedOperation.With("the task asks for a permission: an approval is given at /a2a/approvals, or by a message of the client that waits for it")
	}
	answer, err := q.match(m)
	if err != nil {
		return err
	}
	t.fill(m, a2a.RoleUser)
	answer.Message = m
	return t.setStatus(transition{state: a2a.StateWorking, said: q.kept(m), also: func() { t.endQuestion(answer, nil) }})
}

// match returns the answer that a message gives to the question.
func (q *question) match(m *a2a.Message) (Answer, error) {
	if q.Accept != nil {
		return q.Accept(m)
	}
	text := strings.TrimSpace(messageText(m))
	switch {
	case len(q.Options) > 0:
	case text == "":
		return Answer{}, a2a.ErrInvalidParams.With("the answer must have text: a file alone answers nothing")
	default:
		return Answer{Text: text}, nil
	}
	for _, same := range []func(o Option) bool{
		func(o Option) bool { return o.ID == text },
		func(o Option) bool { return o.Label == text },
		func(o Option) bool { return o.Key == text },
		func(o Option) bool {
			return strings.EqualFold(o.ID, text) || strings.EqualFold(o.Label, text) || strings.EqualFold(o.Key, text)
		},
		func(o Option) bool { return o.Kind == text && q.only(text) },
	} {
		for _, o := range q.Options {
			if same(o) && text != "" {
				return Answer{Text: o.shown(), OptionID: o.ID}, nil
			}
		}
	}
	return Answer{}, a2a.ErrInvalidParams.With("the answer must be one of: %s", q.choices())
}

// only reports whether exactly one option is of that kind.
func (q *question) only(kind string) bool {
	n := 0
	for _, o := range q.Options {
		if o.Kind == kind {
			n++
		}
	}
	return n == 1
}

func (q *question) choices() string {
	names := make([]string, len(q.Options))
	for i, o := range q.Options {
		names[i] = o.ID
		if o.Label != "" && o.Label != o.ID {
			names[i] += " (" + o.Label + ")"
		}
	}
	return strings.Join(names, ", ")
}

func (o Option) shown() string {
	if o.Label != "" {
		return o.Label
	}
	return o.ID
}

// messageText joins the text of a message's parts. Data counts as its JSON, and a
// URL as itself.
func messageText(m *a2a.Message) string {
	var lines []string
	for _, p := range m.Parts {
		switch p.Kind {
		case a2a.PartText:
			lines = append(lines, p.Text)
		case a2a.PartData:
			lines = append(lines, string(p.Data))
		case a2a.PartURL:
			lines = append(lines, p.URL)
		}
	}
	return strings.Join(lines, "\n")
}

// Continue starts the next turn of a task that waits for its client without an open
// question. The message joins the history, and the state becomes working. It fails
// with an a2a.ErrUnsupportedOperation if the task does not wait for a message.
func (t *Task) Continue(m *a2a.Message) error {
	t.begin(nil)
	defer t.end()
	t.mu.Lock()
	state, asking := t.status.State, t.question != nil
	t.mu.Unlock()
	switch {
	case state.Terminal():
		return a2a.ErrUnsupportedOperation.With("the task has ended: %s", state)
	case asking || !state.Interrupted():
		return a2a.ErrUnsupportedOperation.With("the task does not wait for a message: %s", state)
	case !t.reg.unpark(t):
		return a2a.ErrUnsupportedOperation.With("the task is being stopped")
	}
	t.fill(m, a2a.RoleUser)
	return t.setStatus(transition{state: a2a.StateWorking, said: m, next: true})
}
