package spec

import (
	"strings"
	"unicode"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Concerns reports whether a report may be about the message that was typed. Not every
// thread of an agent answers that message: a report that names another message is
// about another turn. White space is ignored, because the agent's input box may have
// changed it; so is whether a letter and its marks are one character (NFC).
func Concerns(r channel.Report, typed string) bool {
	if r.Prompt == "" || blanked(r.Prompt) == blanked(typed) {
		return true
	}
	return strings.ContainsFunc(typed, composes) && blanked(plain(r.Prompt)) == blanked(plain(typed))
}

// The values of Changed.
const (
	ChangedBlanks     = "blanks"     // white space only
	ChangedCharacters = "characters" // more than white space
)

// Changed says how the message that the agent received, according to its report,
// differs from the one that was typed: "" means that it does not differ, or that the
// report does not say. Text around the message is ignored.
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

// blanked returns a text in which all white space is alike.
func blanked(text string) string { return strings.Join(strings.Fields(text), " ") }

// composes reports whether a character may combine with those before it.
func composes(c rune) bool { return unicode.Is(unicode.Mn, c) || c >= 0x1100 && c <= 0x11ff }

// plain returns a text without everything that may be composed, or is the result of
// composing: texts that differ only in this have the same plain text.
func plain(text string) string {
	var kept []rune
	bare := false // the previous character was kept
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
