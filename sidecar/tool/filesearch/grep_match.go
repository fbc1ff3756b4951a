package filesearch

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// grepMatcher finds the lines of a text that match. One goroutine may use it.
type grepMatcher struct {
	pattern *grepPattern
	stopped func() bool
	dfa     *automaton // nil: it was abandoned
	needles needles

	text  []byte
	plain bool // nothing but the needles is needed to find a match
	guess bool // the needles say where a match may be
}

func newMatcher(p *grepPattern, multiline bool, stopped func() bool) *grepMatcher {
	m := &grepMatcher{pattern: p, stopped: stopped, needles: needles{all: p.needles}}
	if !p.exact || p.needles[0].odd {
		m.dfa = newAutomaton(p.prog, !multiline, stopped)
	}
	return m
}

// begin begins with another text.
func (m *grepMatcher) begin(text []byte) {
	m.text = text
	m.guess, m.plain = len(m.needles.all) > 0, m.pattern.exact
	for i := range m.needles.all {
		if m.needles.all[i].odd && hasOdd(text) {
			m.guess, m.plain = false, false
		}
	}
	if m.guess {
		m.needles.begin(text)
	}
}

// grepLine is a line: where it begins, where its text ends, and where the next one begins. at is a place in it where the match is, or ends.
type grepLine struct{ begin, end, next, at int }

// lineAt returns the line that has a place; the end of a line belongs to it.
func lineAt(text []byte, at int) grepLine {
	l := grepLine{at: at, begin: bytes.LastIndexByte(text[:at], '\n') + 1, end: len(text), next: len(text)}
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		l.end, l.next = at+i, at+i+1
	}
	if l.end > l.begin && text[l.end-1] == '\r' {
		l.end--
	}
	return l
}

// line returns the first line that matches at or behind from, where a line begins.
func (m *grepMatcher) line(from int) (grepLine, bool) {
	for from < len(m.text) {
		if m.guess {
			at := m.needles.from(from)
			if at < 0 {
				return grepLine{}, false
			}
			l := lineAt(m.text, at)
			if m.plain && at+len(m.pattern.needles[0].text) <= l.end {
				return l, true
			}
			if m.plain {
				from = l.next
				continue
			}
			if at := m.matches(l); at >= 0 {
				l.at = l.begin + at
				return l, true
			}
			if m.stopped() {
				return grepLine{}, false
			}
			from = l.next
			continue
		}
		if m.dfa != nil {
			at := m.dfa.scan(m.text[from:])
			if at >= 0 {
				return lineAt(m.text, from+at), true
			}
			if at == noMatch || m.stopped() {
				return grepLine{}, false
			}
			m.dfa = nil
		}
		l := lineAt(m.text, from)
		if at := m.matches(l); at >= 0 {
			l.at = l.begin + at
			return l, true
		}
		if m.stopped() {
			return grepLine{}, false
		}
		from = l.next
	}
	return grepLine{}, false
}

// matches returns a place near the first match of a line, relative to its beginning, negative for none.
func (m *grepMatcher) matches(l grepLine) int {
	if m.dfa != nil {
		if at := m.dfa.scan(m.text[l.begin:l.next]); at != abandoned || m.stopped() {
			return at
		}
		m.dfa = nil
	}
	found := m.pattern.first.FindReaderIndex(&runeReader{text: m.text[l.begin:l.end], stopped: m.stopped})
	if found == nil {
		return noMatch
	}
	return found[1]
}

// any reports whether a text of several lines may have a match. It may say yes when the search has ended.
func (m *grepMatcher) any(text []byte) bool {
	m.begin(text)
	switch {
	case m.guess && m.needles.from(0) < 0:
		return false
	case m.plain || m.dfa == nil:
		return true
	}
	at := m.dfa.scan(text)
	if at == abandoned {
		m.dfa = nil
	}
	return at != noMatch
}

// runeReader reads the characters of a text until the search has ended: then the text does too.
type runeReader struct {
	text    []byte
	stopped func() bool
	read    int
}

var _ io.RuneReader = (*runeReader)(nil)

// ReadRune implements io.RuneReader.
func (r *runeReader) ReadRune() (rune, int, error) {
	if r.read++; len(r.text) == 0 || r.read%stepsBetween == 0 && r.stopped() {
		return 0, 0, io.EOF
	}
	c, width := utf8.DecodeRune(r.text)
	r.text = r.text[width:]
	return c, width, nil
}
