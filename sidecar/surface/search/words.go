package search

import (
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// word is a word of a text, in lower case.
type word struct {
	text string
	// whole is set for several words that were written as one: "github" of "GitHub". Its
	// parts come before it.
	whole bool
}

// class is what a character does to the word that it is in.
type class uint8

const (
	separator class = iota
	lower           // a letter without case counts as one
	upper
	digit
	ideograph // a word of its own
)

func classify(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case '0' <= r && r <= '9':
		return digit
	case r < utf8.RuneSelf || r == utf8.RuneError:
		return separator
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return ideograph
	case unicode.IsUpper(r), unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r), unicode.IsMark(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	}
	return separator
}

// split appends the words of s.
func split(words []word, s string) []word {
	for len(s) > 0 {
		end, size := 0, 0
		for end < len(s) {
			r, n := utf8.DecodeRuneInString(s[end:])
			if classify(r) == separator {
				size = n
				break
			}
			end += n
		}
		if end > 0 {
			words = splitWord(words, s[:end])
		}
		s = s[end+size:]
	}
	return words
}

// splitWord appends the parts of a word without separators, and the word itself if it has
// several that are not ideographs.
func splitWord(words []word, s string) []word {
	first, from, last, ideographs := len(words), 0, separator, false
	for i, r := range s {
		c := classify(r)
		ideographs = ideographs || c == ideograph
		if i > from && begins(last, c, s[i:]) {
			words = append(words, word{text: fold(s[from:i])})
			from = i
		}
		last = c
	}
	words = append(words, word{text: fold(s[from:])})
	if len(words)-first > 1 && !ideographs {
		words = append(words, word{text: fold(s), whole: true})
	}
	return words
}

// begins reports whether a word begins at rest, whose first character is of class c, after
// one of class last.
func begins(last, c class, rest string) bool {
	switch {
	case last == ideograph || c == ideograph:
		return true
	case (last == digit) != (c == digit):
		return true
	case last == lower && c == upper:
		return true
	case last == upper && c == upper: // the S of HTTPServer
		_, n := utf8.DecodeRuneInString(rest)
		next, _ := utf8.DecodeRuneInString(rest[n:])
		return len(rest) > n && classify(next) == lower
	}
	return false
}

// fold returns a word in lower case, cut to its limit.
func fold(s string) string {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = utf8.AppendRune(b, unicode.ToLower(r))
	}
	return text.Cut(string(b), maxWord)
}
