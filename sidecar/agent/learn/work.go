package learn

import (
	"maps"
	"math/bits"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	// framesMax is how many frames are kept of one turn, and of all turns before it. A frame is
	// one bit of a set, so that counting the frames of a phrase is one instruction.
	framesMax = 64
	// turnFrames is how many frames of a turn are kept after it: four turns fit in framesMax.
	turnFrames = 16
	// turnPhrases is how many phrases of a turn are kept after it, those of the most frames
	// first.
	turnPhrases = 512
	// phrasesMax is how many phrases of earlier frames are counted. If there are more, those
	// that were seen least are forgotten: a sign of work is seen again and again.
	phrasesMax = 4096
	// glyphsMax is how many glyphs are counted. No known spinner has more than 28, and a class
	// of so many still fits in a profile's pattern.
	glyphsMax = 48
	// rowsKept is how many different rows of a turn are kept for reuse.
	rowsKept = 4096
	// signRows is how far from the bottom of the main screen a sign of work is looked for:
	// agents draw it near their input.
	signRows = 16
	// spunMin is how much of a text must have stood after a spinner, in bytes, so that a row
	// that begins with the same text is known to have taken its place.
	spunMin = 3
)

// workRow is a row that was seen while the agent worked.
type workRow struct {
	words string // with one blank between its words
	glyph rune   // the glyph that it begins with, 0 for none
	spins bool   // it begins with a spinner

	phrased bool
	phrases []string
	atRest  memo // whether it is a part of what stands at rest
	now     memo // whether it stands on the screen that Moved was asked about
}

// all returns the row's phrases.
func (r *workRow) all() []string {
	if !r.phrased {
		r.phrases, r.phrased = phrases(r.words), true
	}
	return r.phrases
}

// memo is an answer that holds for one revision of what it depends on.
type memo struct {
	revision int
	is       bool
}

// of returns the answer for a revision above 0, and asks for it once.
func (m *memo) of(revision int, ask func() bool) bool {
	if m.revision != revision {
		m.revision, m.is = revision, ask()
	}
	return m.is
}

// frame is one screen of a turn at which the agent was not at rest: its new rows from the
// bottom up, and how many rows are below each of them.
type frame struct {
	rows  []*workRow
	below []int
}

// work is a sample of the frames of a turn, or of several turns, with an index of what stands
// in them.
type work struct {
	frames  []frame // frame i is bit i of each set
	stride  int     // one of so many frames is kept; 0 means each
	skipped int
	phrases map[string]*mark
	glyphs  map[rune]*mark
}

// mark tells in which frames a phrase or a glyph stands.
type mark struct {
	in     uint64
	row    *workRow // the last row that it was seen in
	atRest memo
}

// sample adds a frame of a turn. If there is no room, it drops every other frame and keeps
// half as many from then on, so that the sample always covers the whole turn.
func (w *work) sample(f frame) {
	if w.skipped++; w.skipped < w.stride {
		return
	}
	w.skipped = 0
	if len(w.frames) == framesMax {
		w.thin()
	}
	w.add(f, nil)
	w.prune()
}

// add adds a frame and its phrases. If only is not nil, other phrases are left out.
func (w *work) add(f frame, only map[string]bool) {
	if w.phrases == nil {
		w.phrases, w.glyphs = map[string]*mark{}, map[rune]*mark{}
	}
	bit := uint64(1) << len(w.frames)
	w.frames = append(w.frames, f)
	for _, row := range f.rows {
		for _, phrase := range row.all() {
			if only != nil && !only[phrase] {
				continue
			}
			m := w.phrases[phrase]
			if m == nil {
				m = &mark{}
				w.phrases[phrase] = m
			}
			m.in, m.row = m.in|bit, row
		}
		if m := w.glyphs[row.glyph]; m != nil {
			m.in, m.row = m.in|bit, row
		} else if row.glyph != 0 && len(w.glyphs) < glyphsMax {
			w.glyphs[row.glyph] = &mark{in: bit, row: row}
		}
	}
}

// thin drops every other frame.
func (w *work) thin() {
	kept := w.frames[:0]
	for i := 0; i < len(w.frames); i += 2 {
		kept = append(kept, w.frames[i])
	}
	clear(w.frames[len(kept):])
	w.frames, w.stride = kept, max(1, w.stride)*2
	w.remap(evenBits)
}

// forget drops the n oldest frames.
func (w *work) forget(n int) {
	if n > 0 {
		w.frames = slices.Delete(w.frames, 0, n)
		w.remap(func(in uint64) uint64 { return in >> n })
	}
}

// remap changes each set of frames, and forgets what is in no frame any more.
func (w *work) remap(change func(uint64) uint64) {
	for _, m := range w.phrases {
		m.in = change(m.in)
	}
	for _, m := range w.glyphs {
		m.in = change(m.in)
	}
	maps.DeleteFunc(w.phrases, func(_ string, m *mark) bool { return m.in == 0 })
	maps.DeleteFunc(w.glyphs, func(_ rune, m *mark) bool { return m.in == 0 })
}

// evenBits returns the bits 0, 2, 4… as the bits 0, 1, 2….
func evenBits(in uint64) uint64 {
	in &= 0x5555555555555555
	for shift, mask := 1, []uint64{0x3333333333333333, 0x0f0f0f0f0f0f0f0f, 0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff}; len(mask) > 0; shift, mask = shift*2, mask[1:] {
		in = (in | in>>shift) & mask[0]
	}
	return in
}

// prune forgets the phrases that were seen in the fewest frames, if there are too many. Those
// of the newest frame stay: they had no time to be seen twice.
func (w *work) prune() {
	if len(w.phrases) <= phrasesMax {
		return
	}
	newest := uint64(1) << (len(w.frames) - 1)
	var counts [framesMax + 1]int
	old := 0
	for _, m := range w.phrases {
		if m.in&newest == 0 {
			counts[bits.OnesCount64(m.in)]++
			old++
		}
	}
	least := 0
	for old > phrasesMax/2 {
		least++
		old -= counts[least]
	}
	maps.DeleteFunc(w.phrases, func(_ string, m *mark) bool {
		return m.in&newest == 0 && bits.OnesCount64(m.in) <= least
	})
}

// became reports whether a row begins with a sign of one character that is not text, and a
// spinner stood in the place of that sign before, with the beginning of the same text after it.
func (w *work) became(row string) bool {
	sign, said, _ := strings.Cut(spaced(row), " ")
	if said == "" || len(sign) != 1 || hasText(sign) {
		return false
	}
	return slices.ContainsFunc(w.frames, func(f frame) bool {
		return slices.ContainsFunc(f.rows, func(was *workRow) bool {
			_, then, _ := strings.Cut(was.words, " ")
			return was.spins && len(then) >= spunMin && strings.HasPrefix(said, then)
		})
	})
}

// watch makes frames of the screens of a turn.
type watch struct {
	rows  map[string]*workRow // the rows of this turn, by their text on the screen
	last  []*workRow
	title string
}

// frame returns the frame of a screen, without the rows that were known before the turn. It
// reports whether that frame differs from the one before, or has anything if it is the first.
func (t *watch) frame(v *screen, known map[string]bool) (f frame, changed bool) {
	if t.rows == nil || len(t.rows) > rowsKept {
		t.rows = map[string]*workRow{}
	}
	from := max(0, len(v.rows)-signRows)
	if v.alternate {
		from = 0 // the conversation begins at the top, and so may the sign of work
	}
	for i := len(v.rows) - 1; i >= from; i-- {
		shown := v.rows[i]
		row := t.rows[shown]
		if row == nil {
			if blank(shown) || known[shown] || boxSide(shown) {
				continue
			}
			row = &workRow{words: spaced(shown), glyph: glyph(shown), spins: text.Spins(shown)}
			t.rows[strings.Clone(shown)] = row
		}
		f.rows, f.below = append(f.rows, row), append(f.below, len(v.rows)-1-i)
	}
	changed = v.title != t.title || !slices.Equal(f.rows, t.last)
	t.last, t.title = f.rows, v.title
	return f, changed
}
