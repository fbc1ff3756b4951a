package strangers

import (
	"fmt"
	"strings"
)

// tarn has the alternate screen.
type tarn struct{}

func (tarn) enter() string { return "\x1b[?1049h\x1b[?2004h\x1b[2J" }
func (tarn) leave() string { return "\x1b[?2004l\x1b[?1049l" }

func (tarn) keys() (back, forth key, digits bool) {
	return key{name: "up"}, key{name: "down"}, false
}

func (t tarn) frame(s *session, columns, rows int) string {
	var above []string
	for _, e := range s.said {
		above = append(above, t.rows(e, columns-2)...)
	}
	if text := s.partial(); text != "" {
		above = append(above, t.rows(entry{text: text}, columns-2)...)
	}
	low, row, column := t.low(s, columns)
	if high := rows - len(low); len(above) > high {
		above = above[len(above)-high:]
	} else {
		above = append(above, make([]string, high-len(above))...)
	}
	var out strings.Builder
	out.WriteString("\x1b[?2026h\x1b[?25l")
	for i, text := range append(above, low...) {
		fmt.Fprintf(&out, "\x1b[%d;1H%s\x1b[K", i+1, text)
	}
	fmt.Fprintf(&out, "\x1b[%d;%dH\x1b[?25h\x1b[?2026l", rows-len(low)+row+1, column+1)
	return out.String()
}

// low are the rows at the bottom, and where the cursor is among them.
func (tarn) low(s *session, columns int) (low []string, row, column int) {
	if s.phase == asking {
		low = []string{" " + s.question}
		for i, option := range s.options {
			low = append(low, map[bool]string{true: accent + " › " + option + plain, false: "   " + option}[i == s.chosen])
		}
		return append(low, dim+" ↑/↓ to move · enter to choose"+plain), 1 + s.chosen, 1
	}
	status := fmt.Sprintf(" tarn · ready · %d turns", s.turns)
	if s.phase == working {
		status = fmt.Sprintf(" tarn · %s working %ds · ctrl+c stops", s.spin("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"), int(s.worked().Seconds()))
	}
	if s.input == "" {
		return []string{"› " + dim + "Ask tarn anything" + plain, dim + status + plain}, 0, 2
	}
	for i, text := range wrap(s.input, columns-3) {
		low = append(low, map[bool]string{true: "› ", false: "  "}[i == 0]+text)
		column = 2 + len([]rune(text))
	}
	row = len(low) - 1
	return append(low, dim+status+plain), row, column
}

// rows are those of what was said, with an empty one after them.
func (tarn) rows(e entry, wide int) (rows []string) {
	for i, row := range wrap(e.text, wide) {
		if e.person {
			row = map[bool]string{true: "› ", false: "  "}[i == 0] + row
		}
		rows = append(rows, row)
	}
	return append(rows, "")
}
