package sidecar

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

func TestScopeHasEveryRoot(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(dir, dir+"/link"); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, c := range []struct {
		config config.Config
		env    []string
		ws     []string
		data   []string
	}{
		{config.Config{Workspace: dir + "/link/ws", Roots: []string{"more", "/opt"}}, []string{"HOME=/home/ann"}, []string{dir + "/ws", dir + "/more", "/opt"}, []string{"/home/ann/.local/share/a2a-sidecar"}},
		{config.Config{}, []string{"HOME=/home/ann", "XDG_DATA_HOME=/data"}, []string{dir}, []string{"/data/a2a-sidecar"}},
		{config.Config{}, []string{"XDG_DATA_HOME=data"}, []string{dir}, nil},
	} {
		scope, err := newScope(&c.config, c.env, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := scope.Directories(manifest.VariableWorkspace); !slices.Equal(got, c.ws) {
			t.Errorf("{workspace} is %q, want %q", got, c.ws)
		}
		if got := scope.Directories(manifest.VariableUserData); !slices.Equal(got, c.data) {
			t.Errorf("{user-data} is %q, want %q", got, c.data)
		}
	}
}
