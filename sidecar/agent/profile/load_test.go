package profile_test

import (
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

func TestEveryBuiltInProfileLoads(t *testing.T) {
	for _, name := range agent.Names() {
		p, err := agent.Load(name)
		if err != nil {
			t.Errorf("%s:\n%v", name, err)
		} else if p.Name != name || p.About == "" {
			t.Errorf("%s is called %q, about %q", name, p.Name, p.About)
		}
	}
}

// TestWhatAProfileLeavesOut is as the generic one has it.
func TestWhatAProfileLeavesOut(t *testing.T) {
	for _, c := range []struct {
		source string
		ready  time.Duration
		prompt string
	}{
		{`{}`, 30 * time.Second, "$ "},
		{`{"start": {"readyMs": 1500}, "linePrompt": "^go: $"}`, 1500 * time.Millisecond, "go: "},
	} {
		p, err := profile.Parse("x.json", []byte(c.source))
		if err != nil {
			t.Fatal(err)
		}
		if p.ReadyTimeout() != c.ready || !p.PromptPattern().MatchString(c.prompt) || p.PromptPattern().MatchString("no prompt") {
			t.Errorf("%s: %s, %s", c.source, p.ReadyTimeout(), p.PromptPattern())
		}
	}
}
