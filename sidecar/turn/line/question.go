package line

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
)

// saidMax is how many bytes of an answer are kept, so that a question can be taken out of it again.
const saidMax = 64 << 10

// said keeps what was passed on of an answer, while that is short.
type said struct {
	text []byte
	long bool // the answer is longer than saidMax, and is not kept
}

func (s *said) add(words []byte) {
	if s.long = s.long || len(s.text)+len(words) > saidMax; s.long {
		s.text = nil
		return
	}
	s.text = append(s.text, words...)
}

// dropQuestion removes the rows of a question from the answer if the program has printed them line by
// line, such as a numbered list: the caller gets them as the question.
func (e *exchange) dropQuestion() {
	e.read(e.d.buffer.look().Finished)
	q, ok := e.d.console.Profile.Question(e.d.console.Look().Screen)
	if !ok || len(q.Rows) == 0 || e.said.long {
		return
	}
	said := string(e.said.text)
	text := withoutRows(said, q.Rows)
	if text == said {
		return
	}
	e.said.text, e.spoken, e.blank = []byte(text), text != "", 0
	if e.spoken {
		e.blank = 1
	}
	e.out.Replace([]byte(text))
}

// offers reports whether the screen shows a menu with a marker. While it does, neither a row that
// looks like a prompt nor silence ends the answer.
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
