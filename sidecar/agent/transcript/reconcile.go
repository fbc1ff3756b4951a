package transcript

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reconcile returns what must still be said so that an artifact which has the
// streamed text ends with the exact text, which a hook or an event gave: a tail
// to add or, when replace is true, all of the artifact's new text. An exact
// text of "" says nothing.
//
// The exact text may be only the last of several blocks that the agent wrote
// between its tool calls; the blocks before it are kept. Where the streamed text
// is the exact one as far as it goes, but for blanks, line breaks or marks of
// Markdown that cannot be seen on a screen, it is replaced from there on. Where
// the two have nothing to do with each other, the exact text becomes one more
// block.
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

// endsWithBlock says whether the text's last block, or blocks, are the exact
// text already.
func endsWithBlock(text, exact string) bool {
	head, ok := strings.CutSuffix(text, exact)
	return ok && strings.HasSuffix(head, "\n\n")
}

// blockEnd is what has to be said between a text and another block.
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
	// sameLetters is how many letters and digits two texts have to have in
	// common to be taken for the same, unless one of them has no more.
	sameLetters = 16
)

// sameBlock finds the block of the streamed text from which on it is, as far
// as it goes, the exact text: the block that begins like it and goes on so for
// most of its length, or the one from which on the end of the streamed text is
// where it is in the exact one.
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
	aligned := len(have) - 2*sameLetters - end // where the exact text would begin, by its end
	near, nearest := 0, len(have)+len(want)+1  // the block that begins next to it
	common := matches(want, have)
	for i := range have {
		if i > 0 && !strings.Contains(part[offsets[i-1]:offsets[i]], "\n") {
			continue // it stands in the same line as the one before
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

// lastPart is as much of the end of the text as holds n letters and some more, and
// all of the line that begins in it.
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

// blockBegin finds the begin of the block whose first letter stands at i.
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

// letters are the letters and digits of a text and where they stand: what is
// the same on a screen and in the text it shows. With max, it is at most so
// many bytes.
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

// matches tells for each place in text how much of want stands there.
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
