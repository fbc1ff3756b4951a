package tool_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// meddler is files in which something happens before one of the changes.
type meddler struct {
	tool.FS
	steps  int // changes so far
	before func(step int, path string) error
}

func (m *meddler) next(path string) error {
	m.steps++
	return m.before(m.steps, path)
}

func (m *meddler) Replace(path string, content []byte, old os.FileInfo) error {
	if err := m.next(path); err != nil {
		return err
	}
	return m.FS.Replace(path, content, old)
}

func (m *meddler) Restore(path string, content []byte, mode os.FileMode, old os.FileInfo) error {
	if err := m.next(path); err != nil {
		return err
	}
	return m.FS.Restore(path, content, mode, old)
}

func (m *meddler) Remove(path string, old os.FileInfo) error {
	if err := m.next(path); err != nil {
		return err
	}
	return m.FS.Remove(path, old)
}

// three changes a, makes b and removes c, in this order.
const three = "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+A\n" + "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+B\n" + "--- a/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-c\n" + "--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-d\n"

// A patch is written whole or not at all, and what is not as it was is told.
func TestApplyPatchIsTakenBack(t *testing.T) {
	noSpace := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for _, c := range []struct {
		name   string
		before func(g *ground, stop func(), step int, path string) error
		want   string
		left   fstest.MapFS
	}{
		{"the first fails", func(_ *ground, _ func(), step int, _ string) error { return map[int]error{1: noSpace}[step] },
			"error: a cannot be written: no space left on device. No file is changed", nil},
		{"the second was made meanwhile", func(g *ground, _ func(), step int, _ string) error {
			if step == 2 {
				g.put("b", "theirs")
			}
			return nil
		}, "error: b was made meanwhile: read it first. Taken back: what was done to a. Not as they were: b (it was changed by somebody else meanwhile, and is left so)", fstest.MapFS{"b": {Data: []byte("theirs")}}},
		{"the third was changed meanwhile", func(g *ground, _ func(), step int, _ string) error {
			if step == 3 {
				g.put("c", "theirs")
			}
			return nil
		}, "error: c cannot be removed: it was changed meanwhile: read it again. Taken back: what was done to b and a. Not as they were: c (it was changed by somebody else meanwhile, and is left so)", fstest.MapFS{"c": {Data: []byte("theirs")}}},
		{"the last fails", func(_ *ground, _ func(), step int, _ string) error { return map[int]error{4: noSpace}[step] },
			"error: d cannot be removed: no space left on device. No file is changed: what was done to c, b and a before that is taken back", nil},
		{"the last fails, and one is changed meanwhile", func(g *ground, _ func(), step int, _ string) error {
			if step == 4 {
				g.put("a", "theirs")
				g.must(os.Remove(g.at("b")))
				return noSpace
			}
			return nil
		}, "error: d cannot be removed: no space left on device. Taken back: what was done to c. Not as they were: a (it was changed by somebody else meanwhile, and is left so)", fstest.MapFS{"a": {Data: []byte("theirs")}}},
		{"the last fails, and the disk is full", func(_ *ground, _ func(), step int, path string) error {
			if step >= 4 && path != "b" {
				return noSpace
			}
			return nil
		}, "error: d cannot be removed: no space left on device. Taken back: what was done to b. Not as they were: c (c cannot be written: no space left on device), a (a cannot be written: no space left on device)",
			fstest.MapFS{"a": {Data: []byte("A\n")}, "c": nil}},
		{"stopped in the middle", func(_ *ground, stop func(), step int, _ string) error {
			if step == 3 {
				stop()
			}
			return nil
		}, "Stopped. No file is changed: what was done to c, b and a before that is taken back\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t)
			want := map[string]string{"a": "a\n", "c": "c\n", "d": "d\n"}
			for name, content := range want {
				g.put(name, content)
			}
			ctx, stop := context.WithCancelCause(t.Context())
			defer stop(nil)
			gone := errors.New("gone")
			g.through = func(all tool.FS) tool.FS {
				return &meddler{FS: all, before: func(step int, path string) error { return c.before(g, func() { stop(gone) }, step, path) }}
			}
			_, err := g.call(ctx, "apply_patch", args("patch", three), &g.out)
			got := g.out.String()
			if err != nil && ctx.Err() == nil {
				got = "error: " + err.Error()
			} else if !errors.Is(err, gone) {
				t.Errorf("stopped: %v", err)
			}
			if got != c.want {
				t.Errorf("%s, want\n%s", got, c.want)
			}
			for name, f := range c.left {
				if delete(want, name); f != nil {
					want[name] = string(f.Data)
				}
			}
			for name, content := range want {
				g.has(name, content)
			}
			if entries, _ := os.ReadDir(g.dir); len(entries) != len(want) {
				t.Errorf("there is %v", entries)
			}
		})
	}
}

// A file that was removed comes back with its permissions: a script runs, and nobody reads what was private.
func TestApplyPatchBringsModesBack(t *testing.T) {
	for _, mode := range []os.FileMode{0o755, 0o600} {
		g := newGround(t)
		for _, name := range []string{"a", "c", "d"} {
			g.put(name, name+"\n")
		}
		g.must(os.Chmod(g.at("c"), mode))
		g.through = func(all tool.FS) tool.FS {
			return &meddler{FS: all, before: func(step int, _ string) error {
				if step == 4 {
					return syscall.EROFS
				}
				return nil
			}}
		}
		const want = "error: d cannot be removed: read-only file system. No file is changed: what was done to c, b and a before that is taken back"
		if got := g.run("apply_patch", args("patch", three)); got != want {
			t.Errorf("%s", got)
		}
		g.has("c", "c\n")
		if info, err := os.Stat(g.at("c")); err != nil || info.Mode() != mode {
			t.Errorf("%v %v, want %v", info.Mode(), err, mode)
		}
	}
}

// A file that the session has read, and that was changed since, is not patched; nor is anything else.
func TestApplyPatchOfAnOvertakenFile(t *testing.T) {
	g := newGround(t)
	for _, name := range []string{"a", "c", "d"} {
		g.put(name, name+"\n")
	}
	g.run("read", args("file_path", "d"))
	g.put("d", "d\nmore\n")
	if got := g.run("apply_patch", args("patch", three)); got != "error: d cannot be patched: it was changed since you read it: read it again, and then decide" {
		t.Error(got)
	}
	g.has("a", "a\n")
	g.run("read", args("file_path", "d"))
	if got := g.run("apply_patch", args("patch", three)); got != "error: d cannot be removed: the patch leaves 1 line of it, and must have them all with -" {
		t.Error(got)
	}
}

func TestApplyPatchOfOtherThings(t *testing.T) {
	g := newGround(t)
	g.put("dir/x", "x\n")
	g.put("hard", "x\n")
	g.put("big", strings.Repeat("x", 16<<20+1))
	g.put("full", strings.Repeat("x", 16<<20-1)+"\n")
	for _, name := range []string{"1", "2"} {
		g.put(name, strings.Repeat("xxxxxxx\n", 2<<20))
	}
	g.must(errors.Join(os.Link(g.at("hard"), g.at("other")), os.Symlink("dir/x", g.at("link")), os.Symlink("dir", g.at("way")), os.Symlink("/etc/hostname", g.at("out")), syscall.Mkfifo(g.at("pipe"), 0o600)))
	change := func(name string) string { return "--- a/" + name + "\n+++ b/" + name + "\n@@ -1 +1 @@\n-x\n+y\n" }
	for _, c := range []struct{ patch, want string }{
		{change("none"), "error: none does not exist: find the file with glob, or make it with write"},
		{change("dir"), "error: dir cannot be patched: it is a directory: list what is in it with glob"},
		{change("pipe"), "error: pipe cannot be edited: it is no regular file, but a pipe, a socket or a device"},
		{change("out"), "error: /etc/hostname cannot be patched: it is outside of what this call may use"},
		{change("big"), "error: big cannot be edited: it has 16777217 bytes, and 16MiB is the most: change it with a command"},
		{"--- a/full\n+++ b/full\n@@ -1,0 +2 @@\n+y\n", "error: full would have 16777218 bytes, and 16MiB is the most"},
		{strings.ReplaceAll(change("1")+change("2"), "-x", "-xxxxxxx") + change("hard"), "error: the files of the patch have more than 32MiB together: make several patches of it"},
		{"--- a/link\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "error: link cannot be removed or renamed: it leads through a link to dir/x: write that"},
		{"diff --git a/way/x b/y\nrename from way/x\nrename to y\n", "error: way/x cannot be removed or renamed: it leads through a link to dir/x: write that"},
		{change("dir/x") + change("way/x"), "error: dir/x and way/x are one file: give all its hunks under one name"},
		{"diff --git a/hard b/dir/x\nrename from hard\nrename to dir/x\n", "error: dir/x cannot be made: it exists: give its lines, with --- a/FILE, or remove it first"},
		{"--- /dev/null\n+++ b/hard/x\n@@ -0,0 +1 @@\n+y\n", "error: hard/x cannot be made: \"hard\" is no directory"},
		{"--- " + g.at("hard") + "\n+++ " + g.at("hard") + "\n@@ -1 +1 @@\n-x\n+y\n", "Changed hard: +1 -1. It had 2 hard links: the other names keep the old content.\n"},
		{change("link"), "Changed dir/x: +1 -1.\n"},
	} {
		if got := g.run("apply_patch", args("patch", c.patch)); got != c.want {
			t.Errorf("%.60q: %.300s, want\n%.300s", c.patch, got, c.want)
		}
	}
	g.has("other", "x\n")
	g.has("dir/x", "y\n")
}
