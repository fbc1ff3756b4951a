package agent_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
)

// TestAgentsAreKnownInTheirFoldersOnly looks for a decision by an agent's name: no
// code outside of the agents' folders has a string that is one.
func TestAgentsAreKnownInTheirFoldersOnly(t *testing.T) {
	names := map[string]bool{}
	for _, a := range agent.Known() {
		names[a.Name] = a.Hooks != nil || a.Dialect != nil
	}
	looked := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		own := strings.HasPrefix(path, "../agent/") && names[strings.Split(path, "/")[2]]
		if err != nil || d.IsDir() || own || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		looked++
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if text, err := strconv.Unquote(lit.Value); err == nil && names[text] {
					t.Errorf("%s has %s", path, lit.Value)
				}
			}
			return true
		})
		return nil
	})
	if err != nil || looked < 100 {
		t.Errorf("%d files, %v", looked, err)
	}
}

// TestProfilesOfAgents: each agent has a profile of its name, and each program one
// agent. Of two agents for one program the later one would win, and nobody be told.
func TestProfilesOfAgents(t *testing.T) {
	whose := map[string]string{}
	for _, name := range agent.Names() {
		p, err := agent.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		if p.Name != name {
			t.Errorf("the profile of %s is called %s", name, p.Name)
		}
		for _, c := range p.Commands {
			if other, ok := whose[c]; ok {
				t.Errorf("%s is a program of %s and %s", c, other, name)
			}
			whose[c] = name
		}
	}
}
