package agents_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// longest is how many characters the longest of the mixed messages have.
const longest = 5000

// writer makes messages that nobody has written before.
type writer struct {
	*rand.Rand
	n     int
	tiny  []rune // that have been no message yet
	lines int    // at most
}

func newWriter(seed uint64) *writer {
	w := &writer{Rand: rand.New(rand.NewPCG(seed, seed)), lines: 60}
	for r := 'b'; r <= 'z'; r++ {
		w.tiny = append(w.tiny, r, unicode.ToUpper(r))
	}
	w.tiny = append(w.tiny, []rune("äßñ€界語日本7890")...)
	w.Shuffle(len(w.tiny), func(i, k int) { w.tiny[i], w.tiny[k] = w.tiny[k], w.tiny[i] })
	return w
}

// message is of any of the kinds that people and programs send.
func (w *writer) message() string {
	w.n++
	switch w.IntN(12) {
	case 0:
		return w.short(1)
	case 1:
		return w.short(2 + w.IntN(10))
	case 2, 3, 4:
		return w.line(12 + w.IntN(300))
	case 5:
		return w.line(300 + w.IntN(longest-300))
	case 6, 7:
		return w.several(20 + w.IntN(600))
	case 8:
		return w.several(600 + w.IntN(longest-600))
	case 9:
		return w.tabs(40 + w.IntN(1500))
	case 10:
		return w.wide(12 + w.IntN(1200))
	}
	return w.command()
}

// short has no room for words.
func (w *writer) short(n int) string {
	if n == 1 && len(w.tiny) > 0 {
		r := w.tiny[0]
		w.tiny = w.tiny[1:]
		return string(r)
	}
	return cut(fmt.Sprintf("%c%d%s", 'a'+rune(w.IntN(26)), w.n, w.word()), max(n, 4))
}

func (w *writer) word() string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	word := make([]byte, 2+w.IntN(9))
	for i := range word {
		word[i] = letters[w.IntN(len(letters))]
	}
	return string(word)
}

// name begins and ends what is long enough, so that a piece of it can be known.
func (w *writer) name() string { return fmt.Sprintf("m%03d%s", w.n, w.word()) }

// cut takes the first n characters and leaves no blank at the end.
func cut(text string, n int) string {
	all := []rune(text)
	return strings.TrimSpace(string(all[:min(n, len(all))]))
}

// fill makes a text of about n characters of what piece makes, in which the
// message's name comes first and last.
func (w *writer) fill(n int, piece func() string) string {
	var b strings.Builder
	name := w.name()
	b.WriteString(name)
	for size := len(name); size < n-2*len(name); {
		p := piece()
		b.WriteString(p)
		size += len([]rune(p))
	}
	return cut(b.String(), max(n-len(name)-1, len(name))) + " " + name
}

func (w *writer) line(n int) string {
	return w.fill(n, func() string {
		return " " + w.word() + []string{"", "", "", ",", ".", "?", " -", " /", " @", "!", " #"}[w.IntN(11)]
	})
}

func (w *writer) several(n int) string {
	left := w.lines - 1
	return w.fill(n, func() string {
		if left > 0 && w.IntN(8) == 0 {
			left--
			return []string{"\n", "\n", "\n\n", "\n  ", "\n- ", "\n/", "\n!", "\n# ", "\n> "}[w.IntN(9)] + w.word()
		}
		return " " + w.word()
	})
}

func (w *writer) tabs(n int) string {
	left := w.lines - 1
	return w.fill(n, func() string {
		if left > 0 && w.IntN(6) == 0 {
			left--
			return "\n\t" + w.word()
		}
		return []string{" ", "\t"}[w.IntN(2)] + w.word()
	})
}

func (w *writer) wide(n int) string {
	pieces := []string{"日本語", "中文字", "한국어", "🙂", "wörld", "ﬁne", "naïve", "e\u0301", "Ω"}
	return w.fill(n, func() string {
		if w.IntN(25) == 0 {
			return "\n" + pieces[w.IntN(len(pieces))]
		}
		return []string{" ", ""}[w.IntN(2)] + pieces[w.IntN(len(pieces))]
	})
}

// command begins as what the agents may take for commands of their own.
func (w *writer) command() string {
	first := []string{"/", "!", "#", "@", "/help ", "!touch by-command.txt ", "/clear "}[w.IntN(7)]
	n := []int{12, 60, 300, 1500}[w.IntN(4)] + w.IntN(100)
	if w.IntN(3) == 0 {
		return first + w.several(n)
	}
	return first + w.line(n)
}

// untabbed is a text whose blanks are all alike, and whose letters and marks are
// one character (NFC): the writer has one of those.
func untabbed(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "e\u0301", "\u00e9")
}

// pieceOf reports whether the text holds the beginning or the end of another.
func pieceOf(text, other string) bool {
	if name, rest, _ := strings.Cut(other, " "); strings.HasPrefix(name, "SAY:") {
		other = rest
	}
	all := []rune(strings.TrimPrefix(other, "TOOL:shell touch "))
	const enough = 12
	if len(all) < 4 {
		return false
	}
	n := min(len(all), enough)
	return slices.ContainsFunc([]string{string(all[:n]), string(all[len(all)-n:])}, func(piece string) bool { return strings.Contains(untabbed(text), untabbed(piece)) })
}
