package learn

import (
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// fullShare and fullSlack say when a row is so full that its agent has wrapped the text: it
	// fills more than three quarters of the columns, and with the next word it would end within
	// so many columns of the edge, or after it. Agents keep margins of up to eight columns.
	fullNum, fullDen = 3, 4
	fullSlack        = 8
)

// answer is what an answer looks like on the screen, below the message that it answers.
type answer struct {
	lead    string // what stands before the message in its echo
	tail    string // what stands after it
	echoed  bool
	mark    rune // the glyph that the first row of the answer begins with, 0 for none
	indent  int  // the smallest indent of its rows, in columns
	said    bool // the answer has text
	fresh   bool // one of its rows was not there before the message
	rows    []string
	wrapped bool   // a row is so full that the next word had no room
	width   int    // the width of the widest row
	remark  string // the last row, if it tells how long the answer took
	remarks bool   // rows below a branch are remarks about work
}

// answerReader reads answers from screens.
type answerReader struct {
	in      *input
	chrome  []string // the rows right above the input that do not depend on the conversation
	isWork  func(row string) bool
	remarks bool // rows below a branch are known to be remarks about work
}

// read finds the echo and the answer on a screen at rest.
func (r *answerReader) read(before, now *screen, message string) (a answer) {
	line, old := firstLine(message), before.set()
	end := r.in.begins(now)
	for end > 0 && (blank(now.rows[end-1]) || boxSide(now.rows[end-1]) || slices.Contains(r.chrome, now.rows[end-1])) {
		end--
	}
	top := -1
	for _, p := range find(now, line) {
		if p.row >= end || old[now.rows[p.row]] && hasNew(now.rows[p.row+1:end], old) && top >= 0 {
			continue
		}
		if p.tail != "" && !strings.Contains(sides, p.tail) || hasText(p.lead) && top >= 0 {
			continue
		}
		if old[now.rows[p.row]] && !lastOf(now.rows[:end], p.row, line) {
			continue // the echo of an older message
		}
		if top < 0 || !hasText(p.lead) && hasText(a.lead) {
			top, a.lead, a.tail, a.echoed = p.row, p.lead, p.tail, true
		}
		if !hasText(p.lead) && !old[now.rows[p.row]] {
			break
		}
	}
	if top < 0 {
		return a
	}
	at := belowEcho(now.rows[:end], top, message)
	a.fresh = hasNew(now.rows[at:end], old)
	r.readRows(&a, withoutBar(now.rows[at:end], a.lead), now.cols)
	return a
}

// withoutBar returns the rows of an answer with a blank row in place of each row that begins
// with the line which an echo has to its left: a tool has printed those. If the whole answer is
// to the right of that line, it returns the rows as they are.
func withoutBar(rows []string, lead string) []string {
	line := strings.TrimRightFunc(lead, isBlank)
	if !linesOnly(line) {
		return rows
	}
	said, out := false, make([]string, len(rows))
	for i, row := range rows {
		if !strings.HasPrefix(row, line) {
			out[i] = row
			said = said || hasText(row) && !timed().MatchString(row)
		}
	}
	if !said {
		return rows
	}
	return out
}

// belowEcho returns the first row below a message that begins in row top.
func belowEcho(rows []string, top int, message string) int {
	at := top + 1
	var rest []string
	for line := range strings.Lines(message) {
		if words := strings.Join(strings.Fields(line), " "); words != "" {
			rest = append(rest, words)
		}
	}
	rest = rest[min(1, len(rest)):]
	for i := at; i < len(rows); i++ {
		body := strings.Join(strings.FieldsFunc(rows[i], func(r rune) bool { return isBlank(r) || isLine(r) }), " ")
		switch {
		case body == "" && len(rest) > 0:
			continue
		case len(rest) > 0 && strings.HasPrefix(rest[0], body):
			rest[0] = strings.TrimSpace(rest[0][len(body):])
			if rest[0] == "" {
				rest = rest[1:]
			}
			at = i + 1
			continue
		case i == at && len(firstLine(message)) > len(body) && len(body) >= partMin && strings.HasSuffix(firstLine(message), body):
			at = i + 1 // the end of a line that is longer than a row
			continue
		}
		break
	}
	return at
}

// lastOf reports whether no row after rows[at] shows the line without text before it.
func lastOf(rows []string, at int, line string) bool {
	for _, row := range rows[at+1:] {
		if i := strings.Index(row, line); i >= 0 && !hasText(row[:i]) {
			return false
		}
	}
	return true
}

// hasNew reports whether one of the rows was not there before.
func hasNew(rows []string, old map[string]bool) bool {
	return slices.ContainsFunc(rows, func(row string) bool { return !blank(row) && !old[row] })
}

// readRows reads the rows of an answer.
func (r *answerReader) readRows(a *answer, rows []string, cols int) {
	a.remarks = r.remarks || branchesOff(rows)
	for i, row := range rows {
		if blank(row) || boxSide(row) || linesOnly(row) || r.isWork(row) || remarking().MatchString(row) || a.remarks && branching().MatchString(row) {
			continue
		}
		first := !a.said
		a.said, a.rows, a.remark = true, append(a.rows, row), ""
		if i > 0 && blank(rows[i-1]) && !first && timed().MatchString(row) {
			a.remark = row
		}
		indent := len(row) - len(strings.TrimLeft(row, " "))
		if first {
			if a.mark = glyph(row); a.mark != 0 {
				indent = markedIndent(row)
			}
			a.indent = indent
		}
		a.indent = min(a.indent, indent)
		width := utf8.RuneCountInString(row)
		a.width = max(a.width, width)
		if i+1 < len(rows) {
			a.wrapped = a.wrapped || isFull(width, rows[i+1], cols)
		}
	}
}

// isFull reports whether the first word of the next row had no room in a row of this width.
func isFull(width int, next string, cols int) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(next, " "), " ")
	return width*fullDen > cols*fullNum && word != "" && width+1+utf8.RuneCountInString(word) > cols-fullSlack
}

// takeMark takes the character that the first row begins with for the answer's mark, though it
// may be one of Markdown.
func (a *answer) takeMark() {
	a.mark, _ = utf8.DecodeRuneInString(strings.TrimLeft(a.rows[0], " "))
	a.indent = markedIndent(a.rows[0])
}

// markedIndent returns how many columns a row has before its text, which follows a mark.
func markedIndent(row string) int {
	marked := strings.TrimLeft(row, " ")
	_, size := utf8.DecodeRuneInString(marked)
	return utf8.RuneCountInString(row) - utf8.RuneCountInString(strings.TrimLeft(marked[size:], " "))
}
