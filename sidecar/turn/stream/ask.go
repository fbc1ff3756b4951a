package stream

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

const (
	// maxQuestion is how much of a question is put to the client, and maxLabel how much of an
	// option's label and description, in bytes.
	maxQuestion, maxLabel = 8 << 10, 400
	// maxOptions is how many options a question may have.
	maxOptions = 32
)

// errOptions refuses a question.
var errOptions = errors.New("a question has at most " + strconv.Itoa(maxOptions) + " options")

// Ask implements peer.Events. Questions are asked one after the other.
func (e *events) Ask(ctx context.Context, q peer.Question) (peer.Reply, error) {
	if len(q.Options) > maxOptions {
		return peer.Reply{}, errOptions
	}
	ctx, leave, err := e.enter(ctx, &e.asked, maxAsked)
	if err != nil {
		return peer.Reply{}, err
	}
	defer leave()
	if !e.do(e.report.flush) {
		return peer.Reply{}, peer.ErrWithdrawn
	}
	asked := question(q)
	for {
		a, err := e.t.Ask(ctx, asked)
		switch {
		case e.ctx.Err() != nil:
			return peer.Reply{}, peer.ErrWithdrawn
		case errors.Is(err, channel.ErrQuestionOpen):
			err = e.t.Task().Wait(ctx, func(s a2a.TaskState) bool { return !s.Interrupted() })
		case err == nil:
			return reply(q, a), nil
		}
		if err != nil {
			return peer.Reply{}, err
		}
	}
}

// question returns the question as the client sees it. Options have numbers: what the agent calls them
// need not be different, or short. If several may be chosen, the answer is a text that names them.
func question(q peer.Question) channel.Question {
	asked := channel.Question{Text: clean(q.Text, maxQuestion)}
	var list strings.Builder
	for i, o := range q.Options {
		id, label, more := strconv.Itoa(i+1), label(o), text.Line(o.Description, maxLabel)
		if more != "" || q.Several {
			list.WriteString("\n" + id + ". " + label)
			if more != "" {
				list.WriteString(": " + more)
			}
		}
		if !q.Several {
			asked.Options = append(asked.Options, channel.Option{ID: id, Label: label})
		}
	}
	asked.Text += list.String()
	if q.Several && len(q.Options) > 0 {
		asked.Text += "\nAnswer with one or more of the numbers or names, with commas between them, or in other words."
	}
	return asked
}

// label returns what people see of an option.
func label(o peer.QuestionOption) string { return text.Line(cmp.Or(o.Label, o.ID), maxLabel) }

// reply returns the client's answer with the agent's own ids of the options.
func reply(q peer.Question, a channel.Answer) peer.Reply {
	if i, err := strconv.Atoi(a.OptionID); err == nil && i >= 1 && i <= len(q.Options) {
		return peer.Reply{Options: []string{q.Options[i-1].ID}}
	}
	if !q.Several {
		return peer.Reply{Text: a.Text}
	}
	var chosen []string
	for name := range strings.SplitSeq(a.Text, ",") {
		id, ok := option(q, strings.TrimSpace(name))
		if !ok {
			return peer.Reply{Text: a.Text}
		}
		chosen = append(chosen, id)
	}
	return peer.Reply{Options: chosen}
}

// option returns the id of the option with that number or name.
func option(q peer.Question, name string) (string, bool) {
	for i, o := range q.Options {
		if name == strconv.Itoa(i+1) || strings.EqualFold(name, label(o)) {
			return o.ID, true
		}
	}
	return "", false
}
