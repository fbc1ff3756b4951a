package agent_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// A folder that nobody looks into is of no use to anybody.
func TestEveryFolderIsKnown(t *testing.T) {
	profiles, err := filepath.Glob("*/profile.json")
	if err != nil || len(profiles) == 0 {
		t.Fatalf("%d profiles, %v", len(profiles), err)
	}
	for _, path := range profiles {
		name := filepath.Base(filepath.Dir(path))
		if !slices.ContainsFunc(agent.Known(), func(a spec.Agent) bool { return a.Name == name }) {
			t.Errorf("%s is not in Known: add %s.Agent() to agent.go", name, name)
		}
	}
}

// Of two agents for one command the later one would win, and nobody be told.
func TestCommandsHaveOneAgent(t *testing.T) {
	owners := map[string]string{}
	for _, a := range agent.Known() {
		if _, err := agent.Load(a.Name); err != nil {
			t.Errorf("the profile of %s:\n%v", a.Name, err)
		}
		var p struct {
			Commands []string `json:"commands"`
		}
		if err := json.Unmarshal([]byte(a.Profile), &p); err != nil {
			t.Errorf("the profile of %s: %v", a.Name, err)
		}
		for _, command := range p.Commands {
			if other, taken := owners[command]; taken {
				t.Errorf("%s is a command of %s and of %s", command, other, a.Name)
			}
			owners[command] = a.Name
		}
	}
}
