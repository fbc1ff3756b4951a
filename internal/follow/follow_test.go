package follow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/internal/follow"
)

// must fails the test for an error of the set-up.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// start follows files until the test ends. The poll is off unless it is given: what
// is told is told by events.
func start(t *testing.T, poll time.Duration, files ...string) *follow.Follower {
	t.Helper()
	if poll == 0 {
		poll = time.Hour
	}
	f := follow.Start(follow.Options{Debounce: time.Millisecond, Poll: poll}, files...)
	t.Cleanup(f.Close)
	return f
}

// until reads a file each time that a change is told, until it holds want: "" is no
// file.
func until(t *testing.T, f *follow.Follower, path, want string) {
	t.Helper()
	timeout := time.After(await.Patience)
	for {
		select {
		case <-f.Changed():
			if data, err := os.ReadFile(path); string(data) == want && (err != nil) == (want == "") {
				return
			}
		case <-timeout:
			t.Fatalf("%s does not hold %q", path, want)
		}
	}
}

func TestEdits(t *testing.T) {
	for _, c := range []struct {
		name string
		edit func(t *testing.T, dir, path string)
	}{
		{"in place", func(t *testing.T, _, path string) { write(t, path, "two") }},
		{"by a rename", func(t *testing.T, dir, path string) {
			write(t, filepath.Join(dir, ".swp"), "two")
			must(t, os.Rename(filepath.Join(dir, ".swp"), path))
		}},
		{"with a backup", func(t *testing.T, _, path string) {
			must(t, os.Rename(path, path+"~"))
			write(t, path, "two")
		}},
		{"deleted and made again", func(t *testing.T, _, path string) {
			must(t, os.Remove(path))
			write(t, path, "two")
		}},
		{"directory replaced", func(t *testing.T, dir, path string) {
			must(t, os.Mkdir(dir+".new", 0o700))
			write(t, filepath.Join(dir+".new", "file"), "one")
			must(t, os.Rename(dir, dir+".old"))
			must(t, os.Rename(dir+".new", dir))
			write(t, path, "two")
		}},
		{"directory deleted and made again", func(t *testing.T, dir, path string) {
			must(t, os.RemoveAll(dir))
			must(t, os.Mkdir(dir, 0o700))
			write(t, path, "two")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "dir")
			must(t, os.Mkdir(dir, 0o700))
			path := filepath.Join(dir, "file")
			write(t, path, "one")
			f := start(t, 0, path)
			until(t, f, path, "one")
			c.edit(t, dir, path)
			until(t, f, path, "two")
			must(t, os.Remove(path))
			until(t, f, path, "")
			write(t, path, "three")
			until(t, f, path, "three")
		})
	}
}

// Kubernetes mounts a ConfigMap as links: file -> ..data/file and ..data -> a
// directory. It is replaced by a rename of the second link.
func TestKubernetes(t *testing.T) {
	dir := t.TempDir()
	version := func(name, text string) {
		must(t, os.Mkdir(filepath.Join(dir, name), 0o700))
		write(t, filepath.Join(dir, name, "file"), text)
		must(t, os.Symlink(name, filepath.Join(dir, "..data_tmp")))
		must(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	}
	version("..2025_1", "one")
	path := filepath.Join(dir, "file")
	must(t, os.Symlink("..data/file", path))
	f := start(t, 0, path)
	until(t, f, path, "one")
	version("..2025_2", "two")
	until(t, f, path, "two") // by the link alone: the old directory is still there
	version("..2025_3", "three")
	must(t, os.RemoveAll(filepath.Join(dir, "..2025_2")))
	until(t, f, path, "three")
}

// The file behind a link is edited, then the link leads elsewhere.
func TestBehindLink(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	target, path := filepath.Join(other, "real"), filepath.Join(dir, "file")
	write(t, target, "one")
	must(t, os.Symlink(target, path))
	f := start(t, 0, path)
	until(t, f, path, "one")
	write(t, target, "two")
	until(t, f, path, "two")
	write(t, filepath.Join(other, "next"), "three")
	must(t, os.Symlink(filepath.Join(other, "next"), path+".tmp"))
	must(t, os.Rename(path+".tmp", path))
	until(t, f, path, "three")
	write(t, filepath.Join(other, "next"), "four")
	until(t, f, path, "four")
}

func TestDirectoriesAppear(t *testing.T) {
	path := filepath.Join(t.TempDir(), "opt", "agent", "file")
	f := start(t, 0, path)
	until(t, f, path, "")
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	write(t, path, "one")
	until(t, f, path, "one")
}

// Each of several files is followed, in one directory or in two.
func TestSeveralFiles(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	files := []string{filepath.Join(dir, "cert"), filepath.Join(dir, "key"), filepath.Join(other, "ca")}
	f := start(t, 0, files...)
	for _, text := range []string{"one", "two"} {
		for _, file := range files {
			write(t, file, text)
			until(t, f, file, text)
		}
	}
}

// Some mounts send no events. Here: a write through another link to the file.
func TestByPoll(t *testing.T) {
	path, hidden := filepath.Join(t.TempDir(), "file"), filepath.Join(t.TempDir(), "hidden")
	write(t, path, "one")
	if err := os.Link(path, hidden); err != nil {
		t.Skip(err)
	}
	f := start(t, time.Millisecond, path)
	until(t, f, path, "one")
	write(t, hidden, "two")
	until(t, f, path, "two")
}

// A loop of links, and a path through a file, are followed as files that are missing.
func TestPathsThatLeadNowhere(t *testing.T) {
	dir := t.TempDir()
	loop, file := filepath.Join(dir, "loop"), filepath.Join(dir, "file")
	must(t, os.Symlink("loop", loop))
	write(t, file, "one")
	f := start(t, 0, loop, filepath.Join(file, "below"))
	until(t, f, loop, "")
	must(t, os.Remove(loop))
	write(t, loop, "two")
	until(t, f, loop, "two")
}

func TestNoFiles(t *testing.T) {
	f := follow.Start(follow.Options{})
	<-f.Changed()
	f.Close()
}

func Example() {
	dir, err := os.MkdirTemp("", "follow")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "settings")
	files := follow.Start(follow.Options{Debounce: time.Millisecond}, path)
	defer files.Close()
	<-files.Changed() // at once: read it for the first time here
	if err := os.WriteFile(path, []byte("on"), 0o600); err != nil {
		panic(err)
	}
	<-files.Changed()
	data, err := os.ReadFile(path)
	fmt.Println(string(data), err)
	// Output: on <nil>
}
