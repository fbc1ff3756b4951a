package channel_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// One that is in use stays whatever its age; one whose owner was killed goes when
// the next is made.
func TestScratchIsSwept(t *testing.T) {
	base := t.TempDir()
	first, err := channel.NewScratch(base, false)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Remove()
	if info, err := os.Stat(first.Path()); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	killed := filepath.Join(base, "sidecar-killed")
	for _, dir := range []string{first.Path(), killed} {
		if err := os.MkdirAll(filepath.Join(dir, "tmp", "left"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(killed, "lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	for _, dir := range []string{first.Path(), killed} {
		if err := os.Chtimes(dir, old, old); err != nil {
			t.Fatal(err)
		}
	}
	second, err := channel.NewScratch(base, true)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Remove()
	if _, err := os.Stat(filepath.Join(first.Path(), "tmp", "left")); err != nil {
		t.Errorf("one in use: %v", err)
	}
	if _, err := os.Stat(killed); !os.IsNotExist(err) {
		t.Errorf("one of a killed sidecar: %v", err)
	}
	second.Remove()
	if _, err := os.Stat(second.Path()); !os.IsNotExist(err) {
		t.Errorf("one that was removed: %v", err)
	}
}
