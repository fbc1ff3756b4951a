package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestDrawnChangedText: what the agent makes of a message before its model gets
// it is told.
func TestDrawnChangedText(t *testing.T) {
	t.Parallel()
	r := drawingWith(t, func(o *turn.Options) { withChannel(t, o) }, "hooks", "tabs")
	for text, changed := range map[string]string{"a\tb": `"blanks"`, "a b": "", " a\n  b\n": ""} {
		got := r.ask(text)
		if got.Status.State != a2a.StateCompleted || meta(got.Metadata, "changed") != changed {
			t.Errorf("%q: task is %s, metadata %v", text, got.Status.State, got.Metadata)
		}
	}
}

// TestDrawnChangedWithoutPaste: a tab that is a key completes words, so blanks
// are typed.
func TestDrawnChangedWithoutPaste(t *testing.T) {
	t.Parallel()
	r := drawing(t, "noPaste")
	if got := r.ask("a\tb"); got.Status.State != a2a.StateCompleted || meta(got.Metadata, "changed") != `"blanks"` {
		t.Errorf("task is %s, metadata %v", got.Status.State, got.Metadata)
	}
}

// TestDrawnChangedByItsProfile: without hooks the profile tells.
func TestDrawnChangedByItsProfile(t *testing.T) {
	t.Parallel()
	known, err := os.ReadFile(filepath.Join("testdata", "fake.json"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tabs.json")
	if err := os.WriteFile(file, []byte(strings.Replace(string(known), `"paste": true,`, `"paste": true, "tabsToBlanks": true,`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	r := drawingWith(t, func(o *turn.Options) { o.Profile = file }, "tabs")
	for text, changed := range map[string]string{"a\tb": `"blanks"`, "a b": ""} {
		if got := r.ask(text); got.Status.State != a2a.StateCompleted || meta(got.Metadata, "changed") != changed {
			t.Errorf("%q: task is %s, metadata %v", text, got.Status.State, got.Metadata)
		}
	}
}
