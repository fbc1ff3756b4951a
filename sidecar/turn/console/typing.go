package console

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// maxCanonical is the longest line that a terminal in line mode takes, in bytes,
// without its Enter. It cuts longer ones without a word.
const maxCanonical = 4095

// TypedLines makes text into what is typed: unsafe characters are left out, and
// counted, and each line is one Enter. One newline at the end is that Enter.
func TypedLines(said string) (lines []string, stripped int) {
	said = strings.ReplaceAll(strings.ToValidUTF8(said, string(utf8.RuneError)), "\r\n", "\n")
	said = strings.ReplaceAll(said, "\r", "\n")
	clean := text.Strip(said)
	stripped = utf8.RuneCountInString(said) - utf8.RuneCountInString(clean)
	return strings.Split(strings.TrimSuffix(clean, "\n"), "\n"), stripped
}

// CheckLength refuses a line that a terminal in line mode would cut.
func CheckLength(lines []string) error {
	for i, line := range lines {
		if len(line) > maxCanonical {
			return fmt.Errorf("line %d has %d bytes, and the agent reads its terminal line by line, which cuts lines at %d bytes: nothing was typed", i+1, len(line), maxCanonical)
		}
	}
	return nil
}

// CommandError is a line that the agent would have run as a command of its own.
// Nothing was typed.
type CommandError struct {
	Agent string
	Line  int // 1-based
	Char  string
}

func (e *CommandError) Error() string {
	return fmt.Sprintf("line %d begins with %q, which %s runs as a command of its own: nothing was typed; put a word before it, or start the sidecar with --allow-agent-commands", e.Line, e.Char, e.Agent)
}

// Trimmed is a text as agents look at it that trim what they were typed: without
// what is blank or not to be seen before it. JavaScript's trim takes more than
// blanks away, and some take what has no width.
func Trimmed(text string) string {
	return strings.TrimLeftFunc(text, func(c rune) bool {
		return unicode.IsSpace(c) || unicode.In(c, unicode.Z, unicode.C, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}

// CheckCommands refuses lines that the agent would run itself, past the model
// and its permissions: they begin with one of chars.
func CheckCommands(agent, chars string, lines []string) error {
	for i, line := range lines {
		first, _ := utf8.DecodeRuneInString(Trimmed(line))
		if strings.ContainsRune(chars, first) && first != utf8.RuneError {
			return &CommandError{Agent: agent, Line: i + 1, Char: string(first)}
		}
	}
	return nil
}
