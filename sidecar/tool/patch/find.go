package patch

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// search is a file of which the first lines are done.
type search struct {
	content string
	from    int // where the rest begins, in bytes: a line begins there
	line    int // the number of that line
}

// place is where a hunk fits.
type place struct {
	start, end int
	line       int
	new        string // what comes there
}

// find returns where a hunk fits nearest to where it says, moved as the one before was.
func (s *search) find(h *Hunk, drift int) (place, error) {
	if h.Old == "" {
		return s.insertion(h, drift)
	}
	wanted, at := s.line, s.from
	if h.At >= 0 {
		wanted = max(h.At, 1) + drift
		at = s.offset(wanted)
	}
	variants := s.variants(h)
	for _, v := range variants {
		if h.At >= 0 && wanted >= s.line && s.fits(v, at) {
			return place{at, at + len(v.old), wanted, v.new}, nil
		}
	}
	var all []place
	for _, v := range variants {
		for _, p := range s.places(v, at) {
			all = addPlace(all, p)
		}
	}
	if len(all) == 0 {
		return place{}, &MissError{h}
	}
	off := func(p place) int { return max(p.line-wanted, wanted-p.line) }
	best, next := 0, -1
	for i := 1; i < len(all); i++ {
		switch {
		case off(all[i]) < off(all[best]):
			best, next = i, best
		case next < 0 || off(all[i]) < off(all[next]):
			next = i
		}
	}
	if next >= 0 && (h.At < 0 || off(all[best]) > MaxDrift || off(all[best]) == off(all[next])) {
		return place{}, &DoubtError{h, [2]int{min(all[best].line, all[next].line), max(all[best].line, all[next].line)}}
	}
	return all[best], nil
}

// addPlace adds a place that is not there yet.
func addPlace(all []place, p place) []place {
	for _, other := range all {
		if other.start == p.start {
			return all
		}
	}
	return append(all, p)
}

// insertion is the place of a hunk that only adds lines: nothing but its head says where.
func (s *search) insertion(h *Hunk, drift int) (place, error) {
	at := s.offset(h.At + 1)
	there := h.At+1 >= s.line && drift == 0 && (at == 0 || s.content[at-1] == '\n') && s.line+strings.Count(s.content[s.from:at], "\n") == h.At+1
	mixed := strings.HasSuffix(s.content[:at], "\r\n") && !strings.Contains(h.New, "\r\n") // no line shows which is meant
	if !there || mixed || at < len(s.content) && !strings.HasSuffix(h.New, "\n") {
		return place{}, &MissError{h}
	}
	return place{at, at, h.At + 1, h.New}, nil
}

// offset returns where a line begins: the rest's beginning for one before it, the end for one after the last.
func (s *search) offset(line int) int {
	at := s.from
	for n := s.line; n < line; n++ {
		i := strings.IndexByte(s.content[at:], '\n')
		if i < 0 {
			return len(s.content)
		}
		at += i + 1
	}
	return at
}

// variant is how the lines of a hunk may stand in the file.
type variant struct{ old, new string }

// last reports whether the file ends with the lines, as it is or as it will be.
func (v *variant) last() bool {
	return !strings.HasSuffix(v.old, "\n") || v.new != "" && !strings.HasSuffix(v.new, "\n")
}

// fits reports whether the old lines stand at a place.
func (s *search) fits(v variant, at int) bool {
	return s.begins(at) && strings.HasPrefix(s.content[at:], v.old) && (!v.last() || at+len(v.old) == len(s.content))
}

// variants returns the lines as they are, and with what the file may keep.
func (s *search) variants(h *Hunk) []variant {
	all := []variant{{h.Old, h.New}}
	switch {
	case strings.Contains(h.Old, "\r\n"):
		all = append(all, variant{strings.ReplaceAll(h.Old, "\r\n", "\n"), strings.ReplaceAll(h.New, "\r\n", "\n")})
	case strings.Contains(s.content, "\r\n"):
		all = append(all, variant{toCRLF(h.Old), toCRLF(h.New)})
	}
	if h.ends || strings.HasSuffix(s.content, "\n") {
		return all
	}
	for _, v := range all {
		all = append(all, variant{trimEnd(v.old), trimEnd(v.new)})
	}
	return all
}

func toCRLF(lines string) string {
	return strings.ReplaceAll(strings.ReplaceAll(lines, "\r\n", "\n"), "\n", "\r\n")
}

// trimEnd takes the end of the last line away.
func trimEnd(lines string) string { return strings.TrimSuffix(strings.TrimSuffix(lines, "\n"), "\r") }

// places returns where the old lines of a hunk stand, the nearest before a place and the nearest after it, and one
// more on that side if nothing is on the other. No other can be nearer.
func (s *search) places(v variant, at int) (all []place) {
	if v.last() {
		if start := len(s.content) - len(v.old); start >= s.from && s.fits(v, start) {
			all = append(all, s.place(v, start))
		}
		return all
	}
	if after := s.next(v.old, at); after >= 0 {
		all = append(all, s.place(v, after))
	}
	before := s.last(v.old, at)
	if before >= 0 {
		all = append(all, s.place(v, before))
	}
	if len(all) != 1 {
		return all
	}
	more := -1
	if before >= 0 {
		more = s.last(v.old, before)
	} else if after := all[0].start; after < len(s.content) {
		more = s.next(v.old, after+1)
	}
	if more >= 0 {
		all = append(all, s.place(v, more))
	}
	return all
}

func (s *search) place(v variant, start int) place {
	return place{start, start + len(v.old), s.line + strings.Count(s.content[s.from:start], "\n"), v.new}
}

// begins reports whether a line begins at a place.
func (s *search) begins(at int) bool { return at == 0 || s.content[at-1] == '\n' }

// next returns where some lines stand first from a place on, -1 for nowhere.
func (s *search) next(lines string, at int) int {
	if s.begins(at) && strings.HasPrefix(s.content[at:], lines) {
		return at
	}
	if i := text.Index(s.content[at:], "\n"+lines); i >= 0 {
		return at + i + 1
	}
	return -1
}

// last returns where some lines stand last before a place, in what is not done; -1 for nowhere.
func (s *search) last(lines string, at int) int {
	end := min(at-1+len(lines), len(s.content))
	if at <= s.from || end < s.from {
		return -1
	}
	if i := text.LastIndex(s.content[s.from:end], "\n"+lines); i >= 0 {
		return s.from + i + 1
	}
	if strings.HasPrefix(s.content[s.from:end], lines) {
		return s.from
	}
	return -1
}
