package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// choice is one of the answers that a question allows.
type choice struct {
	ID    string `json:"id"`
	Label string `json:"label"`
}

// choices finds them among the parts of a question.
func choices(parts []a2a.Part) []choice {
	for _, p := range parts {
		var list struct {
			Options []choice `json:"options"`
		}
		if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &list) == nil && len(list.Options) > 0 {
			return list.Options
		}
	}
	return nil
}

// personThere reports whether somebody can read a question and type an answer.
func (x *exchange) personThere() bool {
	return !x.answer.asJSON && isTerminal(x.std.In) && isTerminal(x.std.Err)
}

// ask shows the question and reads one line that answers it. Ctrl-D gives up.
func (x *exchange) ask() (string, error) {
	x.answer.end()
	allowed := showQuestion(x.std.Err, x.answer.status)
	for {
		fmt.Fprint(x.std.Err, "> ")
		line, err := x.lines.ReadString('\n')
		answer := strings.TrimSpace(line)
		switch {
		case answer != "" && fits(answer, allowed):
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

// fits mirrors the server's rule: an option's id or label, anything when there
// are no options.
func fits(answer string, allowed []choice) bool {
	for _, c := range allowed {
		if strings.EqualFold(answer, c.ID) || strings.EqualFold(answer, c.Label) {
			return true
		}
	}
	return len(allowed) == 0
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
	fmt.Fprintf(w, "\n%s\n", printableLines(text))
	allowed := choices(parts)
	for _, c := range allowed {
		fmt.Fprintf(w, "  %s  %s\n", printable(c.ID), printable(c.Label))
	}
	return allowed
}

// unanswered ends where a question has nobody to answer it.
func (x *exchange) unanswered() error {
	x.answer.end()
	if !x.answer.asJSON && !x.personThere() {
		showQuestion(x.std.Err, x.answer.status)
	}
	return unanswered(x.answer.task, fmt.Sprintf("task %s waits for an answer (%s)", x.answer.task, stateName(x.answer.state)))
}

// unanswered is the end of a command whose task waits for an answer.
func unanswered(task, why string) error {
	return &exitError{code: exitNobody, err: errors.New(why), hint: "sidecar send --task " + task + " ANSWER"}
}
