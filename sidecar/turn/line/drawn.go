package line

import (
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// drawing remembers the screen at an Enter.
type drawing struct {
	row  uint64 // of the line that was typed, counted from the start
	text string // the text of that row with the typed line, also if its echo is not drawn yet
	said int    // how much of the answer had been passed on
	done term.Drawing
}

// drawingNow returns the screen as an Enter finds it. typed is what comes with the Enter.
func (e *exchange) drawingNow(typed string) drawing {
	s := e.d.console.Snapshot()
	before := ""
	if y := s.CursorRow; 0 <= y && y < len(s.Lines) {
		before = s.Lines[y].Text
	}
	return drawing{text: before + typed, said: len(e.said.text), row: s.Scrolled + uint64(max(s.CursorRow, 0)), done: s.Drawing}
}

// settleDrawn makes what stands on the screen the answer if anything was drawn since Enter, as by a menu
// that a shell has started: the lines that were read are its frames. If both have the same words, the
// lines stay, because they have the tabs and blanks that the program wrote.
func (e *exchange) settleDrawn() {
	s := e.d.console.Snapshot()
	drew := s.Drawing.AllRaised > e.drawn.done.AllRaised || s.Drawing.Placed > e.drawn.done.Placed
	if e.said.long || e.answered || s.Alternate || !drew {
		return
	}
	text, before, ok := e.shown(s)
	earlier := string(e.said.text[:min(e.drawn.said, len(e.said.text))])
	if !ok || slices.Equal(strings.Fields(text+before), strings.Fields(string(e.said.text[len(earlier):]))) {
		return
	}
	if text += before; earlier != "" && text != "" {
		earlier += "\n"
	}
	text = earlier + text
	e.said.text, e.spoken, e.blank = []byte(text), text != "", 0
	if e.spoken && before == "" {
		e.blank = 1
	}
	e.words = e.words[:0]
	e.out.Replace([]byte(text))
}

// shown returns the text between the line that was typed and the cursor's row, and what stands before
// the prompt on that row. If the screen was cleared since, the text begins at its top. It reports false
// if its beginning is not kept.
func (e *exchange) shown(s term.Snapshot) (text, before string, ok bool) {
	history, first := e.d.console.History(e.drawn.row)
	if end := first + uint64(len(history)); end > s.Scrolled { // scrolled off after s
		history = history[:max(0, len(history)-int(end-s.Scrolled))]
	}
	cleared := (e.drawn.row >= s.Scrolled || first <= e.drawn.row) && !e.typedStands(s, history)
	if first > e.drawn.row && !cleared {
		return "", "", false
	}
	var rows []term.Line
	if !cleared {
		rows = append(rows, history...)
	}
	from := 0
	if !cleared && e.drawn.row > s.Scrolled {
		from = int(e.drawn.row - s.Scrolled)
	}
	rows = append(rows, s.Lines[min(from, s.CursorRow):s.CursorRow]...)
	if !cleared {
		for len(rows) > 0 && rows[0].Wrapped { // the line that was typed
			rows = rows[1:]
		}
		rows = rows[min(1, len(rows)):]
	}
	var b strings.Builder
	for _, row := range rows {
		if e.asked(row.Text) {
			continue
		}
		b.WriteString(row.Text)
		if !row.Wrapped {
			b.WriteByte('\n')
		}
	}
	current := e.d.buffer.look().Current
	begin, _, _ := e.d.prompts.at(current)
	if text = strings.Trim(b.String(), "\n"); begin > 0 && text != "" {
		text += "\n"
	}
	return text, current[:begin], true
}

// typedStands reports whether the line that was typed is still where it was.
func (e *exchange) typedStands(s term.Snapshot, history []term.Line) bool {
	row, ok := "", false
	switch at := e.drawn.row; {
	case at >= s.Scrolled && int(at-s.Scrolled) < s.CursorRow:
		row, ok = s.Lines[at-s.Scrolled].Text, true
	case at < s.Scrolled && len(history) > 0:
		row, ok = history[0].Text, true
	}
	row, typed := words(row), words(e.drawn.text)
	return ok && (strings.HasPrefix(row, typed) || row != "" && strings.HasPrefix(typed, row))
}

// words returns a text without its blanks: a row of the screen has none at its end.
func words(text string) string { return strings.Join(strings.Fields(text), "") }

// asked reports whether a row shows a question that the caller has answered in a line.
func (e *exchange) asked(row string) bool {
	for _, q := range e.questions {
		if q = strings.TrimRight(q, " "); strings.ContainsFunc(q, unicode.IsLetter) && strings.HasPrefix(row, q) {
			return true
		}
	}
	return false
}
