package agent_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/replay"
)

// TestTestsOfProfiles runs the tests of each built-in profile: testdata/tests.json in the
// agent's folder, or testdata/NAME.tests.json in that of the prompts.
func TestTestsOfProfiles(t *testing.T) {
	for _, name := range agent.Names() {
		if name == profile.GenericName {
			continue // it is measured by what it says of the others' recordings
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(name, "testdata", "tests.json")
			if _, err := os.Stat(file); err != nil {
				file = filepath.Join("prompts", "testdata", name+".tests.json")
			}
			p, err := agent.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			if p.Name != name || len(p.Tests) == 0 {
				t.Errorf("%s is for %s and has %d tests", file, p.Name, len(p.Tests))
			}
			for _, test := range p.Tests {
				found, err := replay.Check(p, filepath.Dir(file), test)
				if err != nil {
					t.Error(err)
				}
				for _, d := range found {
					t.Errorf("%s, at %.3f: %s is %q, want %q:\n%s", test.Recording, d.At.Seconds(), d.What, d.Got, d.Want, d.Screen.Text())
				}
			}
		})
	}
}
