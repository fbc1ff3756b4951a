package agent_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// unshown are moments at which the screen shows nothing of what the agent does: after Enter
// opencode may show the message and an empty input for seconds before it begins. No rule can
// tell that from an agent that is done; the turn waits for an answer (beginLimit).
var unshown = map[string]string{"opencode/testdata/answers/failed.cast": "verdict: input box"}

// TestNoRuleSaysReady cuts the recordings of all agents at every tenth of a second and holds
// that neither an agent's own profile, without what the agent reports, nor the generic one
// ever says that an agent is ready while it works or asks. SIDECAR_CUTS=DURATION cuts finer.
func TestNoRuleSaysReady(t *testing.T) {
	step := time.Second / 10
	if finer := os.Getenv("SIDECAR_CUTS"); finer != "" {
		var err error
		if step, err = time.ParseDuration(finer); err != nil || step <= 0 {
			t.Fatalf("SIDECAR_CUTS=%q: %v", finer, err)
		}
	}
	for _, cast := range recordings(t) {
		t.Run(strings.TrimSuffix(cast, ".cast"), func(t *testing.T) {
			t.Parallel()
			own := profileOf(t, cast)
			header, events := agenttest.Recording(t, cast)
			truth := agenttest.TruthOf(t, header, events, own)
			for _, with := range []*profile.Profile{own, profile.Generic()} {
				last := ""
				for _, f := range agenttest.Cuts(t, header, events, truth, with, step) {
					if said := f.Rule + f.Does; said != last && unshown[cast] != f.Rule {
						t.Errorf("%s: %s", with.Name, f)
						last = said
					}
				}
			}
		})
	}
}

// recordings are the recordings of all agents that have a profile.
func recordings(t testing.TB) (casts []string) {
	for _, a := range agent.Known() {
		for _, pattern := range []string{"/testdata/*.cast", "/testdata/answers/*.cast"} {
			files, err := filepath.Glob(a.Name + pattern)
			if err != nil {
				t.Fatal(err)
			}
			casts = append(casts, files...)
		}
	}
	casts = append(casts, golden.Files(t, "prompts/testdata/*.cast", 15)...)
	if len(casts) < 60 {
		t.Fatalf("there are only %d recordings", len(casts))
	}
	return casts
}

// TestCutsFindAWrongRule holds that the cuts find a profile that takes an agent's input box
// for the end of its work, and one that takes a question for a prompt.
func TestCutsFindAWrongRule(t *testing.T) {
	const cast = "claude/testdata/permission.cast"
	own := profileOf(t, cast)
	header, events := agenttest.Recording(t, cast)
	truth := agenttest.TruthOf(t, header, events, own)
	if sent := truth.Turns(); len(sent) < 3 {
		t.Fatalf("messages were sent at %v", sent)
	}
	for name, rules := range map[string]string{
		"works": `{"tui": true, "signs": [{"rule": "box", "state": "ready", "prompt": true}], "prompt": {"row": "^❯[ \\x{a0}]?(.*)$", "above": "^─{10,}", "below": "^─{10,}$"},
			"timing": {"readyHold": 1, "unsureHold": 1}}`,
		"asks": `{"signs": [{"rule": "mark", "state": "ready", "all": ["^ *❯"], "rows": 20}]}`,
	} {
		wrong, err := profile.Parse("wrong.json", []byte(rules))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(agenttest.Cuts(t, header, events, truth, wrong, time.Second/10), func(f agenttest.Fault) bool {
			return strings.HasPrefix(f.Does, name)
		})
		if !found {
			t.Errorf("nothing was found while the agent %s", name)
		}
	}
}
