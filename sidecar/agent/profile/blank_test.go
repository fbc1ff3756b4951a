package profile_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestABlankAfterAPromptChangesNothing holds that everywhere where the file of a person says
// how a prompt looks, a blank at its end may be in the file, on the screen, in both or in none.
func TestABlankAfterAPromptChangesNothing(t *testing.T) {
	ready := func(p *profile.Profile, s term.Snapshot) bool {
		m, ok := p.Match(s)
		return ok && !m.Generic && m.State == profile.Ready
	}
	input := func(p *profile.Profile, s term.Snapshot) bool {
		text, ok := p.Input(s)
		return ok && text == ""
	}
	for name, c := range map[string]struct {
		file  string // with the prompt in the place of %s
		holds func(*profile.Profile, term.Snapshot) bool
	}{
		"a sign":                      {`{"signs": [{"rule": "prompt", "state": "ready", "cursor": "^my>>%s$"}]}`, ready},
		"the input of a line program": {`{"prompt": {"cursor": true, "row": "^my>>%s(.*)$"}}`, input},
		"an input box":                {`{"tui": true, "prompt": {"row": "^my>>%s(.*)$"}}`, input},
		"the row of a prompt": {`{"signs": [{"rule": "p", "state": "ready", "cursor": "^my>>%s$"}], "prompt": {"cursor": true, "row": "^my>> ?(.*)$"}}`,
			func(p *profile.Profile, s term.Snapshot) bool {
				row, _ := profile.AtCursor(s)
				_, ok := p.PromptRow(row)
				return ok
			}},
		"a question": {`{"questions": [{"rule": "q", "kind": "question", "cursor": "^(?P<yes>my)>>%s$", "fixed": [{"label": "Yes", "kind": "other", "keys": ["{yes}"]}]}]}`,
			func(p *profile.Profile, s term.Snapshot) bool {
				q, ok := p.Question(s)
				return ok && q.Options[0].Keys[0] == "my"
			}},
	} {
		for _, inFile := range []string{"", " "} {
			for _, shown := range []string{"my>>", "my>> "} {
				dir := files(t, map[string]string{"mine.json": fmt.Sprintf(c.file, inFile)})
				p, err := agent.Load(filepath.Join(dir, "mine.json"))
				if err != nil {
					t.Fatal(err)
				}
				s := term.New(term.Options{Cols: 40, Rows: 5, Answers: term.AnswerNone})
				fmt.Fprint(s, "a line\r\n", shown)
				if !c.holds(p, s.Snapshot()) {
					t.Errorf("%s: %q in the file does not fit %q", name, "my>>"+inFile, shown)
				}
			}
		}
	}
}

// TestABuiltInProfileMeansItsBlank holds that what looks like a price is no prompt to a
// built-in profile.
func TestABuiltInProfileMeansItsBlank(t *testing.T) {
	for _, name := range []string{"bash", "generic"} {
		p, err := agent.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		s := term.New(term.Options{Cols: 40, Rows: 5, Answers: term.AnswerNone})
		fmt.Fprint(s, "total 100$")
		if m, ok := p.Match(s.Snapshot()); ok && m.State == profile.Ready || strings.HasSuffix(m.Rule, "prompt") {
			t.Errorf("%s: %+v", name, m)
		}
	}
}
