package text

import "strings"

// Enumerate joins words as people do: "a, b or c" if last is "or".
func Enumerate(words []string, last string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	n := len(words) - 1
	return strings.Join(words[:n], ", ") + " " + last + " " + words[n]
}
