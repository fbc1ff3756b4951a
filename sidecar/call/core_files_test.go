package call_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	core "github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// withCore offers the sidecar's own tools, with the files that they use confined as far as the system
// can.
func withCore(t testing.TB) func(*call.Options) {
	set, err := core.NewSet([]string{core.Core, "apply_patch"})
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := confine.New(confine.Options{Mode: confine.Auto})
	if err != nil {
		t.Fatal(err)
	}
	return func(o *call.Options) {
		o.Tools, o.Sandbox, o.Headless = set, keeper, true
		o.Surface = func(*call.Request) *manifest.Snapshot { return set.Snapshot() }
	}
}

// newCore is a bar with those tools.
func newCore(t testing.TB, rules string, tweak ...func(*call.Options)) *bar {
	return newBar(t, rules, append([]func(*call.Options){withCore(t)}, tweak...)...)
}

// arguments writes the arguments of a call.
func arguments(t testing.TB, named map[string]any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(named)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// file calls a tool in a conversation of a caller, and returns its text, or its error after "error: ".
func (b *bar) file(caller, contextID, id string, named map[string]any) (string, ended) {
	b.t.Helper()
	e := b.ended(b.p.Start(call.Request{Tool: core.Prefix + id, Arguments: arguments(b.t, named), Caller: caller, ContextID: contextID}))
	if e.env.Type == "error" {
		return "error: " + e.text(), e
	}
	data := e.env.Data
	var cut struct{ Head json.RawMessage }
	if json.Unmarshal(data, &cut) == nil && cut.Head != nil {
		data = cut.Head
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		b.t.Fatalf("%s: %v", data, err)
	}
	return s, e
}

func TestFileToolsThroughThePipeline(t *testing.T) {
	b := newCore(t, allowAll)
	b.put("a.json", "{\"n\":\n 1}")
	for _, c := range []struct {
		tool  string
		named map[string]any
		want  string
	}{
		{"read", map[string]any{"file_path": "a.json", "raw": true}, "{\"n\":\n 1}"},
		{"read", map[string]any{"file_path": "a.json"}, "     1\t{\"n\":\n     2\t 1}"},
		{"edit", map[string]any{"file_path": "a.json", "old_string": " 1", "new_string": " 2"}, "Edited a.json: 1 replacement.\n--- a/a.json\n+++ b/a.json\n@@ -1,2 +1,2 @@\n {\"n\":\n- 1}\n\\ No newline at end of file\n+ 2}\n\\ No newline at end of file\n"},
		{"write", map[string]any{"file_path": b.dir + "/new/b", "content": "x"}, "Made new/b: 1 line, 1 byte."},
		{"read", map[string]any{"file_path": "a.json", "line": 1}, "error: invalid arguments for core.read: /line is not a property that it knows"},
	} {
		got, e := b.file("ann", "", c.tool, c.named)
		if got != c.want && !strings.HasPrefix(c.want, "error: ") || strings.HasPrefix(c.want, "error: ") && !strings.Contains(got, "/line") {
			t.Errorf("%s %v: %q, want %q", c.tool, c.named, got, c.want)
		}
		if e.task.Status.State == a2a.StateCompleted == strings.HasPrefix(c.want, "error: ") {
			t.Errorf("%s %v ended as %s", c.tool, c.named, e.task.Status.State)
		}
	}
	b.put("image", "\x89PNG\r\n\x1a\nxyz")
	_, e := b.file("ann", "", "read", map[string]any{"file_path": "image"})
	if part := e.artifact("file-1"); part.MediaType != "image/png" || string(part.Raw) != "\x89PNG\r\n\x1a\nxyz" {
		t.Errorf("an image: %+v", part)
	}
}

// The workspace is the limit: the ways out of it, against each tool that takes a path.
func TestFileToolsStayInTheWorkspace(t *testing.T) {
	b := newCore(t, `{"permission":"fs.read","pattern":"{workspace}/secrets/**","action":"deny","reason":"secret"},{"permission":"fs.write","pattern":"{workspace}/secrets/**","action":"deny","reason":"secret"},`+allowAll)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	var faults error
	add := func(err error) { faults = errors.Join(faults, err) }
	add(os.WriteFile(secret, []byte("TOP secret\n"), 0o644))
	b.put("a.txt", "public\n")
	b.put("secrets/key", "TOP secret\n")
	add(os.Symlink(secret, b.dir+"/link"))
	add(os.Symlink(outside, b.dir+"/dir"))
	add(os.Symlink("secrets", b.dir+"/pub"))
	add(os.Symlink("loop", b.dir+"/loop"))
	add(os.Symlink("/proc/self/root", b.dir+"/root"))
	add(os.Symlink("/proc/self/fd", b.dir+"/fd"))
	add(syscall.Mkfifo(b.dir+"/pipe", 0o644))
	if faults != nil {
		t.Fatal(faults)
	}
	up := strings.Repeat("../", 20)
	for _, path := range []string{
		"..", "../x", "../" + filepath.Base(outside) + "/secret", up + strings.TrimPrefix(secret, "/"), "a.txt/../../x", "a/../../x", secret, "/etc/passwd", "//etc/passwd", b.dir + "/.." + "/x",
		"link", "./link", "dir/secret", "dir/new", "dir/../secret", "root/etc/passwd", "fd/0", "fd/3", "/proc/self/root" + secret, "/proc/self/environ", "/proc/self/mem", "/dev/stdin", "/dev/null", "/dev/fd/0",
		"pub/key", "secrets/key", "secrets/../secrets/key", "pub/../secrets/key", "loop", "loop/x", "pipe", ".", "", "secrets",
		"a\x00b", "a.txt\x00", "~", "~/x", "~root/x", "file://" + secret, "file:///etc/passwd",
		strings.Repeat("x", 300), strings.Repeat("x/", 3000) + "x", "a.txt/", "a.txt/x",
	} {
		for id, more := range map[string]map[string]any{
			"read": {}, "write": {"content": "overwritten"}, "edit": {"old_string": "TOP", "new_string": "NO"},
			"apply_patch": {"patch": patchOf(path, "TOP secret", "NO")},
		} {
			named := map[string]any{}
			if id != "apply_patch" {
				named["file_path"] = path
			}
			for k, v := range more {
				named[k] = v
			}
			got, _ := b.file("ann", "", id, named)
			if path == "a.txt/" && (id == "read" || id == "write") { // the file itself
				continue
			}
			if !strings.HasPrefix(got, "error: ") || strings.Contains(got, "TOP") {
				t.Errorf("%s %.60q: %.200q", id, path, got)
			}
		}
	}
	// Names that look like others are names of their own.
	for _, path := range []string{"A.TXT", "a․txt", "ａ.txt", "․․/x", "..／x", "a.txt ", "a\u200b.txt", "%2e%2e/x", `..\x`, "a.t\u0445t"} {
		if got, _ := b.file("ann", "", "read", map[string]any{"file_path": path}); got != "error: "+path+" does not exist: find the file with glob" && !strings.Contains(got, "does not exist") {
			t.Errorf("%q: %q", path, got)
		}
	}
	for path, want := range map[string]string{secret: "TOP secret\n", b.dir + "/secrets/key": "TOP secret\n"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s has %q %v", path, got, err)
		}
	}
	if entries, _ := os.ReadDir(outside); len(entries) != 1 {
		t.Errorf("outside there is %v", entries)
	}
}

// Another name of a file that is outside is replaced, and the file outside stays.
func TestFileToolsDoNotWriteThroughHardLinks(t *testing.T) {
	b := newCore(t, allowAll)
	outside := filepath.Join(filepath.Dir(b.dir), "outside")
	if err := os.WriteFile(outside, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"write", "edit", "apply_patch"} {
		if err := os.Link(outside, b.dir+"/"+id); err != nil {
			t.Fatal(err)
		}
		got, _ := b.file("ann", "", id, map[string]map[string]any{
			"write": {"file_path": id, "content": "new"}, "edit": {"file_path": id, "old_string": "kept", "new_string": "new"}, "apply_patch": {"patch": patchOf(id, "kept", "new")},
		}[id])
		if !strings.Contains(got, "It had ") {
			t.Errorf("%s: %q", id, got)
		}
		if now, _ := os.ReadFile(outside); string(now) != "kept" {
			t.Errorf("%s: outside has %q", id, now)
		}
	}
}

// What is too long is cut at the limit, and is whole in a file that the same caller reads in the same
// conversation, and nobody else.
func TestAnEarlierOutputIsRead(t *testing.T) {
	b := newCore(t, allowAll, withOutputs(t, 8<<20))
	content := strings.Repeat("0123456789abcde\n", 20_000)
	b.put("long", content)
	got, first := b.file("ann", "one", "read", map[string]any{"file_path": "long", "raw": true})
	path := first.env.Metadata.OutputPath
	if !first.env.Metadata.Truncated || got != content[:200_000] || path == "" {
		t.Fatalf("it has %d bytes, and %q", len(got), path)
	}
	if whole, err := os.ReadFile(path); err != nil || string(whole) != content {
		t.Fatalf("the file has %d bytes %v", len(whole), err)
	}
	if got, e := b.file("ann", "one", "read", map[string]any{"file_path": path, "byte_offset": 200_000, "byte_limit": 32}); got != content[200_000:200_032] {
		t.Errorf("its rest: %q %s", got, e.inv.Envelope())
	}
	for name, who := range map[string][2]string{"another caller": {"bob", "one"}, "another conversation": {"ann", "two"}} {
		if got, _ := b.file(who[0], who[1], "read", map[string]any{"file_path": path}); !strings.Contains(got, "is outside of what it may read") {
			t.Errorf("%s: %.100q", name, got)
		}
	}
	for _, id := range []string{"write", "edit", "apply_patch"} {
		got, _ := b.file("ann", "one", id, map[string]map[string]any{
			"write": {"file_path": path, "content": "x"}, "edit": {"file_path": path, "old_string": "0", "new_string": "1"}, "apply_patch": {"patch": patchOf(path, "0123456789abcde", "1")},
		}[id])
		if !strings.Contains(got, "is outside of what it may write") {
			t.Errorf("%s of an output: %.100q", id, got)
		}
	}
	if got, _ := b.file("ann", "one", "read", map[string]any{"file_path": filepath.Dir(path)}); !strings.Contains(got, "is outside of what it may read") {
		t.Errorf("the directory of the outputs: %.100q", got)
	}
}

// With --user the tools are that user: what they make is that user's.
func TestFileToolsOfUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	b := newCore(t, allowAll, func(o *call.Options) { o.User = &proc.User{UID: 4711, GID: 4711} })
	for dir := b.dir; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Chmod(b.put("secret", "x"), 0o600), os.Chown(b.dir, 4711, 4711)); err != nil {
		t.Fatal(err)
	}
	if got, _ := b.file("ann", "", "read", map[string]any{"file_path": "secret"}); got != "error: secret cannot be read: permission denied" {
		t.Error(got)
	}
	if got, _ := b.file("ann", "", "write", map[string]any{"file_path": "secret", "content": "y"}); got != "error: secret cannot be written: permission denied" {
		t.Error(got)
	}
	if got, _ := b.file("ann", "", "write", map[string]any{"file_path": "d/new", "content": "y"}); got != "Made d/new: 1 line, 1 byte." {
		t.Error(got)
	}
	info, err := os.Stat(b.dir + "/d/new")
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t); owner.Uid != 4711 || owner.Gid != 4711 {
		t.Errorf("it is %d:%d's", owner.Uid, owner.Gid)
	}
}

// The audit says what has held a call.
func TestFileToolsAreConfined(t *testing.T) {
	if sandbox.Probe().Layers&sandbox.Landlock == 0 {
		t.Skip("this system has no Landlock")
	}
	b := newCore(t, allowAll)
	b.put("a", "x")
	b.file("ann", "", "read", map[string]any{"file_path": "a"})
	b.audit.mu.Lock()
	defer b.audit.mu.Unlock()
	if last := b.audit.all[len(b.audit.all)-1]; !slices.Equal(last.Sandbox, []string{"landlock"}) {
		t.Errorf("the audit has %+v", last)
	}
}
