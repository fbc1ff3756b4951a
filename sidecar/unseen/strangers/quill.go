package strangers

import "fmt"

// quill has a coloured bar for its input, and no cursor.
type quill struct{ below }

func (*quill) enter() string { return "\x1b[?2004h\x1b[?25l quill, at your service\r\n\r\n" }
func (*quill) leave() string { return "\r\n\x1b[J\x1b[?25h\x1b[?2004l" }

func (*quill) keys() (back, forth key, digits bool) {
	return key{name: "left"}, key{name: "right"}, false
}

func (q *quill) frame(s *session, columns, _ int) string {
	wide := columns - 4
	var stay, part []string
	for _, e := range q.fresh(s) {
		stay = append(stay, q.rows(e, columns)...)
	}
	if text := s.partial(); text != "" {
		part = append(part, q.rows(entry{text: text}, columns)...)
	}
	if s.phase == working {
		part = append(part, accent+s.spin("◐◓◑◒")+" one moment"+plain, "")
	}
	if s.phase == asking {
		row := ""
		for i, option := range s.options {
			button := " " + option + " "
			if i == s.chosen {
				button = reverse + button + plain
			}
			row += fmt.Sprintf("  [%s]", button)
		}
		part = append(part, s.question, row, "", dim+"←/→ enter"+plain)
		return q.below.frame(stay, part, len(part)-1, 0)
	}
	part = append(part, bar+pad("", columns)+plain)
	for _, row := range wrap(s.input, wide) {
		part = append(part, bar+pad("  "+row, columns)+plain)
	}
	part = append(part, bar+pad("", columns)+plain)
	return q.below.frame(stay, part, len(part)-1, 0)
}

// rows are those of what was said, with an empty one after them. What the person said keeps its bar.
func (*quill) rows(e entry, columns int) (rows []string) {
	for i, row := range wrap(e.text, columns-4) {
		switch {
		case e.person:
			row = bar + pad("  "+row, columns) + plain
		case i == 0:
			row = "◦ " + row
		default:
			row = "  " + row
		}
		rows = append(rows, row)
	}
	return append(rows, "")
}
