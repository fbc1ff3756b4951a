package learn

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

const (
	shotsMax = 400 // screens of one turn that are looked at
	wordsMax = 4   // words of a sign
	signsMax = 4   // signs of work
)

// shot is a screen of a turn that was not yet at rest: the rows that were new.
type shot struct {
	rows  []string
	below []int // how many rows from the last one each of them was
	title string
}

// work is what was seen while the agent worked.
type work struct {
	shots []shot
	last  string
}

// see takes a screen of a turn. known are the rows that were there before it.
func (w *work) see(v *screen, known map[string]bool) {
	var s shot
	s.title = v.title
	from := max(0, len(v.rows)-signRows)
	if v.alternate {
		from = 0 // what was said begins at the top
	}
	for i := from; i < len(v.rows); i++ {
		if row := v.rows[i]; !blank(row) && !known[row] && !frame(row) {
			s.rows, s.below = append(s.rows, row), append(s.below, len(v.rows)-1-i)
		}
	}
	if text := strings.Join(s.rows, "\n") + s.title; text != w.last && len(w.shots) < shotsMax {
		w.last, w.shots = text, append(w.shots, s)
	}
}

// signRows is how far from the bottom of the main screen a sign of work is looked for.
const signRows = 16

// sign is something that stands on the screen while the agent works, and only then.
type sign struct {
	words  string // in one row, with one blank between them; "": a glyph
	glyphs []rune // what its row begins with
	rows   int    // how many of the last rows it is in
	covers int    // in how many shots it was
	total  int
	idle   map[rune]bool // the glyphs that rows begin with at rest
}

// pattern is the sign as a profile's pattern.
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

// signs returns what was on the screen while the agent worked and on no screen at rest,
// the ones that were seen most first, until all screens are covered.
func (w *work) signs(rest ...*screen) (all []sign) {
	text := resting(rest)
	var open []shot
	for _, s := range w.shots {
		if s.fresh(&text) {
			open = append(open, s)
		}
	}
	total := len(open)
	for len(open) > 0 && len(all) < signsMax {
		best := bestSign(open, &text)
		if best == nil || best.covers*4 < total {
			break
		}
		best.total = total
		all = append(all, *best)
		open = slices.DeleteFunc(open, best.in)
	}
	return all
}

// rest is the text of all screens at rest, and the glyphs that their rows begin with.
type rest struct {
	joined string
	glyphs map[rune]bool
	is     map[string]bool     // whether a text is there, as far as it was asked
	signs  map[string][]string // what may be a sign in a row
}

func resting(screens []*screen) rest {
	r := rest{glyphs: map[rune]bool{}, is: map[string]bool{}, signs: map[string][]string{}}
	var b strings.Builder
	for _, v := range screens {
		for _, row := range v.rows {
			b.WriteString("\n" + strings.Join(strings.FieldsFunc(row, isBlank), " "))
			r.glyphs[glyph(row)] = true
		}
	}
	r.joined = b.String() + "\n"
	return r
}

// fresh reports whether a shot has a row that is not a part of what stands there at rest.
func (s *shot) fresh(r *rest) bool {
	return slices.ContainsFunc(s.rows, func(row string) bool { return !r.has(row) })
}

// has reports whether a row, or a row of which it is the beginning, is there at rest.
func (r *rest) has(row string) bool {
	has, known := r.is[row]
	if !known {
		has = strings.Contains(r.joined, strings.Join(strings.FieldsFunc(row, isBlank), " "))
		r.is[row] = has
	}
	return has
}

// new returns the phrases of a row that are not there at rest.
func (r *rest) new(row string) []string {
	all, known := r.signs[row]
	if !known {
		for _, words := range phrases(row) {
			if !r.has(words) {
				all = append(all, words)
			}
		}
		r.signs[row] = all
	}
	return all
}

// in reports whether a shot has the sign.
func (s *sign) in(shot shot) bool {
	return slices.ContainsFunc(shot.rows, func(row string) bool { return s.fits(row) })
}

func (s *sign) fits(row string) bool {
	if s.words == "" {
		return slices.Contains(s.glyphs, glyph(row))
	}
	return strings.Contains(" "+strings.Join(strings.FieldsFunc(row, isBlank), " ")+" ", " "+s.words+" ")
}

// bestSign returns the sign that most of the shots have. Of several the one with the most
// words counts, and one with words before a glyph.
func bestSign(shots []shot, r *rest) *sign {
	seen := map[string]*sign{}
	count := func(key string, below int, in map[string]bool) {
		s := seen[key]
		if s == nil {
			s = &sign{words: key}
			seen[key] = s
		}
		if s.rows = max(s.rows, below+1); !in[key] {
			in[key], s.covers = true, s.covers+1
		}
	}
	turning := map[rune]int{}
	for _, shot := range shots {
		in := map[string]bool{}
		for i, row := range shot.rows {
			if r.has(row) {
				continue
			}
			for _, words := range r.new(row) {
				count(words, shot.below[i], in)
			}
			if g := glyph(row); g != 0 && !r.glyphs[g] {
				turning[g]++
			}
		}
	}
	var best *sign
	for _, s := range seen {
		if best == nil || cmp.Or(s.covers-best.covers, hints(s.words)-hints(best.words), len(s.words)-len(best.words), strings.Compare(best.words, s.words)) > 0 {
			best = s
		}
	}
	if spin := spinner(turning, shots, r.glyphs); spin != nil && (best == nil || spin.covers > best.covers) {
		return spin
	}
	return best
}

// spunMin is how much of a text must have stood behind a spinner, in bytes.
const spunMin = 3

// became reports whether a row begins with a sign of one letter that is no text, in whose place
// a spinner stood before, with the beginning of the same text behind it.
func (w *work) became(row string) bool {
	words := strings.FieldsFunc(row, isBlank)
	if len(words) < 2 || len(words[0]) != 1 || hasText(words[0]) {
		return false
	}
	said := strings.Join(words[1:], " ")
	return slices.ContainsFunc(w.shots, func(s shot) bool {
		return slices.ContainsFunc(s.rows, func(was string) bool {
			then := strings.FieldsFunc(was, isBlank)
			if len(then) < 2 || !text.Spins(was) {
				return false
			}
			behind := strings.Join(then[1:], " ")
			return len(behind) >= spunMin && strings.HasPrefix(said, behind)
		})
	})
}

// hints returns how much words look like what an agent shows only while it can be stopped.
func hints(words string) (n int) {
	lower := strings.ToLower(words)
	for _, w := range []string{"esc", "ctrl", "interrupt", "cancel", "stop"} {
		if strings.Contains(lower, w) {
			n++
		}
	}
	return n
}

// spinner returns the signs that rows begin with, if there are several of them.
func spinner(turning map[rune]int, shots []shot, idle map[rune]bool) *sign {
	if len(turning) < 2 {
		return nil
	}
	s := &sign{idle: idle}
	for g := range turning {
		s.glyphs = append(s.glyphs, g)
	}
	slices.Sort(s.glyphs)
	for _, shot := range shots {
		if s.in(shot) {
			s.covers++
		}
		for i, row := range shot.rows {
			if s.fits(row) {
				s.rows = max(s.rows, shot.below[i]+1)
			}
		}
	}
	return s
}

// phrases returns the runs of words of a row that may be a sign: of up to wordsMax words
// without digits, with five letters in all.
func phrases(row string) (all []string) {
	words := strings.FieldsFunc(row, isBlank)
	if len(words) > 40 {
		words = words[:40]
	}
	for i := range words {
		for n := 1; n <= wordsMax && i+n <= len(words); n++ {
			run := words[i : i+n]
			if strings.ContainsFunc(run[n-1], unicode.IsDigit) || !hasText(run[n-1]) && n == 1 {
				break
			}
			if phrase := strings.Join(run, " "); letters(phrase) >= 5 && hasText(run[n-1]) && len(phrase) < 80 {
				all = append(all, phrase)
			}
		}
	}
	return all
}

func letters(s string) (n int) {
	for _, r := range s {
		if unicode.IsLetter(r) {
			n++
		}
	}
	return n
}

// families are glyphs of which an agent that shows some may show the others.
var families = []string{"⠁⠂⠄⠆⠇⠋⠏⠙⠚⠛⠞⠟⠠⠤⠦⠧⠲⠳⠴⠸⠹⠻⠼⠽⠾⠿⡀⢀", "⣾⣽⣻⢿⡿⣟⣯⣷", "·✢✳✶✻✽✱✲✴✺", "◐◓◑◒", "◴◷◶◵", "◜◠◝◞◡◟", "▖▘▝▗"}

// class is a pattern of one of the glyphs, and of those that go with them unless one of
// these was seen at rest.
func class(glyphs []rune, idle map[rune]bool) string {
	all := slices.Clone(glyphs)
	for _, family := range families {
		if strings.ContainsAny(family, string(glyphs)) && !strings.ContainsFunc(family, func(g rune) bool { return idle[g] }) {
			all = append(all, []rune(family)...)
		}
	}
	slices.Sort(all)
	var b strings.Builder
	for _, g := range slices.Compact(all) {
		fmt.Fprintf(&b, `\x{%x}`, g)
	}
	return "[" + b.String() + "]"
}

// titles returns the glyphs that the title begins with only while the agent works.
func (w *work) titles(rest ...*screen) (glyphs []rune, idle map[rune]bool) {
	idle = map[rune]bool{}
	for _, v := range rest {
		idle[glyph(v.title)] = true
	}
	seen := 0
	for _, s := range w.shots {
		if g := glyph(s.title); g != 0 && !idle[g] {
			seen++
			if !slices.Contains(glyphs, g) {
				glyphs = append(glyphs, g)
			}
		}
	}
	if seen*2 < len(w.shots) || seen == 0 {
		return nil, idle
	}
	slices.Sort(glyphs)
	return glyphs, idle
}
