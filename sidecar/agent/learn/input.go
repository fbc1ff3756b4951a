package learn

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// shortest is how much of a message a row must show to be its echo, in bytes, if it does
// not show all of its first line.
const shortest = 8

// place is where a message was found: what stands before it and after it in its row.
type place struct {
	row        int
	lead, tail string
}

// find returns the places of a message's first line, from the top; a row that ends
// within the line shows the beginning of it.
func find(v *screen, line string) (all []place) {
	for i, row := range v.rows {
		if at := strings.Index(row, line); at >= 0 && line != "" {
			all = append(all, place{row: i, lead: row[:at], tail: strings.TrimSpace(row[at+len(line):])})
			continue
		}
		body := strings.TrimRightFunc(row, func(r rune) bool { return isBlank(r) || isFrame(r) })
		for at := range body {
			if part := body[at:]; len(part) >= shortest && len(part) < len(line) && strings.HasPrefix(line, part) {
				all = append(all, place{row: i, lead: body[:at], tail: strings.TrimSpace(row[len(body):])})
				break
			}
		}
	}
	return all
}

// input is how the place looks where messages are typed.
type input struct {
	lead, tail string // what stands before and after the text
	above      bool   // a line is drawn above
	below      string // a pattern of the row after it; "": none that is known
	fixed      bool   // that row is a line or never changed
	up         int    // without a lead: how many rows it is above the cursor
	foot       int    // how many rows follow it at most
	empty      []string
	found      bool

	rowRE, belowRE pattern // of row and below
}

// sides are what a row of the input may have as its last sign.
const sides = "│┃║|▐"

// learnInput finds the input on a screen on which a message was typed, beside the screen
// without it. Of several places that are new the cursor's counts, or the lowest.
func learnInput(before, now *screen, message string) (input, bool) {
	line := firstLine(message)
	old, best := before.set(), place{row: -1}
	for _, p := range find(now, line) {
		if old[now.rows[p.row]] || len([]rune(p.lead)) > now.cols/2 && strings.TrimFunc(p.lead, isBlank) != "" {
			continue
		}
		if best.row < 0 || best.row != now.cursor {
			best = p
		}
	}
	if best.row < 0 || best.tail != "" && !strings.Contains(sides, best.tail) {
		return input{}, false
	}
	in := input{lead: best.lead, tail: best.tail, found: true, foot: len(now.rows) - 1 - best.row}
	in.above = frame(now.at(best.row - 1))
	end := best.row + 1
	for end < len(now.rows) && in.continues(now.rows[end], message) {
		end++
	}
	next := now.at(end)
	switch {
	case frame(next):
		in.below, in.fixed = frameRow, true
	case !blank(next) && old[next] && !strings.ContainsFunc(in.lead, func(r rune) bool { return !isBlank(r) && !isFrame(r) }):
		in.below, in.fixed = "^"+begin(stem(next)), true // its lead stands in other rows too
		if stem(next) == next {
			in.below += "$"
		}
	}
	if !in.marked() {
		in.up = max(0, now.cursor-(end-1))
	}
	in.notice(before.at(in.line(before)))
	return in, true
}

// continues reports whether a row goes on with a message of several lines, or of a line
// that is longer than a row.
func (in *input) continues(row, message string) bool {
	body := strings.TrimRightFunc(row, func(r rune) bool { return isBlank(r) || isFrame(r) })
	body = strings.TrimLeftFunc(body, func(r rune) bool { return isBlank(r) || isFrame(r) })
	return body != "" && strings.Contains(strings.Join(strings.Fields(message), " "), strings.Join(strings.Fields(body), " "))
}

// marked reports whether something stands before or after the text by which its row is
// known.
func (in *input) marked() bool { return strings.TrimFunc(in.lead, isBlank) != "" || in.tail != "" }

// emptyMax is how many texts are kept that stand in the input while nothing is typed.
const emptyMax = 8

// notice takes the row of the input while nothing is typed.
func (in *input) notice(row string) {
	groups := in.rowRE.of(in.row()).FindStringSubmatch(row)
	if len(groups) < 2 {
		return
	}
	text := strings.TrimFunc(groups[1], isBlank)
	if text == "" || len(in.empty) >= emptyMax {
		return
	}
	for _, known := range in.empty {
		if known == text {
			return
		}
	}
	in.empty = append(in.empty, text)
}

// frameRow fits the side of a box.
const frameRow = `^[ \x{a0}]*[\x{2500}-\x{259f}].*[\x{2500}-\x{259f}]$`

// row is the pattern of the input's first row. The blanks before a mark may change: some
// agents move their input.
func (in *input) row() string {
	lead := strings.TrimRightFunc(in.lead, isBlank)
	gap := in.lead[len(lead):]
	switch {
	case !in.marked():
		return fmt.Sprintf(`^ {0,%d}(.*)$`, utf8.RuneCountInString(in.lead))
	case lead == "":
		return `^` + blanks(gap) + `(.*?)[ \x{a0}]*` + quote(in.tail) + `$`
	}
	head := `^` + in.begin()
	switch {
	case in.tail != "":
		return head + `[ \x{a0}]*(.*?)[ \x{a0}]*` + quote(in.tail) + `$`
	case gap == "":
		return head + `(.*)$`
	}
	return head + `(?:` + blanks(gap) + `(.*))?$`
}

// next is the pattern of a further row of it, "" if none is safe to tell from the rows
// below it.
func (in *input) next() string {
	switch {
	case !in.marked():
		return ""
	case in.tail != "":
		return `^` + begin(framesOnly(in.lead)) + `[ \x{a0}]*(.*?)[ \x{a0}]*` + quote(in.tail) + `$`
	case strings.ContainsFunc(in.lead, isFrame):
		return `^` + begin(strings.TrimRightFunc(framesOnly(in.lead), isBlank)) + `(?:[ \x{a0}]+(.*))?$`
	case in.fixed:
		return fmt.Sprintf(`^(?: {%d}(.*))?$`, utf8.RuneCountInString(in.lead))
	}
	return fmt.Sprintf(`^ {%d}(\S.*)$`, utf8.RuneCountInString(in.lead))
}

// framesOnly returns a lead with blanks for all but the lines that are drawn.
func framesOnly(lead string) string {
	return strings.Map(func(r rune) rune {
		if isFrame(r) || r == '|' {
			return r
		}
		return ' '
	}, lead)
}

// begin is a pattern of the lead up to the text, without blanks at its end. Between two lines
// it may stand anywhere in its row.
func (in *input) begin() string {
	lead := strings.TrimRightFunc(in.lead, isBlank)
	if in.above && in.below == frameRow {
		return `[ \x{a0}]*` + begin(strings.TrimLeftFunc(lead, isBlank))
	}
	return begin(lead)
}

// begin is a pattern of a lead: its signs with the blanks between them. One that is only a
// line may stand anywhere in its row: some agents move their input.
func begin(lead string) string {
	var b strings.Builder
	if own := strings.TrimLeftFunc(lead, isBlank); strings.ContainsFunc(own, func(r rune) bool { return !isBlank(r) && !isFrame(r) }) {
		b.WriteString(blanks(lead[:len(lead)-len(own)])) // a mark elsewhere is another: that of an option
	} else {
		b.WriteString(`[ \x{a0}]*`)
	}
	words := strings.FieldsFunc(lead, isBlank)
	for i, word := range words {
		if i > 0 {
			b.WriteString(`[ \x{a0}]+`)
		}
		b.WriteString(quote(word))
	}
	return b.String()
}

// blanks is a pattern of so many blanks, of either kind.
func blanks(gap string) string {
	n := utf8.RuneCountInString(gap)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(`(?:[ \x{a0}]{%d})`, n)
}

// stemMax is how much of a row is taken for what always stands there, in bytes.
const stemMax = 24

// stem returns the beginning of a row up to what may change: a number, or two blanks.
func stem(row string) string {
	lead := len(row) - len(strings.TrimLeftFunc(row, isBlank))
	end := len(row)
	if at := strings.IndexFunc(row, func(r rune) bool { return '0' <= r && r <= '9' }); at >= 0 {
		end = at
	}
	if at := strings.Index(row[lead:], "  "); at >= 0 {
		end = min(end, lead+at)
	}
	for end > stemMax+lead || end > 0 && end < len(row) && !utf8.RuneStart(row[end]) {
		end--
	}
	if strings.TrimFunc(row[:end], isBlank) == "" {
		return row[:lead]
	}
	return row[:end]
}

// quote is a pattern of exactly that text.
func quote(s string) string { return regexp.QuoteMeta(s) }
