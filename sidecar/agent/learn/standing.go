package learn

import (
	"index/suffixarray"
	"strings"
)

// standing is the text that stands on screens at rest. Words are separated by one blank.
type standing struct {
	rows   map[string]bool // whole rows
	joined string          // all rows, with a newline before and after each
	glyphs map[rune]bool   // the glyphs that rows begin with
	titles map[rune]bool   // the glyphs that titles begin with
	index  *suffixarray.Index
}

// standingOn collects the text of the screens. The result may be asked thousands of times, so
// that the text is indexed on the first question if indexed is true.
func standingOn(screens ...*screen) *standing {
	s := &standing{rows: map[string]bool{}, glyphs: map[rune]bool{}, titles: map[rune]bool{}}
	known := map[string]bool{}
	var b strings.Builder
	b.WriteByte('\n')
	for _, v := range screens {
		s.titles[glyph(v.title)] = true
		for _, row := range v.rows {
			if known[row] {
				continue
			}
			known[row] = true
			s.glyphs[glyph(row)] = true
			if words := spaced(row); !s.rows[words] {
				s.rows[words] = true
				b.WriteString(words)
				b.WriteByte('\n')
			}
		}
	}
	s.joined = b.String()
	return s
}

// indexed makes has fast for many questions. Building the index costs about as much as a few
// hundred questions without it.
func (s *standing) indexed() *standing {
	s.index = suffixarray.New([]byte(s.joined))
	return s
}

// has reports whether a row or phrase is a part of a row at rest.
func (s *standing) has(words string) bool {
	switch {
	case s.rows[words]:
		return true
	case words == "":
		return true
	case s.index != nil:
		return len(s.index.Lookup([]byte(words), 1)) > 0
	}
	return strings.Contains(s.joined, words)
}

// spaced returns a row with one blank between its words and none around them.
func spaced(row string) string { return strings.Join(strings.FieldsFunc(row, isBlank), " ") }
