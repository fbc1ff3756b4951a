package strangers

import (
	"fmt"
	"strings"
)

// umbra has a box at the bottom of the main screen.
type umbra struct{ below }

func (*umbra) enter() string { return "\x1b[?2004humbra 0.3\r\n\r\n" }
func (*umbra) leave() string { return "\r\n\x1b[J\x1b[?2004l" }

func (*umbra) keys() (back, forth key, digits bool) {
	return key{name: "up"}, key{name: "down"}, true
}

func (u *umbra) frame(s *session, columns, _ int) string {
	wide := columns - 4
	var stay, part []string
	for _, e := range u.fresh(s) {
		stay = append(stay, u.rows(e, wide)...)
	}
	if text := s.partial(); text != "" {
		part = append(part, u.rows(entry{text: text}, wide)...)
	}
	if s.phase == working {
		part = append(part, fmt.Sprintf("%s%s Pondering… (%ds · esc to interrupt)%s", accent, s.spin("✢✳✶✻✽"), int(s.worked().Seconds()), plain), "")
	}
	inside := wrap(s.input, wide-4)
	for i := range inside {
		inside[i] = map[bool]string{true: "> ", false: "  "}[i == 0] + inside[i]
	}
	hint := "  ? for shortcuts"
	if s.phase == asking {
		inside, hint = []string{s.question, ""}, "  enter to confirm · esc to cancel"
		for i, option := range s.options {
			inside = append(inside, fmt.Sprintf("%s %d. %s", map[bool]string{true: "❯", false: " "}[i == s.chosen], i+1, option))
		}
	}
	part = append(part, dim+"╭"+strings.Repeat("─", wide+2)+"╮"+plain)
	for _, row := range inside {
		part = append(part, dim+"│"+plain+" "+pad(row, wide)+" "+dim+"│"+plain)
	}
	row, column := len(part)-1, 2+len([]rune(inside[len(inside)-1]))
	part = append(part, dim+"╰"+strings.Repeat("─", wide+2)+"╯"+plain, dim+hint+plain)
	return u.below.frame(stay, part, row, column)
}

// rows are those of what was said, with an empty one after them.
func (*umbra) rows(e entry, wide int) (rows []string) {
	for i, row := range wrap(e.text, wide) {
		switch {
		case e.person && i == 0:
			row = dim + "> " + row + plain
		case e.person:
			row = dim + "  " + row + plain
		default:
			row = "  " + row
		}
		rows = append(rows, row)
	}
	return append(rows, "")
}
