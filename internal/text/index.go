package text

import "strings"

// shortPattern is up to how many bytes a pattern is left to strings.Index: what it compares again for each place is little then.
const shortPattern = 64

// Index returns where a pattern stands first in a text, -1 for nowhere. Unlike strings.Index, whose hashes can be made to collide, it takes
// a time that grows with the length of both alone, whoever has chosen them; and for a long pattern 4 bytes of memory for each of its own.
func Index(s, pattern string) int {
	if len(pattern) <= shortPattern || len(pattern) > len(s) {
		return strings.Index(s, pattern)
	}
	return search(s, pattern, func(t string, i int) byte { return t[i] })
}

// LastIndex returns where a pattern stands last in a text, as [Index] does the first place.
func LastIndex(s, pattern string) int {
	if len(pattern) <= shortPattern || len(pattern) > len(s) {
		return strings.LastIndex(s, pattern)
	}
	i := search(s, pattern, func(t string, i int) byte { return t[len(t)-1-i] })
	if i < 0 {
		return -1
	}
	return len(s) - len(pattern) - i
}

// search returns how many bytes come before the pattern, -1 if it is nowhere; at gives the bytes of a text in the order in which it is read.
// The algorithm is that of Knuth, Morris and Pratt.
func search(s, pattern string, at func(t string, i int) byte) int {
	// borders has for each prefix of the pattern, one byte and more, how long the longest shorter one is that it ends with.
	borders := make([]int32, len(pattern))
	next := func(n int32, b byte) int32 {
		for n > 0 && at(pattern, int(n)) != b {
			n = borders[n-1]
		}
		if at(pattern, int(n)) == b {
			n++
		}
		return n
	}
	for i := 1; i < len(pattern); i++ {
		borders[i] = next(borders[i-1], at(pattern, i))
	}
	n := int32(0) // bytes of the pattern that stand before i
	for i := range len(s) {
		if n = next(n, at(s, i)); int(n) == len(pattern) {
			return i + 1 - len(pattern)
		}
	}
	return -1
}
