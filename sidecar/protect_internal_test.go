package sidecar

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// The protected paths of a workspace: those of the agents, where a .git file leads, and without what --unprotect names.
func TestProtection(t *testing.T) {
	dir := resolved(t.TempDir())
	write := func(name, content string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("tree/.git", "gitdir: ../data/trees/one\n")
	write("data/trees/one/commondir", "../..\n")
	write("linked/.git", "no such line")
	if err := os.MkdirAll(filepath.Join(dir, "none"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "none"), filepath.Join(dir, "tree/.idea")); err != nil {
		t.Fatal(err)
	}
	c := &config.Config{
		Workspace: filepath.Join(dir, "tree"), Roots: []string{filepath.Join(dir, "linked"), filepath.Join(dir, "none")},
		Unprotect: []string{".envrc", filepath.Join(dir, "none/.git"), ".idea"},
	}
	environ := []string{"HOME=" + dir}
	scope, err := newScope(c, environ, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := protection(c, environ, scope)
	if want := []string{dir + "/data/trees/one", dir + "/data"}; !slices.Equal(p.Places, want) {
		t.Errorf("a .git file leads to %q, want %q", p.Places, want)
	}
	if want := []string{dir + "/none", dir + "/none/.git", dir + "/tree/.envrc", dir + "/tree/.idea"}; !slices.Equal(p.Except, want) {
		t.Errorf("--unprotect: %q, want %q", p.Except, want)
	}
	if p.Home != dir || !slices.Equal(p.Anywhere, agent.Protected()) {
		t.Errorf("%+v", p)
	}
}

// Help policy names the protected paths of all agents.
func TestHelpNamesProtectedPaths(t *testing.T) {
	help, err := os.ReadFile("cli/help/policy.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range agent.Protected() {
		if !strings.Contains(string(help), "`"+path+"`") {
			t.Errorf("sidecar help policy does not name %s", path)
		}
	}
}
