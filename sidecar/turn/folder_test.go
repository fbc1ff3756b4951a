package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// TestFoldersElsewhere: what cannot be in the runtime directory is held by us
// against every sidecar that sweeps the place, and goes with us.
func TestFoldersElsewhere(t *testing.T) {
	base := t.TempDir()
	t.Setenv("TMPDIR", base)
	f, err := newFolders(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var dirs [2]string
	for i := range dirs {
		if dirs[i], err = f.elsewhere("session-1"); err != nil {
			t.Fatal(err)
		}
	}
	if one, other := filepath.Dir(dirs[0]), filepath.Dir(dirs[1]); one != other || filepath.Dir(one) != base || dirs[0] == dirs[1] {
		t.Errorf("they are %q", dirs)
	}
	lock, err := os.Stat(filepath.Join(filepath.Dir(dirs[0]), "lock"))
	if err != nil || !strings.HasPrefix(filepath.Base(filepath.Dir(dirs[0])), "sidecar-") {
		t.Errorf("%v, %v", lock, err)
	}
	other, err := channel.NewScratch(base, false) // which sweeps
	if err != nil {
		t.Fatal(err)
	}
	other.Remove()
	if _, err := os.Stat(dirs[1]); err != nil {
		t.Error(err)
	}
	if err := f.close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(base); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
