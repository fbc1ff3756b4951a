package agent_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestRecordingsOfAgents plays each recording in an agent's folder to its profile,
// and to a detector, and compares what these say, and when, with the files beside
// it. With -update it writes these files: look at every line of the difference. The
// recordings in prompts are named after their programs: not each has a profile.
func TestRecordingsOfAgents(t *testing.T) {
	golden.Each(t, "*/testdata/*.cast", 50, func(t *testing.T, cast string) {
		t.Parallel()
		p := profileOf(t, cast)
		golden.Same(t, golden.Beside(cast, ".matches"), agenttest.Matches(t, cast, p))
		golden.Same(t, golden.Beside(cast, ".verdicts"), agenttest.Verdicts(t, cast, p))
	})
}

// profileOf returns the profile of the agent in whose folder the recording is.
func profileOf(t testing.TB, cast string) *profile.Profile {
	t.Helper()
	name, file, _ := strings.Cut(cast, "/testdata/")
	if name == "prompts" {
		program, _, _ := strings.Cut(strings.TrimSuffix(file, ".cast"), "-")
		return agent.For([]string{program})
	}
	p := agent.For([]string{name})
	if p.Name != name {
		t.Fatalf("the profile for the command %s is %s: Known, in agent.go, must have the agent of this folder, and its profile's commands this name", name, p.Name)
	}
	return p
}
