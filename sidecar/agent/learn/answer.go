package learn

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// answer is how an answer looks below the message that it answers.
type answer struct {
	lead    string // of the message's echo
	tail    string
	echoed  bool
	mark    rune // what the first row of the answer begins with; 0: nothing
	indent  int  // how far its rows are indented
	said    bool // there was an answer
	fresh   bool // a row of it was not there before the message
	rows    []string
	wrapped bool // a row was so full that the next word had no room
	width   int  // of the widest row
}

// learnAnswer finds the echo and the answer on a screen at rest.
func learnAnswer(before, now *screen, message string, in *input, spins func(string) bool) (a answer) {
	line, old := firstLine(message), before.set()
	end := in.begins(now)
	top := -1
	for _, p := range find(now, line) {
		if p.row >= end || old[now.rows[p.row]] && hasNew(now.rows[p.row+1:end], old) && top >= 0 {
			continue
		}
		if p.tail != "" && !strings.Contains(sides, p.tail) || hasText(p.lead) && top >= 0 {
			continue
		}
		if old[now.rows[p.row]] && !lastOf(now.rows[:end], p.row, line) {
			continue // an older message's
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
	at := top + 1
	for at < end && in.continues(now.rows[at], message) && !strings.HasPrefix(strings.TrimSpace(now.rows[at]), line) {
		at++
	}
	a.fresh = hasNew(now.rows[at:end], old)
	a.read(now.rows[at:end], spins, now.cols)
	return a
}

// lastOf reports whether no further row begins with the line after a few signs.
func lastOf(rows []string, at int, line string) bool {
	for _, row := range rows[at+1:] {
		if i := strings.Index(row, line); i >= 0 && !hasText(row[:i]) {
			return false
		}
	}
	return true
}

// hasNew reports whether there are rows that were not there before.
func hasNew(rows []string, old map[string]bool) bool {
	return slices.ContainsFunc(rows, func(row string) bool { return !blank(row) && !old[row] })
}

// read takes the rows of an answer.
func (a *answer) read(rows []string, spins func(string) bool, cols int) {
	first := true
	for i, row := range rows {
		if blank(row) || frame(row) || spins(row) {
			continue
		}
		a.said, a.rows = true, append(a.rows, row)
		indent := len(row) - len(strings.TrimLeft(row, " "))
		if first {
			first = false
			if a.mark = glyph(row); a.mark != 0 {
				rest := strings.TrimLeft(row, " ")
				rest = strings.TrimLeft(rest[utf8.RuneLen(a.mark):], " ")
				indent = utf8.RuneCountInString(row) - utf8.RuneCountInString(rest)
			}
			a.indent = indent
		} else {
			a.indent = min(a.indent, indent)
		}
		width := utf8.RuneCountInString(row)
		a.width = max(a.width, width)
		if i+1 < len(rows) {
			word, _, _ := strings.Cut(strings.TrimLeft(rows[i+1], " "), " ")
			a.wrapped = a.wrapped || width > cols*3/4 && word != "" && width+1+utf8.RuneCountInString(word) > cols-8
		}
	}
}

// begins returns the row at which the input begins, with the line that is drawn above it.
func (in *input) begins(v *screen) int {
	if in.up > 0 || !in.marked() {
		at := v.cursor - in.up
		if in.above {
			at--
		}
		return max(0, min(len(v.rows), at))
	}
	re := compiled(in.row())
	for i := len(v.rows) - 1; i >= 0; i-- {
		if re.MatchString(v.rows[i]) && (!in.above || frame(v.at(i-1))) {
			if in.above {
				i--
			}
			return i
		}
	}
	return len(v.rows)
}
