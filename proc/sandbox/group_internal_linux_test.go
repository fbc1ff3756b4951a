package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A group that another start has just made, and whose process is still to come, is not swept.
func TestSweepSparesNewGroups(t *testing.T) {
	parent := t.TempDir()
	fresh, old, foreign := filepath.Join(parent, groupPrefix+"1-a"), filepath.Join(parent, groupPrefix+"2-b"), filepath.Join(parent, "other")
	for _, dir := range []string{fresh, old, foreign} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * groupAge)
	for _, dir := range []string{old, foreign} {
		if err := os.Chtimes(dir, past, past); err != nil {
			t.Fatal(err)
		}
	}
	sweepGroups(parent)
	for dir, stays := range map[string]bool{fresh: true, old: false, foreign: true} {
		if _, err := os.Stat(dir); (err == nil) != stays {
			t.Errorf("%s: %v", filepath.Base(dir), err)
		}
	}
}
