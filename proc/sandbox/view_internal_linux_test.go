package sandbox

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Settled is for tests from outside, which wait for it.
const Settled = settled

// A directory that has changed a moment ago, and a link, do not show each change.
func TestWhatADirectoryShows(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	made := time.Now()
	for _, c := range []struct {
		path  string
		after time.Duration
		want  bool
	}{
		{file, 0, false}, {file, settled / 2, false}, {file, settled + time.Second, true}, {link, time.Hour, false},
		{filepath.Join(dir, "to/come"), time.Hour, true},
	} {
		var v view
		if got := v.covers(c.path, made.Add(c.after)); got != c.want {
			t.Errorf("%s after %s: %t", c.path, c.after, got)
		}
	}
	if settled < 50*time.Millisecond {
		t.Error("coarse clocks of file systems tick every few milliseconds")
	}
}
