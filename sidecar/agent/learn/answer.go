package learn

import (
	"cmp"
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
	wrapped bool   // a row was so full that the next word had no room
	width   int    // of the widest row
	remark  string // its last row, if that tells how long the answer took
}

// learnAnswer finds the echo and the answer on a screen at rest.
func learnAnswer(before, now *screen, message string, in *input, chrome []string, spins func(string) bool) (a answer) {
	line, old := firstLine(message), before.set()
	end := in.begins(now)
	for end > 0 && (blank(now.rows[end-1]) || frame(now.rows[end-1]) || slices.Contains(chrome, now.rows[end-1])) {
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
	at := belowEcho(now.rows[:end], top, message)
	a.fresh = hasNew(now.rows[at:end], old)
	a.read(beside(now.rows[at:end], a.lead), spins, now.cols)
	return a
}

// beside returns the rows without those behind the line that a message's echo has to its left, such
// as what a tool has printed, unless the answer is behind that line too.
func beside(rows []string, lead string) []string {
	line := strings.TrimRightFunc(lead, isBlank)
	if !side(line) {
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

// belowEcho returns the first row below a message whose first row is rows[top].
func belowEcho(rows []string, top int, message string) int {
	at := top + 1
	var rest []string
	for line := range strings.Lines(message) {
		if fields := strings.Join(strings.Fields(line), " "); fields != "" {
			rest = append(rest, fields)
		}
	}
	rest = rest[min(1, len(rest)):]
	for i := at; i < len(rows); i++ {
		body := strings.Join(strings.FieldsFunc(rows[i], func(r rune) bool { return isBlank(r) || isFrame(r) }), " ")
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
		case i == at && len(firstLine(message)) > len(body) && len(body) >= shortest && strings.HasSuffix(firstLine(message), body):
			at = i + 1 // the end of a line that is longer than a row
			continue
		}
		break
	}
	return at
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
	first, remark := true, remarking()
	for i, row := range rows {
		if blank(row) || frame(row) || side(row) || spins(row) || remark.MatchString(row) {
			continue
		}
		a.said, a.rows, a.remark = true, append(a.rows, row), ""
		if i > 0 && blank(rows[i-1]) && !first && timed().MatchString(row) {
			a.remark = row
		}
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

// bullet takes what stands before the text of the first row for its mark, though it may be one
// of Markdown: a spinner stood in its place.
func (a *answer) bullet(spun bool) {
	row := strings.TrimLeft(a.rows[0], " ")
	if r, size := utf8.DecodeRuneInString(row); spun {
		rest := strings.TrimLeft(row[size:], " ")
		a.mark, a.indent = r, utf8.RuneCountInString(a.rows[0])-utf8.RuneCountInString(rest)
	}
}

// chromeMax is how many rows right above the input are taken for a part of it.
const chromeMax = 8

// sameAbove returns the rows right above the input that are the same before anything was
// said and after it.
func (in *input) sameAbove(before, now *screen) (rows []string) {
	if !in.marked() {
		return nil
	}
	i, j := in.begins(before)-1, in.begins(now)-1
	if j+1 >= len(now.rows) || i+1 >= len(before.rows) {
		return nil
	}
	for same, n := true, 0; i >= 0 && j >= 0 && n < chromeMax && (same || before.rows[i] == now.rows[j]); i, j, n = i-1, j-1, n+1 {
		row := now.rows[j]
		if same = before.rows[i] == row; same && !blank(row) && !frame(row) {
			rows = append(rows, row)
		}
	}
	if j < 0 { // nothing was said
		return nil
	}
	return rows
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
	re, below := in.rowRE.of(in.row()), in.belowRE.of(cmp.Or(in.below, "^"))
	for i := len(v.rows) - 1; i >= 0; i-- {
		if re.MatchString(v.rows[i]) && (!in.above || frame(v.at(i-1))) && below.MatchString(v.at(i+1)) {
			if in.above {
				i--
			}
			return i
		}
	}
	return len(v.rows)
}
