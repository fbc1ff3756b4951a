package filesearch

import (
	"bytes"
	"strings"
)

// needle is a literal that is searched. It does not change.
type needle struct {
	text string // in lower case if fold is set
	fold bool   // ASCII letters match in both cases
	rare int    // which byte of text is the least frequent in texts
	// odd says that, with fold, characters beyond ASCII are of the same letters: K has the Kelvin sign, S the long s.
	odd bool
}

func newNeedle(s string, fold bool) needle {
	n := needle{text: s, fold: fold}
	if fold {
		n.text = strings.ToLower(s)
		n.odd = strings.ContainsAny(n.text, "ks")
	}
	for i := range len(n.text) {
		if rarity(n.text[i]) > rarity(n.text[n.rare]) {
			n.rare = i
		}
	}
	return n
}

// frequent are the bytes of source code and prose, the most frequent first.
const frequent = " etaoinsrlcdupmhfg\n\t.,_()bvyw\"=k:;/-x0{}1'>*[]<#2q3jz"

// rarity returns how seldom a byte is in a text.
func rarity(b byte) int {
	if i := strings.IndexByte(frequent, b); i >= 0 {
		return i
	}
	return len(frequent)
}

// index returns where the needle is in a text first, -1 for nowhere.
func (n *needle) index(b []byte) int {
	if n.fold {
		return n.indexFold(b)
	}
	missed := 0
	for at := 0; ; {
		i := bytes.IndexByte(b[min(at+n.rare, len(b)):], n.text[n.rare])
		if i < 0 {
			return -1
		}
		at += i
		if at+len(n.text) > len(b) {
			return -1
		}
		if string(b[at:at+len(n.text)]) == n.text {
			return at
		}
		at++
		if missed++; missed > 4+at>>6 { // the byte is not so rare here
			if i = bytes.Index(b[at:], []byte(n.text)); i < 0 {
				return -1
			}
			return at + i
		}
	}
}

// indexFold is index for letters in both cases.
func (n *needle) indexFold(b []byte) int {
	lower := n.text[n.rare]
	upper := lower
	if 'a' <= lower && lower <= 'z' {
		upper -= 'a' - 'A'
	}
	next := func(from int, c byte) int {
		if i := bytes.IndexByte(b[min(from, len(b)):], c); i >= 0 {
			return from + i
		}
		return len(b)
	}
	nextLower, nextUpper := next(n.rare, lower), len(b)
	if upper != lower {
		nextUpper = next(n.rare, upper)
	}
	for {
		at := min(nextLower, nextUpper)
		if at == len(b) {
			return -1
		}
		if begin := at - n.rare; begin+len(n.text) <= len(b) && equalFold(b[begin:begin+len(n.text)], n.text) {
			return begin
		}
		if at == nextLower {
			nextLower = next(at+1, lower)
		} else {
			nextUpper = next(at+1, upper)
		}
	}
}

// equalFold reports whether a text is another one in lower case, in ASCII.
func equalFold(b []byte, lower string) bool {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// hasOdd reports whether a text has one of the characters for which odd is.
func hasOdd(b []byte) bool {
	return bytes.Contains(b, []byte("\u212a")) || bytes.Contains(b, []byte("\u017f"))
}

// needles are several needles in one text, which is searched from its beginning to its end.
type needles struct {
	all  []needle
	text []byte
	next []int // where each is next: behind what was searched, len(text) for nowhere
}

// begin begins with another text.
func (s *needles) begin(text []byte) {
	s.text = text
	s.next = append(s.next[:0], make([]int, len(s.all))...)
	for i := range s.next {
		s.next[i] = -1
	}
}

// from returns where the first of the needles is at or behind a place, -1 for none. The place does not go back.
func (s *needles) from(place int) int {
	first := len(s.text)
	for i := range s.all {
		if s.next[i] < place {
			s.next[i] = len(s.text)
			if at := s.all[i].index(s.text[place:]); at >= 0 {
				s.next[i] = place + at
			}
		}
		first = min(first, s.next[i])
	}
	if first == len(s.text) {
		return -1
	}
	return first
}
