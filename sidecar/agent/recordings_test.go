package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
)

// TestRecordingsOfAgents plays each recording in an agent's folder to its profile,
// and to a detector, and compares what these say, and when, with the files beside
// it. With -update it writes these files: look at every line of the difference. The
// recordings in prompts are named after their programs: not each has a profile.
func TestRecordingsOfAgents(t *testing.T) {
	casts, err := filepath.Glob("*/testdata/*.cast")
	if err != nil || len(casts) < 50 {
		t.Fatalf("%d recordings, %v", len(casts), err)
	}
	for _, cast := range casts {
		name, file, _ := strings.Cut(cast, "/testdata/")
		p := agent.For([]string{name})
		if name == "prompts" {
			program, _, _ := strings.Cut(strings.TrimSuffix(file, ".cast"), "-")
			p = agent.For([]string{program})
		} else if p.Name != name {
			t.Fatalf("the profile for the command %s is %s: Known, in agent.go, must have the agent of this folder, and its profile's commands this name", name, p.Name)
		}
		t.Run(cast, func(t *testing.T) {
			t.Parallel()
			for ending, got := range map[string]string{
				".matches": agenttest.Matches(t, cast, p), ".verdicts": agenttest.Verdicts(t, cast, p),
			} {
				golden := strings.TrimSuffix(cast, ".cast") + ending
				if *update {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatalf("%v: go test ./sidecar/agent -update writes it; look at every line", err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("%s: %s", golden, diff)
				}
			}
		})
	}
}
