package patch

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
)

// hunkHead is the head of a hunk that says where it is.
var hunkHead = regexp.MustCompile(`^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@`)

// bareHead is one that does not.
var bareHead = regexp.MustCompile(`^@@(?:[^-+0-9]*@@)?\s*$`)

// hunk reads a hunk. Its lines are as many as its head says. Where these do not fit, they go up to the next head: models count
// badly, and the lines say by themselves what they are.
func (p *parser) hunk(number int) (Hunk, error) {
	h := Hunk{Number: number, Line: p.at + 1, At: -1, counted: -1}
	head := hunkHead.FindStringSubmatch(p.line(0))
	if head == nil && !bareHead.MatchString(p.line(0)) {
		return h, p.faultf(`a hunk's head that is wrong: write "@@ -1,3 +1,4 @@" with the first line and how many, before and after`)
	}
	p.at++
	end := 0
	if head != nil {
		h.At, _ = strconv.Atoi(head[1]) // digits, and few
		h.counted = count(head[2])
		n, ok := p.counted(h.counted, count(head[4]))
		if ok && p.doubtful(n) {
			p.at += n - 2
			return h, p.faultf("two lines that may be the end of a hunk or the names of the next file: write diff --git above a file, and count the hunk's lines in its head")
		}
		if ok {
			end = n
		}
	}
	if end == 0 {
		var err error
		if end, err = p.uncounted(); err != nil {
			return h, err
		}
	}
	return h, p.body(&h, end)
}

func count(s string) int {
	if s == "" {
		return 1
	}
	n, _ := strconv.Atoi(s) // digits, and few
	return n
}

// counted returns how many lines the hunk has that begins here, by the counts of its head. ok is false if its lines do not
// fit them.
func (p *parser) counted(old, new int) (n int, ok bool) {
	if old+new > len(p.lines)*2 {
		return 0, false
	}
	for ; old > 0 || new > 0; n++ {
		if p.at+n >= len(p.lines) {
			return 0, false
		}
		switch kindOf(p.line(n)) {
		case ' ':
			old, new = old-1, new-1
		case '-':
			old--
		case '+':
			new--
		case '\\':
		default:
			return 0, false
		}
		if old < 0 || new < 0 {
			return 0, false
		}
	}
	if kindOf(p.line(n)) == '\\' {
		n++
	}
	return n, p.over(n)
}

// over reports whether no line of a hunk stands n lines further down, after empty ones.
func (p *parser) over(n int) bool {
	for p.at+n < len(p.lines) && p.line(n) == "" {
		n++
	}
	next := parser{lines: p.lines, at: p.at + n}
	return next.at >= len(p.lines) || next.head() || next.line(0) == mailEnd || strings.IndexByte(" +-\\", next.line(0)[0]) < 0
}

// doubtful reports whether a hunk of n lines ends in what would be the names of the next file.
func (p *parser) doubtful(n int) bool {
	if n < 2 || !strings.HasPrefix(p.line(n), "@@") {
		return false
	}
	last := parser{lines: p.lines, at: p.at + n - 2}
	return last.head()
}

// kindOf says what a line of a hunk does: ' ', '-', '+', '\\' for the remark that there is no newline, 0 for no such line. An empty
// line is one that stays, and has lost its space.
func kindOf(line string) byte {
	switch {
	case line == "" || line == "\r":
		return ' '
	case strings.IndexByte(" +-\\", line[0]) >= 0:
		return line[0]
	}
	return 0
}

// uncounted returns how many lines the hunk has that begins here, by what they are. Empty ones at its end are not counted.
func (p *parser) uncounted() (end int, err error) {
	for n := 0; p.at+n < len(p.lines); n++ {
		next := parser{lines: p.lines, at: p.at + n}
		line := next.line(0)
		switch {
		case next.head() && (strings.HasPrefix(next.line(2), "@@") || next.line(2) == ""):
			return end, nil
		case next.head():
			return 0, next.faultf("two lines that may be of a hunk or the names of the next file: write diff --git above a file, and count the hunk's lines in its head")
		case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "Index: "), strings.HasPrefix(line, "```"):
			return end, nil
		case kindOf(line) == 0:
			return 0, next.faultf("a line of a hunk that begins with neither a space, + nor -: a line that stays begins with a space")
		case line != "":
			end = n + 1
		}
	}
	return end, nil
}

// body reads n lines of a hunk.
func (p *parser) body(h *Hunk, n int) error {
	var old, new strings.Builder
	oldEnds, newEnds := false, false
	last := byte(0)
	for range n {
		line := p.line(0)
		kind := kindOf(line)
		switch stays := kind == ' '; {
		case kind == '\\' && (last == 0 || last == '\\'):
			return p.faultf("a remark on the end of the file that follows no line")
		case kind == '\\':
			oldEnds, newEnds = oldEnds || last != '+', newEnds || last != '-'
		case (stays || kind == '-') && oldEnds, (stays || kind == '+') && newEnds:
			return p.faultf(`a line after the last one of its file: "\ No newline at end of file" stands above it`)
		default:
			rest := line
			if strings.Trim(line, "\r") != "" {
				rest = line[1:]
			}
			if kind != '+' {
				old.WriteString(rest + "\n")
			}
			if kind != '-' {
				new.WriteString(rest + "\n")
			}
		}
		switch kind {
		case '+':
			h.Added++
		case '-':
			h.Removed++
		}
		last = kind
		p.at++
	}
	h.Old, h.New, h.ends = old.String(), new.String(), oldEnds || newEnds
	if oldEnds {
		h.Old = strings.TrimSuffix(h.Old, "\n")
	}
	if newEnds {
		h.New = strings.TrimSuffix(h.New, "\n")
	}
	return nil
}

// check returns what a hunk of a file cannot be, as a clause.
func (h *Hunk) check(f *File) error {
	switch {
	case h.Added+h.Removed == 0:
		return errors.New("changes nothing")
	case f.Old == "" && h.Old != "":
		return errors.New("has lines of a file that is not there: one that is made has + lines alone")
	case f.Old == "" && h.Number > 1:
		return errors.New("is one too many: a file that is made has a single one")
	case f.New == "" && h.New != "":
		return errors.New("leaves lines in a file that is removed")
	case f.Old != "" && h.Old == "" && h.counted != 0:
		return errors.New("has no line of the file to find its place by: give lines around it")
	}
	return nil
}
