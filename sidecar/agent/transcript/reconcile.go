package transcript

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reconcile returns what must still be sent so that an artifact that holds the
// streamed text ends with the exact text, which a hook or an event gave. The result is
// a tail to append or, if replace is true, all of the artifact's new text. An exact
// text of "" says nothing.
//
// The exact text may be only the last of several blocks that the agent wrote between
// its tool calls; the blocks before it are kept. If the streamed text agrees with the
// exact one as far as it goes, except for blanks, line breaks or marks of Markdown
// that cannot be seen on a screen, it is replaced from there on. If the two have
// nothing in common, the exact text becomes one more block.
func Reconcile(streamed, exact string) (tail string, replace bool) {
	if rest, ok := strings.CutPrefix(exact, streamed); ok {
		return rest, false
	}
	if exact == "" || endsWithBlock(streamed, exact) {
		return "", false
	}
	at, ok := sameBlock(streamed, exact)
	if !ok {
		return blockEnd(streamed) + exact, false
	}
	head := streamed[:at]
	if rest, ok := strings.CutPrefix(exact, streamed[at:]); ok {
		return rest, false
	}
	return head + exact, true
}

// endsWithBlock reports whether the text already ends with the exact text, as its last
// block or blocks.
func endsWithBlock(text, exact string) bool {
	head, ok := strings.CutSuffix(text, exact)
	return ok && strings.HasSuffix(head, "\n\n")
}

// blockEnd returns what has to be sent between a text and another block.
func blockEnd(text string) string {
	switch {
	case strings.TrimSpace(text) == "" || strings.HasSuffix(text, "\n\n"):
		return ""
	case strings.HasSuffix(text, "\n"):
		return "\n"
	}
	return "\n\n"
}

const (
	// reconcileMax bounds what is compared, in bytes of letters.
	reconcileMax = 1 << 20
	// sameLetters is how many letters and digits two texts have to have in common to
	// count as the same, unless one of them has no more.
	sameLetters = 16
)

// sameBlock finds the block of the streamed text from which on it agrees with the
// exact text, as far as it goes. This is the block that begins like the exact text and
// agrees with it for most of its length, or the block that follows from where the end
// of the streamed text stands in the exact text.
func sameBlock(streamed, exact string) (at int, ok bool) {
	want, _ := letters(exact, reconcileMax)
	part := lastPart(streamed, len(want))
	have, offsets := letters(part, 0)
	cut := len(streamed) - len(part)
	end := bytes.LastIndex(want, have[max(0, len(have)-2*sameLetters):])
	if len(have) < 2*sameLetters {
		end = -1
	}
	best := 0
	aligned := len(have) - 2*sameLetters - end // where the exact text would begin, judged by its end
	near, nearest := 0, len(have)+len(want)+1  // the block whose beginning is nearest to that
	common := matches(want, have)
	for i := range have {
		if i > 0 && !strings.Contains(part[offsets[i-1]:offsets[i]], "\n") {
			continue // it is in the same line as the one before
		}
		begin, is := blockBegin(streamed, cut+offsets[i])
		if !is {
			continue
		}
		if off := max(i-aligned, aligned-i); off <= nearest {
			near, nearest = begin, off
		}
		n, room := common[i], min(len(have)-i, len(want))
		if n > best && (n == room || n >= sameLetters && (end >= 0 || 2*n >= room)) {
			at, best, ok = begin, n, true
		}
	}
	if !ok && end >= 0 {
		return near, true
	}
	return at, ok
}

// lastPart returns enough of the end of the text to hold n letters and some more,
// together with the whole line that begins in it.
func lastPart(text string, n int) string {
	from := len(text)
	for n = n + n/4 + 64; from > 0 && n > 0; {
		r, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n--
		}
	}
	return text[from:]
}

// blockBegin returns the beginning of the block whose first letter stands at i. It
// reports false if no block begins there.
func blockBegin(text string, i int) (begin int, ok bool) {
	line := strings.LastIndexByte(text[:i], '\n') + 1
	for _, r := range text[line:i] {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return 0, false
		}
	}
	before := strings.TrimRight(text[:line], " \t\n")
	if before == "" {
		return 0, true
	}
	return line, strings.Count(text[len(before):line], "\n") > 1
}

// letters returns the letters and digits of a text and where they stand: they are the
// same on a screen and in the text that it shows. A max other than 0 limits the result
// to that many bytes.
func letters(text string, max int) (left []byte, at []int) {
	for i, r := range text {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			continue
		}
		if max > 0 && len(left) > max {
			break
		}
		n := len(left)
		left = utf8.AppendRune(left, r)
		for range len(left) - n {
			at = append(at, i)
		}
	}
	return left, at
}

// matches returns, for each place in text, how much of want stands there.
func matches(want, text []byte) []int {
	all := append(append(bytes.Clone(want), 0xff), text...) // 0xff is in no UTF-8
	z := make([]int, len(all))
	for i, l, r := 1, 0, 0; i < len(all); i++ {
		if i < r {
			z[i] = min(r-i, z[i-l])
		}
		for i+z[i] < len(all) && all[z[i]] == all[i+z[i]] {
			z[i]++
		}
		if i+z[i] > r {
			l, r = i, i+z[i]
		}
	}
	return z[len(want)+1:]
}
