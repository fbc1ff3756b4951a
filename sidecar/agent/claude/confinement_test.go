package claude

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// TestWhatClaudeReaches: its settings name the model's host as its variables do.
func TestWhatClaudeReaches(t *testing.T) {
	home := t.TempDir()
	c, env := confinement(), []string{"HOME=" + home}
	if got := c.Reaches(&spec.Launch{Env: env}); !slices.Equal(got, []string{"api.anthropic.com:443", "platform.claude.com:443"}) {
		t.Errorf("by itself %q", got)
	}
	path := filepath.Join(home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"env":{"ANTHROPIC_BASE_URL":"https://gateway.example.com/anthropic"}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := c.Reaches(&spec.Launch{Env: env}); !slices.Equal(got, []string{"gateway.example.com:443"}) {
		t.Errorf("by its settings %q", got)
	}
	env = append(env, "ANTHROPIC_BASE_URL=http://127.0.0.1:8399")
	if got := c.Reaches(&spec.Launch{Env: env}); !slices.Equal(got, []string{"127.0.0.1:8399", "gateway.example.com:443"}) {
		t.Errorf("by both %q", got)
	}
}
