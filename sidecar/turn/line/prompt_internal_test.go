package line

import (
	"regexp"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestABlankAfterAGivenPromptChangesNothing holds that --prompt-pattern fits with the blank
// at its end and without, and that the generic pattern needs the blank.
func TestABlankAfterAGivenPromptChangesNothing(t *testing.T) {
	for _, c := range []struct {
		pattern, row string
		want         bool
	}{
		{"^my>>$", "my>>", true},
		{"^my>>$", "my>> ", true},
		{"^my>> $", "my>>", true},
		{"^my>> $", "my>> ", true},
		{"^my>> $", "my", false},
		{"^my>> $", "", false},
		{"^$", " ", true},
		{profile.Generic().PromptPattern().String(), "$ ", true},
		{profile.Generic().PromptPattern().String(), "total 100$", false},
	} {
		p := prompts{pattern: regexp.MustCompile(c.pattern), profile: profile.Generic()}
		if got := p.is(c.row); got != c.want {
			t.Errorf("%q of %q: %v", c.row, c.pattern, got)
		}
	}
}

// TestEchoBeforeTheAnswer: a program without a prompt may answer on the row of the echo.
func TestEchoBeforeTheAnswer(t *testing.T) {
	for _, c := range []struct {
		row, rest string
		ok        bool
	}{{"6 7 * . 42  ok", "42  ok", true}, {"6 7 * .", "", false}, {"6 7 * .x", "6 7 * .x", true}, {"42", "42", true}} {
		e := echo{prompts: &prompts{}, pending: []typed{{line: "6 7 * .", shown: true}}}
		if rest, ok := e.strip(c.row); rest != c.rest || ok != c.ok {
			t.Errorf("%q: %q, %v", c.row, rest, ok)
		}
	}
}
