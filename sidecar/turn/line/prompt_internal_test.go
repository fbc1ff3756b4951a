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
