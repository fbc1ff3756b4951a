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
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
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
	// Questions are those of the tool question, which are answered together.
	Questions []tool.Question `json:"questions"`
}

// structure finds the structured data among the parts of a question.
func structure(parts []a2a.Part) structured {
	for _, p := range parts {
		var s structured
		if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &s) == nil && (len(s.Options) > 0 || s.Detail != "" || len(s.Questions) > 0) {
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

// ask shows the question and reads one line as the answer, or one for each of several questions. Ctrl-D
// gives up.
func (x *exchange) ask(ctx context.Context) (string, error) {
	x.answer.end()
	asked := showQuestion(x.std.Err, x.answer.status)
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
	if takesLines(asked.Questions) {
		return x.askAll(open, asked.Questions)
	}
	return x.line(open, "", func(answer string) (string, error) {
		if said, ok := fits(answer, asked.Options); ok {
			return said, nil
		}
		return "", errOneOfThese
	})
}

// takesLines reports whether questions take more than one line, or several options.
func takesLines(all []tool.Question) bool { return len(all) > 1 || len(all) == 1 && all[0].MultiSelect }

// errOneOfThese says that an answer is none of those that are offered.
var errOneOfThese = errors.New("please answer with one of the words above")

// askAll reads a line for each question, and returns all answers as the server takes them.
func (x *exchange) askAll(open context.Context, all []tool.Question) (string, error) {
	answers := make([][]string, len(all))
	for i := range all {
		prompt := all[i].Header
		if prompt == "" {
			prompt = fmt.Sprint(i + 1)
		}
		_, err := x.line(open, prompt, func(answer string) (string, error) {
			read, err := tool.ReadAnswers(all[i:i+1], nil, answer)
			if err != nil {
				return "", err
			}
			answers[i] = read[0]
			return answer, nil
		})
		switch {
		case errors.Is(err, tool.ErrAskDeclined):
			return `{"action":"` + tool.AnswerDecline + `"}`, nil
		case err != nil:
			return "", err
		}
	}
	b, err := text.JSON(map[string]any{"answers": answers})
	return string(b), err
}

// line reads a line until it fits.
func (x *exchange) line(open context.Context, prompt string, fits func(answer string) (string, error)) (string, error) {
	for {
		fmt.Fprint(x.std.Err, printable(prompt)+"> ")
		if x.lines.Buffered() == 0 {
			if err := tty.AwaitInput(open, x.std.In); err != nil {
				fmt.Fprintln(x.std.Err)
				return "", err
			}
		}
		line, err := x.lines.ReadString('\n')
		answer := strings.TrimSpace(line)
		said, wrong := fits(answer)
		switch {
		case wrong == nil, errors.Is(wrong, tool.ErrAskDeclined):
			return said, wrong
		case errors.Is(err, io.EOF):
			fmt.Fprintln(x.std.Err)
			return "", err
		case err != nil:
			return "", err
		case answer != "":
			fmt.Fprintln(x.std.Err, printable(wrong.Error()))
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

// showQuestion prints a question with the answers it allows, and returns what it says.
func showQuestion(w io.Writer, m *a2a.Message) structured {
	var parts []a2a.Part
	if m != nil {
		parts = m.Parts
	}
	says := textOf(parts)
	if says == "" {
		says = "The agent waits for an answer."
	}
	more := structure(parts)
	fmt.Fprintln(w)
	if more.Detail != "" {
		fmt.Fprintf(w, "%s\n\n", printableLines(strings.TrimSpace(more.Detail)))
	}
	fmt.Fprintf(w, "%s\n", printableLines(says))
	if len(more.Questions) > 0 {
		return more // the text has their options
	}
	for _, c := range more.Options {
		fmt.Fprintf(w, "  %s  %s\n", printable(c.ID), printable(c.Label))
	}
	return more
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
