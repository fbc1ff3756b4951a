package console

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// maxCanonical is the longest line that a terminal in line mode takes, in bytes,
// without its Enter. The terminal cuts longer lines silently.
const maxCanonical = 4095

// TypedText turns text into what is typed, with an Enter at each newline and after it.
// Unsafe characters are left out and counted. One newline at the end of the text is
// the last Enter.
func TypedText(said string) (typed string, stripped int) {
	said = strings.ReplaceAll(strings.ToValidUTF8(said, string(utf8.RuneError)), "\r\n", "\n")
	said = strings.ReplaceAll(said, "\r", "\n")
	clean := text.Strip(said)
	stripped = utf8.RuneCountInString(said) - utf8.RuneCountInString(clean)
	return strings.TrimSuffix(clean, "\n"), stripped
}

// CheckLength returns an error if a terminal in line mode would cut one of the
// lines.
func CheckLength(lines []string) error {
	for i, line := range lines {
		if len(line) > maxCanonical {
			return fmt.Errorf("line %d has %d bytes, and the agent reads its terminal line by line, which cuts lines at %d bytes: nothing was typed", i+1, len(line), maxCanonical)
		}
	}
	return nil
}

// CommandError is the error for a line that the agent would have run as a command
// of its own. Nothing was typed.
type CommandError struct {
	Agent string
	Line  int // 1-based
	Char  string
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("line %d begins with %q, which %s runs as a command of its own: nothing was typed; put a word before it, or start the sidecar with --allow-agent-commands", e.Line, e.Char, e.Agent)
}

// Trimmed returns a text without the blank or invisible characters at its
// beginning, as an agent sees it that trims what is typed. JavaScript's trim
// removes more than blanks, and some agents remove characters without width.
func Trimmed(text string) string {
	return strings.TrimLeftFunc(text, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.In(c, unicode.Z, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}

// CheckCommands returns an error if a line begins with one of chars: the agent
// would run it itself, and neither its model nor its permissions would see it.
func CheckCommands(agent, chars string, lines []string) error {
	for i, line := range lines {
		first, _ := utf8.DecodeRuneInString(Trimmed(line))
		if strings.ContainsRune(chars, first) && first != utf8.RuneError {
			return &CommandError{Agent: agent, Line: i + 1, Char: string(first)}
		}
	}
	return nil
}
