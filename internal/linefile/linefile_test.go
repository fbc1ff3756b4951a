package linefile_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/linefile"
)

func lines(t *testing.T, path string) (*linefile.File, []string) {
	t.Helper()
	var all []string
	f, err := linefile.Open(path, func(line string) { all = append(all, line) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // some tests have closed it
	return f, all
}

// TestCutLine: what a crash has cut off does not spoil the next line.
func TestCutLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("one\n\nhal"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, _ := lines(t, path)
	if err := f.Add("two"); err != nil {
		t.Fatal(err)
	}
	if _, got := lines(t, path); !slices.Equal(got, []string{"one", "hal", "two"}) {
		t.Errorf("%q", got)
	}
}

// TestRewrite: the new lines take the place of the old ones, and what is added comes after them.
func TestRewrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	f, _ := lines(t, path)
	for _, line := range []string{"one", "two", "three"} {
		if err := f.Add(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Rewrite([]string{"two", "three"}); err != nil {
		t.Fatal(err)
	}
	if err := f.Add("four"); err != nil {
		t.Fatal(err)
	}
	if _, got := lines(t, path); !slices.Equal(got, []string{"two", "three", "four"}) {
		t.Errorf("%q", got)
	}
	left, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	if i, err := os.Stat(path); err != nil || i.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", i, err)
	}
}
