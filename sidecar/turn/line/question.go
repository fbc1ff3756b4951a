package line

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// saidMax is how much of an answer is kept, in bytes, to take a question out of it again.
const saidMax = 64 << 10

// said is an answer as it was passed on, as long as it is short.
type said struct {
	text string
	long bool // it is not kept any more
}

func (s *said) add(words []byte) {
	if s.long = s.long || len(s.text)+len(words) > saidMax; s.long {
		s.text = ""
		return
	}
	s.text += string(words)
}

// dropQuestion takes the rows of a question that the program has printed line by line, such as a
// numbered list, out of the answer: the caller gets them as the question.
func (e *exchange) dropQuestion() {
	e.read(e.d.buffer.look().Finished)
	q, ok := e.d.console.Profile.Question(e.d.console.Look().Screen)
	if !ok || len(q.Rows) == 0 || e.said.long {
		return
	}
	text := withoutRows(e.said.text, q.Rows)
	if text == e.said.text {
		return
	}
	e.said.text, e.spoken, e.blank = text, text != "", 0
	if e.spoken {
		e.blank = 1
	}
	e.out.Replace([]byte(text))
}

// offers reports whether options stand on the screen with a marker among them: then no row is a
// prompt, and silence ends no answer.
func (d *Driver) offers() bool {
	q, ok := d.console.Profile.Question(d.console.Look().Screen)
	return ok && q.Axis != option.Typed
}

// withoutRows returns a text without those rows at its end.
func withoutRows(text string, rows []string) string {
	lines := strings.Split(text, "\n")
	for end := len(lines); ; end-- {
		if end == 0 || !slices.ContainsFunc(rows, func(row string) bool { return strings.TrimSpace(row) == strings.TrimSpace(lines[end-1]) }) {
			return strings.TrimRight(strings.Join(lines[:end], "\n"), "\n")
		}
	}
}
