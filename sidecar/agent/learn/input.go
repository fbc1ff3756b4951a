package learn

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// partMin is how much of a message's first line a row must show to be taken for a part of
	// it, in bytes: fewer stand in other rows by chance.
	partMin = 8
	// leadShare is the share of the columns, one in so many, that text before a message may
	// take up: after more than that, the message is a part of a sentence.
	leadShare = 2
	// leadPatternMax bounds the pattern of what stands before the text of the input, in bytes.
	// With less than a third of a profile's longest pattern it fits wherever it is a part.
	leadPatternMax = 300
	// emptyMax is how many texts are kept that the input shows while nothing is typed: agents
	// show examples in turn.
	emptyMax = 8
	// stemMax is how much of a row is taken for what always stands there, in bytes.
	stemMax = 24
)

// place is where a message was found: what stands before it and after it in its row.
type place struct {
	row        int
	lead, tail string
}

// find returns the places of a message's first line, from the top. A row may end within the
// line and show only its beginning.
func find(v *screen, line string) (all []place) {
	for i, row := range v.rows {
		if at := strings.Index(row, line); at >= 0 && line != "" {
			all = append(all, place{row: i, lead: row[:at], tail: strings.TrimSpace(row[at+len(line):])})
			continue
		}
		body := strings.TrimRightFunc(row, func(r rune) bool { return isBlank(r) || isLine(r) })
		for at := range body {
			if part := body[at:]; len(part) >= partMin && len(part) < len(line) && strings.HasPrefix(line, part) {
				all = append(all, place{row: i, lead: body[:at], tail: strings.TrimSpace(row[len(body):])})
				break
			}
		}
	}
	return all
}

// input is what is known of the input, the place where messages are typed.
type input struct {
	lead, tail string // what stands before and after the text
	above      bool   // the side of a box is drawn above it
	below      string // a pattern of the row after it; "" means that none is known
	fixed      bool   // the row after it is the side of a box or has never changed
	up         int    // without a mark: how many rows it is above the cursor
	foot       int    // the largest number of rows that were seen to follow it
	empty      []string
	found      bool

	rowRE, belowRE pattern // the compiled forms of row and below
}

// sides are the characters that close a row of the input.
const sides = "│┃║|▐"

// learnInput finds the input by comparing a screen on which a message was typed with the screen
// before. If the message is new in several places, the cursor's row counts, else the lowest.
func learnInput(before, now *screen, message string) (input, bool) {
	line := firstLine(message)
	old, best := before.set(), place{row: -1}
	for _, p := range find(now, line) {
		if old[now.rows[p.row]] || utf8.RuneCountInString(p.lead)*leadShare > now.cols && strings.TrimFunc(p.lead, isBlank) != "" {
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
	in.above = boxSide(now.at(best.row - 1))
	end := best.row + 1
	for end < len(now.rows) && in.continues(now.rows[end], message) {
		end++
	}
	next := now.at(end)
	switch {
	case boxSide(next):
		in.below, in.fixed = boxRow, true
	case !blank(next) && old[next] && !strings.ContainsFunc(in.lead, func(r rune) bool { return !isBlank(r) && !isLine(r) }):
		in.below, in.fixed = "^"+begin(stem(next)), true // other rows have the same lead
		if stem(next) == next {
			in.below += "$"
		}
	}
	if !in.marked() {
		in.up = max(0, now.cursor-(end-1))
	}
	if len(in.begin()) > leadPatternMax || in.up > rowsMax { // a profile could not find it again
		return input{}, false
	}
	in.notice(before.at(in.line(before)))
	return in, true
}

// merge adds what an earlier message has shown of the same input.
func (in *input) merge(earlier *input) {
	for _, text := range earlier.empty {
		in.addEmpty(text)
	}
	in.foot = max(in.foot, earlier.foot)
	if in.below != earlier.below && !(in.fixed && earlier.fixed) {
		in.below, in.fixed = "", false // the row after the input changes
	}
	in.above = in.above && earlier.above
}

// line returns the row of the input on a screen at rest, -1 if it is not there.
func (in *input) line(v *screen) int {
	at := in.begins(v)
	if in.above {
		at++
	}
	if at >= len(v.rows) {
		return -1
	}
	return at
}

// holds returns the places where the message still stands in the input.
func (in *input) holds(v *screen, message string) []place {
	end := in.begins(v)
	return slices.DeleteFunc(find(v, firstLine(message)), func(p place) bool { return p.row < end })
}

// continues reports whether a row continues the message, because the message has several lines
// or one that is longer than a row.
func (in *input) continues(row, message string) bool {
	body := strings.TrimRightFunc(row, func(r rune) bool { return isBlank(r) || isLine(r) })
	body = strings.TrimLeftFunc(body, func(r rune) bool { return isBlank(r) || isLine(r) })
	return body != "" && strings.Contains(strings.Join(strings.Fields(message), " "), strings.Join(strings.Fields(body), " "))
}

// marked reports whether something stands before or after the text that identifies its row.
func (in *input) marked() bool { return strings.TrimFunc(in.lead, isBlank) != "" || in.tail != "" }

// notice learns from the row of the input while nothing is typed.
func (in *input) notice(row string) {
	if groups := in.rowRE.of(in.row()).FindStringSubmatch(row); len(groups) > 1 {
		in.addEmpty(strings.TrimFunc(groups[1], isBlank))
	}
}

// addEmpty adds a text that the input shows while nothing is typed.
func (in *input) addEmpty(text string) {
	if text != "" && len(in.empty) < emptyMax && !slices.Contains(in.empty, text) {
		in.empty = append(in.empty, text)
	}
}

// boxRow matches the side of a box.
const boxRow = `^[ \x{a0}]*[\x{2500}-\x{259f}].*[\x{2500}-\x{259f}]$`

// row returns the pattern of the input's first row. Between two lines, the blanks before a mark
// may change, because some agents move their input.
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

// next returns the pattern of a further row of the input. It returns "" if that row cannot be
// distinguished from the rows below the input.
func (in *input) next() string {
	switch {
	case !in.marked():
		return ""
	case in.tail != "":
		return `^` + begin(onlyLines(in.lead)) + `[ \x{a0}]*(.*?)[ \x{a0}]*` + quote(in.tail) + `$`
	case strings.ContainsFunc(in.lead, isLine):
		return `^` + begin(strings.TrimRightFunc(onlyLines(in.lead), isBlank)) + `(?:[ \x{a0}]+(.*))?$`
	case in.fixed:
		return fmt.Sprintf(`^(?: {%d}(.*))?$`, utf8.RuneCountInString(in.lead))
	}
	return fmt.Sprintf(`^ {%d}(\S.*)$`, utf8.RuneCountInString(in.lead))
}

// onlyLines returns a lead with a blank in place of everything but drawn lines.
func onlyLines(lead string) string {
	return strings.Map(func(r rune) rune {
		if isLine(r) || r == '|' {
			return r
		}
		return ' '
	}, lead)
}

// begin returns a pattern of the lead up to the text, without the blanks at its end. Between two
// lines, the lead may stand anywhere in its row.
func (in *input) begin() string {
	lead := strings.TrimRightFunc(in.lead, isBlank)
	if in.above && in.below == boxRow {
		return `[ \x{a0}]*` + begin(strings.TrimLeftFunc(lead, isBlank))
	}
	return begin(lead)
}

// begin returns a pattern of a lead. If the lead is only a drawn line, it may stand anywhere in
// its row, because some agents move their input.
func begin(lead string) string {
	var b strings.Builder
	if own := strings.TrimLeftFunc(lead, isBlank); strings.ContainsFunc(own, func(r rune) bool { return !isBlank(r) && !isLine(r) }) {
		b.WriteString(blanks(lead[:len(lead)-len(own)])) // in another column, the mark is that of an option
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

// blanks returns a pattern of as many blanks, of either kind.
func blanks(gap string) string {
	n := utf8.RuneCountInString(gap)
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(`(?:[ \x{a0}]{%d})`, n)
}

// stem returns the beginning of a row, up to the first thing that may change: a number, or what
// follows two blanks.
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

// quote returns a pattern of exactly this text.
func quote(s string) string { return regexp.QuoteMeta(s) }

// begins returns the row at which the input begins, including the line that is drawn above it.
// It returns the number of rows if the input is not there.
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
		if re.MatchString(v.rows[i]) && (!in.above || boxSide(v.at(i-1))) && below.MatchString(v.at(i+1)) {
			if in.above {
				i--
			}
			return i
		}
	}
	return len(v.rows)
}
