package codex

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// TestWhatCodexReaches: the addresses of models in its configuration, in every spelling, else its maker's.
func TestWhatCodexReaches(t *testing.T) {
	for config, want := range map[string][]string{
		"":                {"api.openai.com:443", "chatgpt.com:443", "auth.openai.com:443"},
		"model = \"m\"\n": {"api.openai.com:443", "chatgpt.com:443", "auth.openai.com:443"},
		"[model_providers.stub]\nbase_url = \"http://127.0.0.1:8399/v1\"\n":                {"127.0.0.1:8399"},
		"model_providers.one = { name = 'x', base_url='https://one.example.com/v1' }\n":    {"one.example.com:443"},
		"model_providers.two.base_url = \"https://two.example.com\"\nopenai_base_url=\"\"": {"two.example.com:443"},
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := confinement().Reaches(&spec.Launch{Env: []string{"CODEX_HOME=" + home}}); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", config, got, want)
		}
	}
}
