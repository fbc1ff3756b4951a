package spec

import (
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Concerns reports whether a report may be about the message that was typed. Not
// every thread of an agent answers that: a report that names another message is
// about another turn. White space does not count, for the agent's input box may
// have changed it, nor whether a letter and its marks are one character (NFC).
func Concerns(r channel.Report, typed string) bool {
	if r.Prompt == "" || blanked(r.Prompt) == blanked(typed) {
		return true
	}
	return strings.ContainsFunc(typed, composes) && blanked(plain(r.Prompt)) == blanked(plain(typed))
}

// The values of Changed.
const (
	ChangedBlanks     = "blanks"     // white space only
	ChangedCharacters = "characters" // more than that
)

// Changed says how the message that the agent got, by its report, differs from
// the one that was typed: "" not at all, or the report does not tell. What stands
// around it does not count.
func Changed(r channel.Report, typed string) string {
	got, sent := strings.TrimSpace(r.Prompt), strings.TrimSpace(typed)
	switch {
	case got == "" || got == sent:
		return ""
	case blanked(got) == blanked(sent):
		return ChangedBlanks
	}
	return ChangedCharacters
}

// blanked is a text whose white space is all alike.
func blanked(text string) string { return strings.Join(strings.Fields(text), " ") }

// composes reports whether a character may become one with those before it.
func composes(c rune) bool { return unicode.Is(unicode.Mn, c) || c >= 0x1100 && c <= 0x11ff }

// plain is what is left of a text without all that may be composed, or the result
// of that: two texts that differ only in this have the same.
func plain(text string) string {
	var kept []rune
	bare := false // the last character was kept
	for _, c := range text {
		switch {
		case c < unicode.MaxASCII:
			kept, bare = append(kept, c), true
			continue
		case bare && composes(c):
			kept = kept[:len(kept)-1]
		}
		bare = false
	}
	return string(kept)
}
