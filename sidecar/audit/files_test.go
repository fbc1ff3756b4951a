package audit_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
)

// Files names every file that an audit leaves after many rotations.
func TestFilesAreAllFiles(t *testing.T) {
	l, file := open(t, audit.Options{MaxBytes: 2_000})
	calls(t, l, 200)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range left {
		have = append(have, filepath.Join(filepath.Dir(file), e.Name()))
	}
	want := audit.Files(file)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		t.Errorf("there are %q, and Files says %q", have, want)
	}
	if !slices.Contains(want, audit.LockFile(file)) {
		t.Errorf("%s is not among %q", audit.LockFile(file), want)
	}
}
