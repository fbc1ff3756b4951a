package follow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/internal/follow"
)

// folders follows the notes of each directory in these folders. poll as in start.
func folders(t *testing.T, poll time.Duration, all ...string) *follow.Follower {
	t.Helper()
	if poll == 0 {
		poll = time.Hour
	}
	f := follow.Start(follow.Options{Debounce: time.Millisecond, Poll: poll, Folders: all, Names: []string{"note", "more"}})
	t.Cleanup(f.Close)
	return f
}

// A directory comes, the files in it are written, edited, replaced and removed, and it goes.
func TestFolder(t *testing.T) {
	t.Parallel()
	for _, poll := range []time.Duration{0, 5 * time.Millisecond} {
		top := filepath.Join(t.TempDir(), "not", "yet", "there")
		f := folders(t, poll, top)
		<-f.Changed()
		path := filepath.Join(top, "one", "note")
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		write(t, path, "one")
		until(t, f, path, "one")
		write(t, path, "two")
		until(t, f, path, "two")
		write(t, path+"~", "three")
		must(t, os.Rename(path+"~", path))
		until(t, f, path, "three")
		must(t, os.Remove(path))
		until(t, f, path, "")
		must(t, os.Mkdir(filepath.Join(top, "elsewhere"), 0o700))
		write(t, filepath.Join(top, "elsewhere", "more"), "four")
		until(t, f, filepath.Join(top, "elsewhere", "more"), "four")
		must(t, os.RemoveAll(filepath.Join(top, "elsewhere")))
		until(t, f, filepath.Join(top, "elsewhere", "more"), "")
		must(t, os.Rename(filepath.Join(top, "one"), filepath.Join(top, "two")))
		write(t, filepath.Join(top, "two", "note"), "five")
		until(t, f, filepath.Join(top, "two", "note"), "five")
	}
}

// What a link leads to is followed; loops of links, files, and a FIFO in a folder's place are not waited for.
func TestFolderWithOddEntries(t *testing.T) {
	t.Parallel()
	top, other := t.TempDir(), t.TempDir()
	must(t, os.Symlink(other, filepath.Join(top, "linked")))
	must(t, os.Symlink("loop", filepath.Join(top, "loop")))
	write(t, filepath.Join(top, "file"), "")
	pipe := filepath.Join(t.TempDir(), "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	f := folders(t, 0, top, pipe)
	<-f.Changed()
	write(t, filepath.Join(other, "note"), "one")
	until(t, f, filepath.Join(top, "linked", "note"), "one")
}

// Five hundred directories are followed, and one more is.
func TestFolderWithMany(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	for i := range 500 {
		must(t, os.Mkdir(filepath.Join(top, fmt.Sprint(i)), 0o700))
		write(t, filepath.Join(top, fmt.Sprint(i), "note"), "")
	}
	f := folders(t, 0, top)
	await.One(t, f.Changed(), "the first look")
	path := filepath.Join(top, "new", "note")
	must(t, os.Mkdir(filepath.Dir(path), 0o700))
	write(t, path, "one")
	until(t, f, path, "one")
	write(t, filepath.Join(top, "77", "note"), "two")
	until(t, f, filepath.Join(top, "77", "note"), "two")
}
