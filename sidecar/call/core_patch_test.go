package call_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/patch"
)

// patchOf is a patch that replaces one line of a file.
func patchOf(path, before, after string) string {
	return fmt.Sprintf("--- %s\n+++ %[1]s\n@@ -1 +1 @@\n-%s\n+%s\n", path, before, after)
}

// A rule about one of the files of a patch is a rule about the patch.
func TestRulesOfAPatch(t *testing.T) {
	const rules = `{"permission":"fs.write","pattern":"{workspace}/locked/**","action":"deny","reason":"it is locked"},{"permission":"fs.read","pattern":"{workspace}/secret","action":"deny","reason":"it is secret"},`
	remove := "--- locked/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-was\n"
	for _, c := range []struct{ name, last, want string }{
		{"changed", patchOf("locked/y", "was", "now"), "it is locked"},
		{"changed, by a quoted name", patchOf(`"lock\145d/y"`, "was", "now"), "it is locked"},
		{"changed, through a link", patchOf("way/y", "was", "now"), "it is locked"},
		{"changed, with a time", "--- locked/y\t2024-01-01\n+++ locked/y\t2024-01-02\n@@ -1 +1 @@\n-was\n+now\n", "it is locked"},
		{"removed", remove, "it is locked"},
		{"made", "--- /dev/null\n+++ b/locked/new\n@@ -0,0 +1 @@\n+now\n", "it is locked"},
		{"made, and empty", "diff --git a/locked/new b/locked/new\nnew file mode 100644\n", "it is locked"},
		{"renamed from it", "diff --git a/locked/y b/z\nrename from locked/y\nrename to z\n", "it is locked"},
		{"renamed to it", "diff --git a/y b/locked/z\nrename from y\nrename to locked/z\n", "it is locked"},
		{"read", patchOf("secret", "guess", "now"), "it is secret"},
		{"outside", patchOf("/etc/hostname", "was", "now"), "is outside of what it may"},
		{"up", patchOf("way/../../x", "was", "now"), "is outside of what it may"},
		{"of a home", patchOf("~/x", "was", "now"), `names "~/x", which begins with ~`},
		{"no patch", "@@ -1 +1 @@\n", "/patch "},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newCore(t, rules+allowAll)
			files := []string{"x", "y", "locked/y", "secret"}
			for _, name := range files {
				b.put(name, "was\n")
			}
			b.link("locked", "way")
			got, _ := b.file("ann", "", "apply_patch", map[string]any{"patch": patchOf("x", "was", "now") + c.last})
			if c.name == "no patch" {
				got, _ = b.file("ann", "", "apply_patch", map[string]any{"patch": c.last})
			}
			if !strings.HasPrefix(got, "error: ") || !strings.Contains(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
			for _, name := range files {
				if now, err := os.ReadFile(filepath.Join(b.dir, name)); err != nil || string(now) != "was\n" {
					t.Errorf("%s has %q %v", name, now, err)
				}
			}
		})
	}
}

// Who is asked about a patch sees each file, however many there may be, and so does the audit.
func TestAPatchIsAskedAboutWithAllItsFiles(t *testing.T) {
	b := newCore(t, `{"permission":"fs.write","pattern":"{workspace}/f1","action":"ask","reason":"mind it"},`+allowAll, func(o *call.Options) { o.Headless = false })
	var whole strings.Builder
	for i := range patch.MaxPaths {
		whole.WriteString(patchOf(fmt.Sprint("f", i), "was", "now"))
		b.put(fmt.Sprint("f", i), "was\n")
	}
	inv := b.p.Start(call.Request{Tool: "core.apply_patch", Arguments: arguments(t, map[string]any{"patch": whole.String()}), Caller: "ann"})
	b.until(inv, a2a.StateAuthRequired)
	open := b.approvals.List(approval.By{Caller: "ann"})
	if len(open) != 1 {
		t.Fatalf("%d approvals", len(open))
	}
	shown := open[0].Brief().Text()
	for i := range patch.MaxPaths {
		if !strings.Contains(shown, fmt.Sprintf("%s/f%d\n", b.dir, i)) {
			t.Errorf("the approval does not name f%d:\n%s", i, shown)
		}
		if now, _ := os.ReadFile(fmt.Sprint(b.dir, "/f", i)); string(now) != "was\n" {
			t.Errorf("f%d has %q", i, now)
		}
	}
	err := b.approvals.Answer(t.Context(), approval.By{Caller: "ann"}, open[0].ID(), approval.Reply{Digest: open[0].Digest(), Option: approval.Once})
	if err != nil {
		t.Fatal(err)
	}
	if e := b.ended(inv); e.env.Type == "error" {
		t.Fatal(e.text())
	}
	b.audit.mu.Lock()
	defer b.audit.mu.Unlock()
	written := map[string]bool{}
	for _, r := range b.audit.all {
		for _, u := range r.Uses {
			written[u.Value] = written[u.Value] || u.Capability == "fs.write"
		}
	}
	for i := range patch.MaxPaths {
		path := fmt.Sprint(b.dir, "/f", i)
		if now, err := os.ReadFile(path); err != nil || string(now) != "now\n" || !written[path] {
			t.Errorf("%s has %q %v, in the audit: %v", path, now, err, written[path])
		}
	}
}

// A directory that becomes a link between the judgement and the change does not lead the patch elsewhere.
func TestAPatchIsNotLedElsewhere(t *testing.T) {
	b := newCore(t, `{"permission":"fs.write","pattern":"{workspace}/**","action":"ask","reason":"mind it"},`+allowAll, func(o *call.Options) { o.Headless = false })
	outside := t.TempDir()
	b.put("dir/f", "was\n")
	b.put("g", "was\n")
	inv := b.p.Start(call.Request{Tool: "core.apply_patch", Arguments: arguments(t, map[string]any{"patch": patchOf("g", "was", "now") + patchOf("dir/f", "was", "now")}), Caller: "ann"})
	b.until(inv, a2a.StateAuthRequired)
	at := func(name string) string { return filepath.Join(b.dir, name) }
	if err := errors.Join(os.WriteFile(outside+"/f", []byte("was\n"), 0o644), os.Rename(at("dir"), at("old")), os.Symlink(outside, at("dir"))); err != nil {
		t.Fatal(err)
	}
	one := b.approvals.List(approval.By{Caller: "ann"})[0]
	if err := b.approvals.Answer(t.Context(), approval.By{Caller: "ann"}, one.ID(), approval.Reply{Digest: one.Digest(), Option: approval.Once}); err != nil {
		t.Logf("the answer: %v", err) // what was asked about is no longer so
	}
	if e := b.ended(inv); e.env.Type != "error" {
		t.Errorf("it has ended with %s", e.text())
	}
	for _, path := range []string{outside + "/f", at("g"), at("old/f")} {
		if now, err := os.ReadFile(path); err != nil || string(now) != "was\n" {
			t.Errorf("%s has %q %v", path, now, err)
		}
	}
}

// What a patch did to several files, one of them through a link, is taken back as one.
func TestAPatchIsUndone(t *testing.T) {
	k := newKept(t, allowAll)
	for _, name := range []string{"a", "sub/b", "gone"} {
		k.put(name, "was\n")
	}
	k.link("sub", "way")
	work := k.does(nil, "apply_patch", map[string]any{"patch": patchOf("a", "was", "now") + patchOf("way/b", "was", "now") +
		"--- gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-was\n" + "--- /dev/null\n+++ b/made\n@@ -0,0 +1 @@\n+now\n"})
	for name, want := range map[string]string{"a": "now\n", "sub/b": "now\n", "gone": "", "made": "now\n"} {
		k.has(name, want)
	}
	k.undo(changes.Query{Task: work}, false)
	for name, want := range map[string]string{"a": "was\n", "sub/b": "was\n", "gone": "was\n", "made": ""} {
		k.has(name, want)
	}
}
