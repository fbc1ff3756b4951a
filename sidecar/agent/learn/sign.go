package learn

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
)

const (
	// coverShare is the share of the frames, one in so many, that a sign must stand in: what is
	// seen less often is more likely a part of an answer. No more than that many signs are found,
	// because each adds frames to those of the signs before it.
	coverShare = 4
	// movedMin is how many frames what moved must have stood in: what stood in one is a redraw.
	movedMin = 2
	// spinnerMin is how many glyphs take turns in a spinner at least.
	spinnerMin = 2
)

// sign is something that stands on the screen only while the agent works.
type sign struct {
	words  string // a phrase of one row; "" means a glyph
	glyphs []rune // what the row begins with, in order
	rows   int    // the sign stands in one of so many last rows
	covers int    // the number of frames it stands in
	total  int    // the number of frames that have anything that is not there at rest
	idle   map[rune]bool
}

// fits reports whether a row has the sign. words has one blank between its words.
func (s *sign) fits(words string) bool {
	if s.words == "" {
		return slices.Contains(s.glyphs, glyph(words))
	}
	for at := 0; ; {
		i := strings.Index(words[at:], s.words)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(s.words)
		if (at == 0 || words[at-1] == ' ') && (end == len(words) || words[end] == ' ') {
			return true
		}
		at++
	}
}

// pattern returns the sign as a profile's pattern.
func (s *sign) pattern() string {
	if s.words == "" {
		return `^[ \x{a0}]*` + class(s.glyphs, s.idle) + `(?:[ \x{a0}]|$)`
	}
	words := strings.Fields(s.words)
	for i, w := range words {
		words[i] = quote(w)
	}
	return strings.Join(words, `[ \x{a0}]+`)
}

// search looks for signs of work: for what stands in frames, and neither on the screens at
// rest nor on the one that is looked at now.
type search struct {
	work    *work
	rest    *standing
	restRev int       // the revision of rest
	now     *standing // nil if only the screens at rest count
	nowRev  int
	asked   *int // how many texts were compared
}

// rowStands reports whether a row stands at rest or now.
func (s *search) rowStands(row *workRow) bool {
	return s.rowNow(row) || row.atRest.of(s.restRev, func() bool { *s.asked++; return s.rest.has(row.words) })
}

func (s *search) rowNow(row *workRow) bool {
	return s.now != nil && row.now.of(s.nowRev, func() bool { *s.asked++; return s.now.has(row.words) })
}

// stands reports whether a phrase stands at rest or now.
func (s *search) stands(phrase string, m *mark) bool {
	if s.rowNow(m.row) || m.atRest.of(s.restRev, func() bool { *s.asked++; return s.rest.has(phrase) }) {
		return true
	}
	if s.now == nil {
		return false
	}
	*s.asked++
	return s.now.has(phrase)
}

// idle reports whether rows that stand at rest or now begin with a glyph.
func (s *search) idle(g rune) bool { return s.rest.glyphs[g] || s.now != nil && s.now.glyphs[g] }

// fresh returns the frames that have a row that does not stand at rest or now.
func (s *search) fresh() (set uint64) {
	for i, f := range s.work.frames {
		if slices.ContainsFunc(f.rows, func(row *workRow) bool { return !s.rowStands(row) }) {
			set |= 1 << i
		}
	}
	return set
}

// signs returns the signs of work, the one of the most frames first, until each fresh frame has
// one of them or no other sign stands in enough of the rest.
func (s *search) signs() (all []sign) {
	open := s.fresh()
	total := bits.OnesCount64(open)
	least := max(1, (total+coverShare-1)/coverShare)
	for best := s.best(open, least); best != nil; best = s.best(open, least) {
		best.total = total
		open &^= s.place(best, open)
		all = append(all, *best)
	}
	return all
}

// moved reports whether there is a sign that stands in several frames.
func (s *search) moved() bool {
	open := s.fresh()
	total := bits.OnesCount64(open)
	return s.best(open, max(movedMin, (total+coverShare-1)/coverShare)) != nil
}

// best returns the sign that stands in most of the open frames, and in at least as many as least
// says; nil if there is none. If several stand in as many, the one with the most hints of work
// counts, then the longest; a phrase counts before glyphs.
func (s *search) best(open uint64, least int) *sign {
	var best *sign
	for phrase, m := range s.work.phrases {
		covers := bits.OnesCount64(m.in & open)
		if covers < least || best != nil && covers < best.covers {
			continue
		}
		if best != nil && covers == best.covers && cmp.Or(hints(phrase)-hints(best.words), len(phrase)-len(best.words), strings.Compare(best.words, phrase)) <= 0 {
			continue
		}
		if !s.stands(phrase, m) {
			best = &sign{words: phrase, covers: covers}
		}
	}
	if spin := s.spinner(open); spin != nil && spin.covers >= least && (best == nil || spin.covers > best.covers) {
		return spin
	}
	return best
}

// spinner returns the glyphs that rows of the open frames begin with, if there are several.
func (s *search) spinner(open uint64) *sign {
	spin := &sign{idle: s.rest.glyphs}
	var in uint64
	for g, m := range s.work.glyphs {
		if m.in&open != 0 && !s.idle(g) {
			spin.glyphs, in = append(spin.glyphs, g), in|m.in
		}
	}
	if len(spin.glyphs) < spinnerMin {
		return nil
	}
	slices.Sort(spin.glyphs)
	spin.covers = bits.OnesCount64(in & open)
	return spin
}

// place finds how far from the bottom a sign stands in the open frames. It returns the frames.
func (s *search) place(found *sign, open uint64) (in uint64) {
	for i, f := range s.work.frames {
		if open&(1<<i) == 0 {
			continue
		}
		for at, row := range f.rows {
			if found.fits(row.words) {
				in |= 1 << i
				found.rows = max(found.rows, f.below[at]+1)
			}
		}
	}
	return in
}

// evidence returns up to turnFrames of the fresh frames, which cover all of them, and the
// phrases that may be a sign of work in them.
func (s *search) evidence() (frames []frame, phrases map[string]bool) {
	set := s.fresh()
	for kept, n := 0, bits.OnesCount64(set); kept < min(n, turnFrames); kept++ {
		frames = append(frames, s.work.frames[nth(set, kept*n/min(n, turnFrames))])
	}
	var all []string
	for phrase, m := range s.work.phrases {
		if m.in&set != 0 {
			all = append(all, phrase)
		}
	}
	in := func(phrase string) int { return bits.OnesCount64(s.work.phrases[phrase].in & set) }
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(in(b)-in(a), strings.Compare(a, b))
	})
	phrases = map[string]bool{}
	for _, phrase := range all {
		if len(phrases) == turnPhrases {
			break
		}
		if !s.stands(phrase, s.work.phrases[phrase]) {
			phrases[phrase] = true
		}
	}
	return frames, phrases
}

// nth returns the position of the n-th bit of a set, counted from 0.
func nth(set uint64, n int) int {
	for ; n > 0; n-- {
		set &= set - 1
	}
	return bits.TrailingZeros64(set)
}
