package transcript_test

import (
	"fmt"
	"strings"
	"testing"
)

// longLines is a message that has more rows than the screen.
func longLines() string {
	var lines []string
	for i := range 60 {
		lines = append(lines, fmt.Sprintf("line %d of a message that is long", i))
	}
	return strings.Join(lines, "\n")
}

// quoting is an answer that has much of the message in it.
func quoting() string {
	return "ECHO: line 0 of a message that is long\nline 1 of a message that is long\n\n" + strings.Repeat("More of it.\n", 50) + "The end."
}

// TestReaderFindsAnEchoWithoutItsBegin: a message that is longer than the screen
// pushes the first rows of the input box off, and what is drawn of its echo is
// only what stands on the screen.
func TestReaderFindsAnEchoWithoutItsBegin(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		for _, missing := range []int{2, 10, 58} {
			for _, again := range []bool{false, true} {
				a := newAgentBefore(t, l)
				if again { // the same was said before, and stands there still
					a.blocks = append(a.blocks, block{rows: append(l.echo(strings.Split(longLines(), "\n"))[40:], "")}, block{text: []string{"What was said to it before."}})
					a.draw()
				}
				a.sends(longLines(), func(rows []string) []string { return rows[missing:] })
				a.say(quoting(), quoting())
				a.final(quoting())
				if !strings.HasPrefix(a.given, quoting()[:len(quoting())-20]) && l.profile != "codex" {
					t.Errorf("without %d rows, again %t: given was only %q", missing, again, a.given)
				}
			}
		}
	})
}

// TestReaderKnowsAPasteThatIsNotShown: what stands for the message is its echo.
func TestReaderKnowsAPasteThatIsNotShown(t *testing.T) {
	for _, l := range layouts {
		shown := map[string]string{"claude": "[Pasted text #1 +59 lines]", "codex": "[Pasted Content 1999 chars]", "gemini": "[Pasted Text: 60 lines]"}[l.profile]
		t.Run(l.profile, func(t *testing.T) {
			t.Parallel()
			a := newAgentBefore(t, l)
			a.sends(longLines(), func([]string) []string { return l.echo([]string{shown}) })
			a.say(quoting(), quoting())
			a.final(quoting())
			if a.given == "" {
				t.Error("nothing was given before the end")
			}
		})
	}
}

// TestReaderFallsBackToWhatIsNew: an answer that stands there is read whatever
// became of the echo.
func TestReaderFallsBackToWhatIsNew(t *testing.T) {
	const answer = "Here it is.\n\nAnd more of it."
	everyLayout(t, func(t *testing.T, l layout) {
		for name, echo := range map[string]func([]string) []string{
			"no echo":         func([]string) []string { return nil },
			"another one":     func([]string) []string { return []string{"  the message as a summary", ""} },
			"without a begin": func(rows []string) []string { return rows[len(rows)-1:] },
		} {
			a := newAgentBefore(t, l)
			a.sends("short\nmessage", echo)
			a.say(answer, answer)
			a.final(answer)
			if a.given != "" {
				t.Errorf("%s: %q was given before the end, of what may be another answer", name, a.given)
			}
		}
	})
}

// TestReaderFallsBackToRowsWithoutABegin: not even the first row of the block of
// text was seen, as where a screen shows the end of it only.
func TestReaderFallsBackToRowsWithoutABegin(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		a := newAgentBefore(t, l)
		a.sends("short", func([]string) []string { return nil })
		a.blocks = append(a.blocks, block{rows: []string{"  the end of a sentence.", "", "  And more of it.", ""}})
		a.final("the end of a sentence.\n\nAnd more of it.")
	})
}

// TestReaderSaysNothingWithoutAnAnswer: what stood there before the message is
// none.
func TestReaderSaysNothingWithoutAnAnswer(t *testing.T) {
	everyLayout(t, func(t *testing.T, l layout) {
		for _, message := range []string{"short", longLines()} {
			a := newAgentBefore(t, l)
			a.sends(message, func(rows []string) []string { return nil })
			a.final("")
			a = newAgentBefore(t, l)
			a.sends(message, func(rows []string) []string { return rows })
			a.final("")
		}
	})
}
