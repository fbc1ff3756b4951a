package agent_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// A folder that nobody looks into is of no use to anybody.
func TestEveryFolderIsKnown(t *testing.T) {
	for _, path := range golden.Files(t, "*/profile.json", 5) {
		name := filepath.Base(filepath.Dir(path))
		if !slices.ContainsFunc(agent.Known(), func(a spec.Agent) bool { return a.Name == name }) {
			t.Errorf("%s is not in Known: add %s.Agent() to agent.go", name, name)
		}
	}
}
