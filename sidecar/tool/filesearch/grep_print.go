package filesearch

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	// maxShownLine is how many bytes of a line are shown; of a longer one, those around the match.
	maxShownLine = 500
	// shownBefore is how many of them are before the place of the match.
	shownBefore = 350
)

// grepPrinter writes the lines of one file after the other, in the order in which they are in it: a match as path:12:text, a line
// around it, or a further line of a match, behind a space.
type grepPrinter struct {
	before, after int
	out           []byte

	path string
	next int      // the number of the first line that was neither written nor passed
	last int      // the number of the last line that was written, 0 for none
	owed int      // how many lines after a match are still to be written
	tail [][]byte // the lines before next, cut, if they were passed in blocks that are gone
}

// file begins with another file.
func (p *grepPrinter) file(path string) { p.path, p.next, p.last, p.owed, p.tail = path, 1, 0, 0, nil }

// match writes a line, and what is asked for around it. from is where the line p.next begins; match returns where the line
// after the one that was written begins.
func (p *grepPrinter) match(block []byte, from int, l grepLine) int {
	from = p.passOwed(block, from, l.begin)
	first, lines := l.begin, 0
	for lines < p.before && first > from {
		first = bytes.LastIndexByte(block[:first-1], '\n') + 1
		lines++
	}
	if first > 0 {
		p.tail = nil
	}
	p.tail = p.tail[max(0, len(p.tail)-(p.before-lines)):]
	p.next += bytes.Count(block[from:first], []byte("\n"))
	if begins := p.next - len(p.tail); (p.before > 0 || p.after > 0) && (p.last == 0 || begins > p.last+1) {
		p.out = append(p.out, groupEnd...)
	}
	for i, line := range p.tail {
		p.prefix(" ", '-', p.next-len(p.tail)+i)
		p.out = append(append(p.out, line...), '\n')
	}
	p.tail = nil
	for first < l.begin {
		first = p.around(block, first, '-')
	}
	p.prefix("", ':', p.next)
	p.out = append(appendShown(p.out, block[l.begin:l.end], l.at-l.begin), '\n')
	p.last = p.next
	p.next++
	p.owed = p.after
	return l.next
}

// around writes the line at a place as one that is not counted, and returns where the next one begins.
func (p *grepPrinter) around(block []byte, from int, mark byte) int {
	l := lineAt(block, from)
	p.prefix(" ", mark, p.next)
	p.out = append(appendShown(p.out, block[l.begin:l.end], 0), '\n')
	p.last = p.next
	p.next++
	p.tail = nil
	return l.next
}

// pass ends a block, of which nothing from a place on was written.
func (p *grepPrinter) pass(block []byte, from int) {
	from = p.passOwed(block, from, len(block))
	var kept [][]byte
	begin := len(block)
	for len(kept) < p.before && begin > from {
		end := begin
		begin = bytes.LastIndexByte(block[:end-1], '\n') + 1
		l := lineAt(block[:end], begin)
		kept = append(kept, appendShown(nil, block[l.begin:l.end], 0))
	}
	if begin > 0 {
		p.tail = nil
	}
	p.tail = p.tail[max(0, len(p.tail)-(p.before-len(kept))):]
	slices.Reverse(kept)
	p.tail = append(p.tail, kept...)
	p.next += bytes.Count(block[from:], []byte("\n"))
}

// passOwed writes the lines after a match that are still to be written, up to a place.
func (p *grepPrinter) passOwed(block []byte, from, to int) int {
	for p.owed > 0 && from < to {
		from = p.around(block, from, '-')
		p.owed--
	}
	return from
}

// prefix writes what stands before a line.
func (p *grepPrinter) prefix(begin string, mark byte, line int) {
	p.out = append(append(p.out, begin...), p.path...)
	p.out = strconv.AppendInt(append(p.out, mark), int64(line), 10)
	p.out = append(p.out, mark)
}

// appendShown appends a line as it is shown: as UTF-8 without NUL, and cut around a place if it is long.
func appendShown(out, line []byte, at int) []byte {
	begin, end := 0, len(line)
	if end > maxShownLine {
		begin = min(max(0, at-shownBefore), end-maxShownLine)
		for range min(begin, utf8.UTFMax-1) {
			if !utf8.RuneStart(line[begin]) {
				begin++
			}
		}
		end = begin + len(text.Cut(line[begin:], maxShownLine))
	}
	if begin > 0 {
		out = append(out, "…"...)
	}
	if shown := line[begin:end]; text.IsText(shown) {
		out = append(out, shown...)
	} else {
		out = append(out, bytes.ReplaceAll(bytes.ToValidUTF8(shown, []byte("\ufffd")), []byte{0}, []byte("\ufffd"))...)
	}
	if end < len(line) {
		out = append(out, "…"...)
	}
	return out
}
