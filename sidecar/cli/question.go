package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc/tty"
)

// choice is one of the answers that a question allows.
type choice struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// structured is what a question says in addition to its text.
type structured struct {
	Options []choice `json:"options"`
	Detail  string   `json:"detail"` // what the question is about
}

// structure finds the structured data among the parts of a question.
func structure(parts []a2a.Part) structured {
	for _, p := range parts {
		var s structured
		if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &s) == nil && (len(s.Options) > 0 || s.Detail != "") {
			return s
		}
	}
	return structured{}
}

// personThere reports whether somebody can read a question and type an answer.
func (x *exchange) personThere() bool {
	return !x.answer.asJSON && isTerminal(x.std.In) && isTerminal(x.std.Err)
}

// errWithdrawn says that the question is no longer open: somebody at the agent's
// terminal has answered it, or it has timed out.
var errWithdrawn = errors.New("the question was withdrawn")

// ask shows the question and reads one line as the answer. Ctrl-D gives up.
func (x *exchange) ask(ctx context.Context) (string, error) {
	x.answer.end()
	allowed := showQuestion(x.std.Err, x.answer.status)
	open, withdraw := context.WithCancelCause(ctx)
	defer withdraw(nil)
	var watching sync.WaitGroup
	defer watching.Wait()
	watched, stop := context.WithCancel(ctx)
	defer stop()
	watching.Go(func() {
		if x.withdrawn(watched) {
			withdraw(errWithdrawn)
		}
	})
	for {
		fmt.Fprint(x.std.Err, "> ")
		if x.lines.Buffered() == 0 {
			if err := tty.AwaitInput(open, x.std.In); err != nil {
				fmt.Fprintln(x.std.Err)
				return "", err
			}
		}
		line, err := x.lines.ReadString('\n')
		answer, ok := fits(strings.TrimSpace(line), allowed)
		switch {
		case ok:
			return answer, nil
		case errors.Is(err, io.EOF):
			fmt.Fprintln(x.std.Err)
			return "", err
		case err != nil:
			return "", err
		case answer != "":
			fmt.Fprintln(x.std.Err, "please answer with one of the words above")
		}
	}
}

// withdrawn waits until the question is no longer open. It reports false if ctx ends,
// or if the server does not allow it to look.
func (x *exchange) withdrawn(ctx context.Context) bool {
	stream, err := x.client.Subscribe(ctx, &a2a.SubscribeRequest{ID: x.answer.task, After: x.answer.last})
	if err != nil {
		return errors.Is(err, a2a.ErrUnsupportedOperation) // it has ended
	}
	defer stream.Close()
	for {
		events, err := stream.Next(ctx)
		for _, e := range events {
			switch {
			case e.Task != nil && !e.Task.Status.State.Interrupted(), e.Status != nil && !e.Status.Status.State.Interrupted():
				return true
			}
		}
		if err != nil {
			return false
		}
	}
}

// fits returns the answer as the server takes it: the id of the option that was written, by
// its id or its label in any case, or anything if there are no options.
func fits(answer string, allowed []choice) (string, bool) {
	for _, c := range allowed {
		if answer != "" && (strings.EqualFold(answer, c.ID) || strings.EqualFold(answer, c.Label)) {
			return c.ID, true
		}
	}
	return answer, answer != "" && len(allowed) == 0
}

// showQuestion prints a question with the answers it allows.
func showQuestion(w io.Writer, m *a2a.Message) []choice {
	var parts []a2a.Part
	if m != nil {
		parts = m.Parts
	}
	text := textOf(parts)
	if text == "" {
		text = "The agent waits for an answer."
	}
	more := structure(parts)
	fmt.Fprintln(w)
	if more.Detail != "" {
		fmt.Fprintf(w, "%s\n\n", printableLines(strings.TrimSpace(more.Detail)))
	}
	fmt.Fprintf(w, "%s\n", printableLines(text))
	for _, c := range more.Options {
		fmt.Fprintf(w, "  %s  %s\n", printable(c.ID), printable(c.Label))
	}
	return more.Options
}

// unanswered ends a command whose question nobody can answer.
func (x *exchange) unanswered() error {
	x.answer.end()
	if !x.answer.asJSON && !x.personThere() {
		showQuestion(x.std.Err, x.answer.status)
	}
	return unanswered(x.answer.task, fmt.Sprintf("task %s waits for an answer (%s)", x.answer.task, stateName(x.answer.state)))
}

// unanswered returns the error of a command whose task waits for an answer.
func unanswered(task, why string) error {
	return &exitError{code: exitNobody, err: errors.New(why), hint: "sidecar send --task " + task + " ANSWER"}
}
