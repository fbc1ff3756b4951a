package call_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// What is outside of the workspace: a file, and what is in it.
const (
	treasure = "treasure"
	topText  = "TOP secret\n"
)

// pathEscape is a way out of the workspace: a path, and the same in a command line. It is tried by each tool but for those that
// not names, with the reason why it means nothing to them.
type pathEscape struct {
	name string
	// path leads to the treasure, or to the directory that it is in if dir is set.
	path string
	dir  bool
	// line is a command that prints what is in the treasure, and changes it; "": it is made of path.
	line string
	// nowhere says that the path leads nowhere, also for those who are not confined: it must not be taken for another one.
	nowhere bool
	// own says that it is a good name of another file, which is made in the workspace.
	own bool
	// inside says that the file is in the workspace too: only its other name must keep what it has.
	inside bool
	not    map[string]string
}

// cove is a workspace and what is outside of it.
type cove struct {
	t        *testing.T
	dir, out string
	fd       int // of the treasure, in this process
}

func newCove(t *testing.T, dir string) *cove {
	t.Helper()
	out, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := &cove{t: t, dir: dir, out: out}
	if c.fd, err = unix.Open("/dev/null", unix.O_CLOEXEC, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(c.fd) })
	c.restore()
	c.tidy()
	t.Chdir(dir) // for /proc/self/cwd
	return c
}

func (c *cove) at(name string) string { return filepath.Join(c.out, name) }

// restore puts everything outside back as it was, and reports whether it was so.
func (c *cove) restore() (same bool) {
	c.t.Helper()
	entries, err := os.ReadDir(c.out)
	content, _ := os.ReadFile(c.at(treasure)) // it may have gone
	if same = err == nil && len(entries) == 1 && string(content) == topText; same {
		return true
	}
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(c.at(e.Name())))
	}
	err = errors.Join(err, os.WriteFile(c.at(treasure), []byte(topText), 0o644))
	f, openErr := os.Open(c.at(treasure))
	if err = errors.Join(err, openErr); err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Dup3(int(f.Fd()), c.fd, unix.O_CLOEXEC); err != nil {
		c.t.Fatal(err)
	}
	return false
}

// tidy makes the workspace as it is before each call.
func (c *cove) tidy() {
	c.t.Helper()
	entries, err := os.ReadDir(c.dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(c.dir, e.Name())))
	}
	err = errors.Join(err, os.MkdirAll(c.dir+"/sub", 0o755), unix.Mkfifo(c.dir+"/pipe", 0o644), os.WriteFile(c.dir+"/a.txt", []byte("public\n"), 0o644), os.Link(c.at(treasure), c.dir+"/hard"))
	for name, target := range map[string]string{
		"link": c.at(treasure), "sub/link": "../../" + filepath.Base(c.out) + "/" + treasure, "dir": c.out, "chain": "dir", "up": "..", "root": "/proc/self/root", "cwd": "/proc/self/cwd", "fd": "/proc/self/fd",
		"zero": "/dev/zero",
	} {
		err = errors.Join(err, os.Symlink(target, filepath.Join(c.dir, name)))
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

// escapes are the ways out.
func (c *cove) escapes() []pathEscape {
	file, near := c.at(treasure), "../"+filepath.Base(c.out)+"/"+treasure
	own := fmt.Sprint("/proc/", os.Getpid())
	const nothing = "it has no path to a file, only to a directory"
	files := map[string]string{"bash": "a command may wait for what never comes, or read what never ends: its timeout ends it"}
	all := []pathEscape{
		{name: "up", path: near},
		{name: "far up", path: strings.Repeat("../", 20) + file[1:]},
		{name: "down and up", path: "sub/../" + near},
		{name: "up from a file", path: "a.txt/../" + near, nowhere: true},
		{name: "up from what is not there", path: "none/../" + near, nowhere: true},
		{name: "absolute", path: file},
		{name: "absolute, from the workspace", path: c.dir + "/" + near},
		{name: "absolute, with two slashes", path: "/" + file},
		{name: "the directory above", path: "../" + filepath.Base(c.out), dir: true},
		{name: "a link", path: "link", not: map[string]string{"glob": nothing}},
		{name: "a link that goes up", path: "sub/link", not: map[string]string{"glob": nothing}},
		{name: "a link to a directory", path: "dir/" + treasure},
		{name: "a link to a link", path: "chain/" + treasure},
		{name: "a link to the directory above", path: "up/" + filepath.Base(c.out) + "/" + treasure},
		{name: "up from a link", path: "chain/../" + filepath.Base(c.out) + "/" + treasure},
		{name: "the root in /proc", path: "/proc/self/root" + file},
		{name: "the root of a thread in /proc", path: "/proc/thread-self/root" + file},
		{name: "the root of the sidecar in /proc", path: own + "/root" + file},
		{name: "the directory in /proc", path: "/proc/self/cwd/" + near},
		{name: "the directory of the sidecar in /proc", path: own + "/cwd/" + near},
		{name: "a descriptor in /proc", path: fmt.Sprint("/proc/self/fd/", c.fd), not: map[string]string{"glob": nothing, "bash": "its shell has descriptors of its own"}},
		{name: "a descriptor of the sidecar in /proc", path: fmt.Sprint(own, "/fd/", c.fd), not: map[string]string{"glob": nothing}},
		{name: "a link to the root in /proc", path: "root" + file},
		{name: "a link to the directory in /proc", path: "cwd/" + near},
		{name: "a link to a descriptor in /proc", path: fmt.Sprint("fd/", c.fd), not: map[string]string{"glob": nothing, "bash": "its shell has descriptors of its own"}},
		{name: "a pipe", path: "pipe", nowhere: true, not: files},
		{name: "a link to a device", path: "zero", nowhere: true, not: files},
		{name: "a device", path: "/dev/zero", nowhere: true, not: files},
		{name: "a NUL", path: near + "\x00", nowhere: true},
		{name: "a NUL before the end", path: "a.txt\x00/../" + near, nowhere: true},
		{name: "a long name", path: strings.Repeat("x", 300) + "/../" + near, nowhere: true},
		{name: "a long path", path: strings.Repeat("sub/../", 1000) + near, nowhere: true},
		{name: "a home directory", path: "~/../.." + file, nowhere: true, not: map[string]string{"bash": "its shell knows ~, and the path is absolute then"}},
		{name: "a URL", path: "file://" + file, nowhere: true},
	}
	for name, dots := range map[string]string{"look-alike dots": "․․/", "one character for two dots": "‥/", "wide dots": "．．／", "another slash": "..∕", "dots with nothing between": ".\u200b./", "dots with a mark": "..\u0301/", "encoded dots": "%2e%2e/", "a backslash": `..\`} {
		all = append(all, pathEscape{name: name, path: dots + filepath.Base(c.out) + "/" + treasure, nowhere: true, own: true})
	}
	all = append(all, pathEscape{name: "in other case", path: strings.ToUpper(near), nowhere: true})
	const makes = "it makes no links, and moves and mounts nothing"
	const planted = "who plants it has the file already, and a command writes where it is told to"
	makers := map[string]string{"read": makes, "write": makes, "edit": makes, "apply_patch": makes, "glob": makes, "grep": makes}
	return append(all,
		pathEscape{name: "a hard link that was planted", path: "hard", inside: true, not: map[string]string{"glob": nothing, "bash": planted}},
		pathEscape{name: "a link that it makes", line: "ln -s " + file + " l; cat l; echo gone >l", not: makers},
		pathEscape{name: "a hard link that it makes", line: "ln " + file + " h; cat h; echo gone >h", not: makers},
		pathEscape{name: "moving it in", line: "mv " + file + " m; cat m", not: makers},
		pathEscape{name: "moving the workspace's directory out", line: "cat " + file + "; mv sub " + c.out + "/sub", not: makers},
		pathEscape{name: "mounting it", line: "mkdir -p mnt; mount --bind " + c.out + " mnt; cat mnt/" + treasure + "; echo gone >mnt/" + treasure + "; umount mnt", not: makers},
	)
}

// call tries an escape by a tool, and returns all that came of it.
func (c *cove) call(b *bar, id string, e *pathEscape) string {
	c.t.Helper()
	path, dir := e.path, e.path
	if d, ok := strings.CutSuffix(path, "/"+treasure); ok {
		dir = d
	}
	named := map[string]any{"file_path": path}
	switch id {
	case "write":
		named["content"] = "gone"
	case "edit":
		named["old_string"], named["new_string"] = "TOP", "NO"
	case "apply_patch":
		named = map[string]any{"patch": patchOf(path, strings.TrimSuffix(topText, "\n"), "NO")}
	case "glob":
		named = map[string]any{"pattern": "**", "path": dir, "hidden": true}
	case "grep":
		named = map[string]any{"pattern": "secret|public", "path": path, "output_mode": "content", "hidden": true}
	case "bash":
		line := e.line
		if line == "" {
			quote := func(s string) string { return "'" + s + "'" }
			line = "cat " + quote(path) + "; ls " + quote(dir) + "; echo gone >" + quote(path)
			if e.dir {
				line = "cat " + quote(path) + "/*; echo gone >" + quote(path) + "/new"
			}
		}
		named = map[string]any{"command": "{ " + line + "; } 2>/dev/null", "timeout": 20_000}
	}
	_, ended := b.file("ann", "", id, named)
	return string(ended.inv.Envelope())
}

// The workspace is the limit: each way out, by each of the tools that use files. Without a sandbox the commands do get out, and so
// does whoever opens the paths: the table is of ways that lead somewhere.
func TestEachEscapeByEachTool(t *testing.T) {
	rooms := func(tweak ...func(*call.Options)) (*bar, *cove) {
		b := newCore(t, allowAll, append([]func(*call.Options){withHost(t), deciding(policy.Allow), func(o *call.Options) { o.RuntimeDir = t.TempDir() }}, tweak...)...)
		return b, newCove(t, b.dir)
	}
	free, open := rooms(func(o *call.Options) { o.Sandbox = nil })
	for i, all := 0, open.escapes(); i < len(all); i++ {
		e := &all[i]
		if e.path != "" && !e.nowhere && !e.dir {
			if content, err := os.ReadFile(e.path); string(content) != topText {
				t.Errorf("%s: it does not lead out: %q %v", e.name, content, err)
			}
		}
		if e.nowhere || e.not["bash"] != "" {
			continue
		}
		said := open.call(free, "bash", e)
		if changed := !open.restore(); (!strings.Contains(said, "TOP") || !changed) && e.name != "mounting it" {
			t.Errorf("%s: without a sandbox it does not get out either: changed %v, %s", e.name, changed, said)
		}
		open.tidy()
	}
	b, c := rooms(sandboxed(t, confine.Required))
	for i, all := 0, c.escapes(); i < len(all); i++ {
		e := &all[i]
		for _, id := range []string{"read", "write", "edit", "apply_patch", "glob", "grep", "bash"} {
			if reason := e.not[id]; reason != "" {
				t.Logf("| %s | %s | not tried: %s |", e.name, id, reason)
				continue
			}
			said := c.call(b, id, e)
			t.Logf("| %s | %s | %.200s |", e.name, id, said)
			if !e.inside && strings.Contains(said, "TOP") || id == "glob" && strings.Contains(said, treasure) {
				t.Errorf("%s by %s: it got out: %s", e.name, id, said)
			}
			if id != "bash" && !e.own && !e.inside && !strings.Contains(said, `"type":"error"`) {
				t.Errorf("%s by %s is no error: %s", e.name, id, said)
			}
			if !c.restore() {
				t.Errorf("%s by %s: what is outside was changed", e.name, id)
			}
			c.tidy()
		}
	}
}
