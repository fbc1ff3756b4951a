package profile_test

import (
	"path/filepath"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
)

// TestACopiedRuleDescribes holds that a profile with questions of its own knows all questions of
// its agent, even if a person has copied its rule from the generic profile. A profile that takes
// all its questions from the generic one knows none in particular.
func TestACopiedRuleDescribes(t *testing.T) {
	rule := `{"rule": "yes or no before the cursor", "kind": "question", "cursor": "Sure\\?$", "fixed": [{"label": "Yes", "kind": "allow_once", "keys": ["y"]}]}`
	dir := files(t, map[string]string{
		"copied.json":  `{"tui": true, "prompt": {"row": "^> (.*)$"}, "questions": [` + rule + `]}`,
		"on.json":      `{"tui": true, "prompt": {"row": "^> (.*)$"}, "extends": "./copied.json"}`,
		"taken.json":   `{"tui": true, "prompt": {"row": "^> (.*)$"}, "extends": "generic"}`,
		"further.json": `{"tui": true, "prompt": {"row": "^> (.*)$"}, "extends": "generic", "questions+": [` + rule + `]}`,
	})
	s := term.New(term.Options{Cols: 40, Rows: 8})
	_, _ = s.Write([]byte("\x1b[?25lGo on?\r\n\r\n  [ OK ]  \x1b[7m[ Later ]\x1b[m")) // never fails
	for file, asks := range map[string]bool{"copied.json": false, "on.json": false, "taken.json": true, "further.json": false} {
		p, err := agent.Load(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := p.Question(s.Snapshot()); ok != asks {
			t.Errorf("%s: buttons are a question: %v, want %v", file, ok, asks)
		}
	}
}
