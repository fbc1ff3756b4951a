package call

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// asker asks the person behind a call: the client of the call's task or, for a call of the agent's, that
// of the turn. It never asks whoever made the call if that is the agent.
type asker struct {
	p   *Pipeline
	inv *Invocation
}

var _ tool.Asker = asker{}

// Ask implements tool.Asker.
func (a asker) Ask(ctx context.Context, all []tool.Question) ([][]string, error) {
	asks := a.inv.asks()
	if a.p.opts.Headless || asks == nil {
		return nil, tool.ErrAskNobody
	}
	q, err := a.question(all)
	if err != nil {
		return nil, err
	}
	if asks != a.inv.task {
		a.elsewhere(asks)
	}
	answered := a.inv.question()
	answer, err := a.put(ctx, asks, q)
	answered(ctx)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, task.ErrTimeout):
		return nil, tool.ErrAskTimeout
	case errors.Is(err, task.ErrFinished):
		return nil, tool.ErrAskEnded
	case err != nil:
		return nil, err
	}
	return read(all, answer.Message)
}

// put asks in a task. A task asks one question at a time: this one waits until there is no other, and
// no longer than a question may.
func (a asker) put(ctx context.Context, asks *task.Task, q task.Question) (task.Answer, error) {
	until, cancel := context.WithTimeoutCause(ctx, a.p.opts.AskTimeout, task.ErrTimeout)
	defer cancel()
	for {
		a.inv.outermost().waits()
		answer, err := asks.Ask(until, q)
		if !errors.Is(err, task.ErrQuestionOpen) {
			return answer, err
		}
		if err := asks.Wait(until, func(s a2a.TaskState) bool { return !s.Interrupted() }); err != nil {
			return task.Answer{}, context.Cause(until)
		}
	}
}

// elsewhere says in the call's own task where the answer is wanted.
func (a asker) elsewhere(asks *task.Task) {
	m := &a2a.Message{ID: a2a.NewID(), ContextID: a.inv.task.ContextID(), TaskID: a.inv.task.ID(), Role: a2a.RoleAgent,
		Parts: []a2a.Part{a2a.TextPart("waiting for an answer in task " + asks.ID())}, Extensions: []string{ExtensionURI}}
	_ = a.inv.task.Status(a.inv.state(), m, a.inv.toolCall(statusExecuting, nil)) // a task that has ended needs none
}

// questionData is the data part of a question: for programs. Options are those of the only question, for
// clients that know questions with one answer.
type questionData struct {
	Questions []tool.Question  `json:"questions"`
	Options   []questionOption `json:"options,omitempty"`
}

type questionOption struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// question returns the questions as one of a task's: a text for people and a data part for programs.
func (a asker) question(all []tool.Question) (task.Question, error) {
	d := questionData{Questions: all}
	if len(all) == 1 && !all[0].MultiSelect {
		for _, o := range all[0].Options {
			d.Options = append(d.Options, questionOption{ID: o.Label, Label: strings.TrimSuffix(o.Label+": "+o.Description, ": ")})
		}
	}
	data, err := text.JSON(d)
	if err != nil {
		return task.Question{}, err
	}
	parts := a.inv.withoutSecrets([]a2a.Part{a2a.TextPart(tool.QuestionsText(all)), a2a.DataPart(data)})
	return task.Question{
		Text: parts[0].Text, Parts: parts[1:], State: a2a.StateInputRequired, Plain: true,
		Accept: func(m *a2a.Message) (task.Answer, error) {
			answers, err := read(all, m)
			switch {
			case errors.Is(err, tool.ErrAskDeclined):
				return task.Answer{Text: tool.AnswerDecline, OptionID: tool.AnswerDecline}, nil
			case err != nil:
				return task.Answer{}, a2a.ErrInvalidParams.With("%s", err)
			}
			return task.Answer{Text: joined(answers)}, nil
		},
	}, nil
}

// joined returns answers on one line.
func joined(answers [][]string) string {
	var all []string
	for _, one := range answers {
		all = append(all, strings.Join(one, ", "))
	}
	return strings.Join(all, "; ")
}

// read reads the answers of a message: its first data part or, without one, its text.
func read(all []tool.Question, m *a2a.Message) ([][]string, error) {
	var data json.RawMessage
	var words []string
	for i := range m.Parts {
		switch p := &m.Parts[i]; {
		case p.Kind == a2a.PartData && data == nil:
			data = p.Data
		case p.Kind == a2a.PartText:
			words = append(words, p.Text)
		}
	}
	return tool.ReadAnswers(all, data, strings.Join(words, "\n"))
}
