package text

import (
	"strconv"
	"unicode/utf8"
)

// Cut returns at most the first n bytes of s without cutting a character in two. Text that is
// not UTF-8 is cut at n.
func Cut[T ~string | ~[]byte](s T, n int) T {
	if len(s) <= n {
		return s
	}
	for back := range min(n+1, utf8.UTFMax) {
		if utf8.RuneStart(s[n-back]) {
			return s[:n-back]
		}
	}
	return s[:n]
}

// Tail returns at most the last n bytes of s without cutting a character in two. Text that is
// not UTF-8 is cut at n.
func Tail[T ~string | ~[]byte](s T, n int) T {
	if len(s) <= n {
		return s
	}
	return Resume(s[len(s)-n:])
}

// Resume returns s without the rest of a cut character at its beginning. s is the remainder of
// a text that was cut at any byte.
func Resume[T ~string | ~[]byte](s T) T {
	for skip := range utf8.UTFMax {
		if skip == len(s) || utf8.RuneStart(s[skip]) {
			return s[skip:]
		}
	}
	return s // no character has so many bytes: this is not UTF-8
}

// Unfinished returns how many bytes at the end of b begin a character that more
// bytes could complete.
func Unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if utf8.RuneStart(b[len(b)-n]) {
			if utf8.FullRune(b[len(b)-n:]) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Shorten returns s if it has at most n bytes. Otherwise it returns at most its first n bytes
// and an ellipsis.
func Shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return Cut(s, n) + "…"
}

// Quote returns s in quotes, with unprintable characters escaped as Go does. If s has more than
// n bytes, it is cut, and an ellipsis follows the quotes.
func Quote(s string, n int) string {
	if len(s) <= n {
		return strconv.Quote(s)
	}
	return strconv.Quote(Cut(s, n)) + "…"
}
