package learn

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// glyph returns the sign that a row begins with, if a blank or nothing follows it. It returns 0
// if the row begins with text, with a drawn line or with an ASCII character, which may be a mark
// of Markdown.
func glyph(row string) rune {
	r, size := utf8.DecodeRuneInString(strings.TrimLeftFunc(row, isBlank))
	if size == 0 || r < utf8.RuneSelf || isText(r) || isLine(r) {
		return 0
	}
	after, size := utf8.DecodeRuneInString(strings.TrimLeftFunc(row, isBlank)[size:])
	if size > 0 && !isBlank(after) {
		return 0
	}
	return r
}

// families are glyphs that go together: an agent that shows some of a family may show the
// others.
var families = []string{"⠁⠂⠄⠆⠇⠋⠏⠙⠚⠛⠞⠟⠠⠤⠦⠧⠲⠳⠴⠸⠹⠻⠼⠽⠾⠿⡀⢀", "⣾⣽⣻⢿⡿⣟⣯⣷", "·✢✳✶✻✽✱✲✴✺", "◐◓◑◒", "◴◷◶◵", "◜◠◝◞◡◟", "▖▘▝▗"}

// class returns a pattern of one of the glyphs. The rest of their families belongs to it,
// except for a family of which a glyph was seen at rest.
func class(glyphs []rune, idle map[rune]bool) string {
	all := slices.Clone(glyphs)
	for _, family := range families {
		if strings.ContainsAny(family, string(glyphs)) && !strings.ContainsFunc(family, func(g rune) bool { return idle[g] }) {
			all = append(all, []rune(family)...)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	var b strings.Builder
	for i := 0; i < len(all); {
		end := i
		for end+1 < len(all) && all[end+1] == all[end]+1 {
			end++
		}
		switch end - i {
		case 0:
			fmt.Fprintf(&b, `\x{%x}`, all[i])
		case 1:
			fmt.Fprintf(&b, `\x{%x}\x{%x}`, all[i], all[end])
		default:
			fmt.Fprintf(&b, `\x{%x}-\x{%x}`, all[i], all[end])
		}
		i = end + 1
	}
	return "[" + b.String() + "]"
}

// titleShare is the share of the frames, one in so many, in which the title must begin with a
// glyph so that the title is a sign of work.
const titleShare = 2

// titles counts what the title begins with while the agent works.
type titles struct {
	glyphs map[rune]int
	frames int
}

// see takes the title of a frame.
func (t *titles) see(title string) {
	t.frames++
	g := glyph(title)
	if t.glyphs == nil {
		t.glyphs = map[rune]int{}
	}
	if g != 0 && (t.glyphs[g] > 0 || len(t.glyphs) < glyphsMax) {
		t.glyphs[g]++
	}
}

// age makes earlier frames count for no more than framesMax, so that what the title begins with
// from now on is learnt soon.
func (t *titles) age() {
	if t.frames <= framesMax {
		return
	}
	for g, n := range t.glyphs {
		t.glyphs[g] = n * framesMax / t.frames
	}
	maps.DeleteFunc(t.glyphs, func(_ rune, n int) bool { return n == 0 })
	t.frames = framesMax
}

// sign returns the glyphs that the title begins with only while the agent works, in order.
// idle are those that it begins with at rest.
func (t *titles) sign(idle map[rune]bool) (glyphs []rune) {
	seen := 0
	for g, n := range t.glyphs {
		if !idle[g] {
			glyphs, seen = append(glyphs, g), seen+n
		}
	}
	if seen == 0 || seen*titleShare < t.frames {
		return nil
	}
	slices.Sort(glyphs)
	return glyphs
}
