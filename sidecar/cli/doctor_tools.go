package cli

import (
	"os"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

const toolsWorth = `run --give-tools offers the sidecar's tools to these agents, as an MCP server for that
run alone. No file of the user's is changed: sidecar help mcp.`

// examineTools says which agents could be given tools by this user, in this directory.
func examineTools() checkup {
	s := checkup{Name: "tools for agents", Worth: toolsWorth}
	for _, name := range agent.WithTools() {
		s.Facts = append(s.Facts, takesTools(name))
	}
	return s
}

// takesTools tries out, without writing anything, whether an agent could be given tools.
func takesTools(name string) fact {
	dir, err := os.Getwd()
	if err != nil {
		return fact{Name: name, Text: err.Error()}
	}
	a := agent.Named(name)
	_, err = a.GiveTools(spec.Launch{
		Argv: []string{name}, Env: os.Environ(), WorkDir: dir, Self: self(), Dir: os.TempDir(), Socket: "unused", Token: "unused",
		Write:   func(string, []byte) error { return nil },
		Protect: protectNothing,
	})
	if err != nil {
		return fact{Name: name, Text: err.Error()}
	}
	return fact{Name: name, OK: true, Text: "can be given tools"}
}

// protectNothing finds a place for a protected file as a job does, and writes none.
func protectNothing(name string, _ []byte, safe func(dir string) error) (string, error) {
	var err error
	for _, dir := range job.SafePlaces() {
		if dir == "" {
			continue
		}
		if err = safe(dir); err == nil {
			return filepath.Join(dir, name), nil
		}
	}
	return "", err
}
