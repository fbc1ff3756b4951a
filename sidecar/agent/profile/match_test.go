package profile_test

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

var updateMatches = flag.Bool("update-matches", false, "write testdata/matches anew: look at every line of the difference")

// TestMatchOfRecordings shows each recording and run to its profile, byte for
// byte as it was, and compares what the rules say of the screen, and when.
func TestMatchOfRecordings(t *testing.T) {
	recordings, _ := filepath.Glob("../../../proc/term/testdata/recordings/*.cast")
	runs, _ := filepath.Glob("testdata/runs/*.cast")
	if len(recordings) < 30 || len(runs) < 8 {
		t.Fatalf("%d recordings, %d runs", len(recordings), len(runs))
	}
	for _, cast := range append(recordings, runs...) {
		name := strings.TrimSuffix(filepath.Base(cast), ".cast")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := agenttest.Matches(t, cast, recorded(name))
			golden := filepath.Join("testdata/matches", name+".txt")
			if *updateMatches {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// recorded is the profile for a recording, by its name.
func recorded(name string) *profile.Profile {
	word, rest, _ := strings.Cut(name, "-")
	if word == "dumb" || word == "subj" {
		word, _, _ = strings.Cut(rest, "-")
	}
	return agent.For([]string{strings.TrimSuffix(word, "2328")})
}
