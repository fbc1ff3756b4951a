package search

import (
	"math/bits"
	"sort"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// terms are the different words of an index, in order, in one text.
type terms struct {
	blob []byte
	ends []uint32
	// letters has a bit for each letter that a term has: words that differ in many letters
	// are not compared.
	letters []uint32
}

func newTerms(n int) terms {
	return terms{ends: make([]uint32, 0, n), letters: make([]uint32, 0, n)}
}

// add appends a term, which must be greater than the last one.
func (t *terms) add(s string) {
	t.blob = append(t.blob, s...)
	t.ends = append(t.ends, uint32(len(t.blob)))
	t.letters = append(t.letters, letters(s))
}

func (t *terms) at(i int) string {
	from := uint32(0)
	if i > 0 {
		from = t.ends[i-1]
	}
	return text.Shared(t.blob[from:t.ends[i]])
}

// find returns a term's number.
func (t *terms) find(s string) (uint32, bool) {
	at := t.first(s)
	return uint32(at), at < len(t.ends) && t.at(at) == s
}

// first returns the number of the first term that is not less than s.
func (t *terms) first(s string) int {
	return sort.Search(len(t.ends), func(i int) bool { return t.at(i) >= s })
}

// completions returns the terms that begin with s, at most maxCompleted, in order.
func (t *terms) completions(s string) (found []uint32) {
	for i := t.first(s); i < len(t.ends) && len(found) < maxCompleted && strings.HasPrefix(t.at(i), s); i++ {
		found = append(found, uint32(i))
	}
	return found
}

// corrections returns the terms that are nearest to s, of those that few typing errors away,
// at most maxCorrected, in order.
func (t *terms) corrections(s string) (found []uint32) {
	errors := 0
	switch n := len(s); {
	case n > maxWord || n < 5:
		return nil
	case n < 9:
		errors = 1
	default:
		errors = 2
	}
	mask := letters(s)
	for i, other := range t.letters {
		if bits.OnesCount32(mask^other) > 2*errors {
			continue
		}
		switch d := distance(s, t.at(i), errors); {
		case d > errors:
		case d < errors:
			errors, found = d, append(found[:0], uint32(i))
		case len(found) < maxCorrected:
			found = append(found, uint32(i))
		}
	}
	return found
}

// letters returns the letters of a word as bits; all that are not a to z are one.
func letters(s string) (mask uint32) {
	for i := range len(s) {
		if c := s[i]; 'a' <= c && c <= 'z' {
			mask |= 1 << (c - 'a')
		} else {
			mask |= 1 << 26
		}
	}
	return mask
}

// distance returns how many typing errors two words of at most maxWord bytes are apart: a byte
// too many, too few or wrong, or two in the wrong order. Above most, it is only more than most.
func distance(a, b string, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	var rows [3][maxWord + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		least := i
		for j := 1; j <= len(b); j++ {
			wrong := 1
			if a[i-1] == b[j-1] {
				wrong = 0
			}
			row[j] = min(last[j-1]+wrong, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			least = min(least, row[j])
		}
		if least > most {
			return most + 1
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
