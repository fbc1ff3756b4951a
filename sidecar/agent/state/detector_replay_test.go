package state_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

var updateVerdicts = flag.Bool("update-verdicts", false, "write testdata/verdicts anew: look at every line of the difference")

// TestVerdictsOfRecordings plays every recording of a real agent to a detector,
// with the recording's own clock, and compares what it says of the agent, and
// when, beside what was typed.
func TestVerdictsOfRecordings(t *testing.T) {
	casts, err := filepath.Glob("../../../proc/term/testdata/recordings/*.cast")
	if err != nil || len(casts) < 30 {
		t.Fatalf("%d recordings: %v", len(casts), err)
	}
	for _, cast := range casts {
		name := strings.TrimSuffix(filepath.Base(cast), ".cast")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := agenttest.Verdicts(t, cast, profileOf(t, cast))
			golden := filepath.Join("testdata/verdicts", name+".txt")
			if *updateVerdicts {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("verdicts\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// profileOf is the profile for a recording, by its name: some were started by a
// path that tells nothing.
func profileOf(t *testing.T, name string) *profile.Profile {
	t.Helper()
	words := strings.Split(strings.TrimSuffix(filepath.Base(name), ".cast"), "-")
	word := words[0]
	if word == "dumb" || word == "subj" {
		word = words[1]
	}
	return agent.For([]string{strings.TrimRight(word, "0123456789")})
}
