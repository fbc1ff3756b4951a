package config_test

import (
	"path/filepath"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// TestWhereTasksAreKept: where somebody says, or in the platform's workspace;
// never in a directory that nobody has named.
func TestWhereTasksAreKept(t *testing.T) {
	dir := t.TempDir()
	bridge := filepath.Join(dir, ".spring", "bridge")
	for name, c := range map[string]struct {
		flags map[string][]string
		env   []string
		want  string
		asked bool
	}{
		"nobody says":            {},
		"a workspace by flag":    {flags: map[string][]string{"workspace": {dir}}},
		"a workspace of our own": {env: []string{"SIDECAR_WORKSPACE=" + dir}},
		"the platform's":         {env: []string{"SPRING_WORKSPACE_PATH=" + dir}, want: bridge},
		"a flag over it":         {flags: map[string][]string{"workspace": {dir}}, env: []string{"SPRING_WORKSPACE_PATH=/"}},
		"a state dir":            {flags: map[string][]string{"state-dir": {"/s"}}, want: "/s", asked: true},
		"by our variable":        {env: []string{"SIDECAR_STATE_DIR=/s", "SPRING_WORKSPACE_PATH=" + dir}, want: "/s", asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := config.Load(config.Sources{Args: []string{"cat"}, Flags: c.flags, Environ: c.env})
			if err != nil {
				t.Fatal(err)
			}
			if l.Config.StoreDir != c.want || l.Config.StoreAsked != c.asked {
				t.Errorf("kept in %q, asked for: %v; want %q, %v", l.Config.StoreDir, l.Config.StoreAsked, c.want, c.asked)
			}
		})
	}
}
