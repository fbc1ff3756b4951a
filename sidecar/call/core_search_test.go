package call_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// The head of a search has as many matches as the limit says, whatever is around them, and the side file all of it, byte by byte.
func TestSearchesAreCutAtTheirEntries(t *testing.T) {
	b := newCore(t, allowAll, withOutputs(t, 1<<30))
	var want strings.Builder
	for f := range 25 {
		name := fmt.Sprintf("f%02d", f)
		b.put(name, strings.Repeat("around\nmatch\naround\nnothing\n", 10))
		for i := range 10 {
			fmt.Fprintf(&want, "--\n %[1]s-%[2]d-around\n%[1]s:%[3]d:match\n %[1]s-%[4]d-around\n", name, 4*i+1, 4*i+2, 4*i+3)
		}
	}
	whole := strings.TrimPrefix(want.String(), "--\n")
	_, e := b.file("ann", "c", "grep", map[string]any{"pattern": "^match", "output_mode": "content", "context": 1})
	if head := e.head(); strings.Count(head, ":match\n") != 200 || !strings.HasSuffix(head, "\n f19-39-around\n") || !strings.HasPrefix(whole, head) || e.rest() != whole {
		t.Errorf("%d matches in the head, which ends with %q, and %d bytes of %d in the side file", strings.Count(head, ":match\n"), head[len(head)-50:], len(e.rest()), len(whole))
	}
	if again, _ := b.file("ann", "c", "read", map[string]any{"file_path": e.env.Metadata.OutputPath, "raw": true}); again != whole {
		t.Errorf("the side file is read as %d bytes of %d", len(again), len(whole))
	}
	for i := range 1001 {
		b.put(fmt.Sprintf("many/%04d", i), "")
	}
	_, e = b.file("ann", "c", "glob", map[string]any{"pattern": "many/*"})
	if head, rest := e.head(), e.rest(); strings.Count(head, "\n") != 1000 || strings.Count(rest, "\n") != 1001 || !strings.HasPrefix(rest, head) {
		t.Errorf("%d paths in the head, %d in the side file", strings.Count(head, "\n"), strings.Count(rest, "\n"))
	}
	if exactly, e := b.file("ann", "c", "glob", map[string]any{"pattern": "many/0*"}); e.env.Metadata.Truncated || strings.Count(exactly, "\n") != 1000 {
		t.Errorf("%d paths, truncated: %v", strings.Count(exactly, "\n"), e.env.Metadata.Truncated)
	}
}

// The ignore rules of the directories that a path is in hold too, though a call for the path may use nothing else there; and what the
// rules of the policy deny is left out.
func TestSearchesUnderRules(t *testing.T) {
	b := newCore(t, `{"permission":"fs.read","pattern":"{workspace}/sub/secrets/**","action":"deny","reason":"secret"},{"permission":"fs.read","pattern":"{workspace}/closed/.gitignore","action":"deny","reason":"closed"},`+allowAll)
	b.put(".gitignore", "*.log\n")
	for _, dir := range []string{"sub", "sub/deep", "sub/secrets", "closed/in", "linked/in"} {
		b.put(dir+"/x.log", "needle\n")
		b.put(dir+"/x.txt", "needle\n")
	}
	b.put("closed/.gitignore", "*.txt\n")
	if err := os.Symlink("/etc/passwd", b.dir+"/linked/.gitignore"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../sub", b.dir+"/linked/in/link"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{"sub/deep", "sub/deep/x.txt\n"},
		{"sub", "sub/deep/x.txt\nsub/x.txt\n(The rules leave out 1 file or directory.)\n"},
		{"closed/in", "closed/in/x.txt\n"},
		{"linked/in", "linked/in/x.txt\n"},
		{"linked/in/link/deep", "sub/deep/x.txt\n"},
		{"sub/deep/x.log", "sub/deep/x.log\n"},
	} {
		if got, _ := b.file("ann", "", "grep", map[string]any{"pattern": "needle", "path": c.path}); got != c.want {
			t.Errorf("grep in %s: %q, want %q", c.path, got, c.want)
		}
	}
	if got, _ := b.file("ann", "", "glob", map[string]any{"pattern": "**/*.log", "path": "sub/deep"}); got != "(No file matches.)\n(Left out: 1 that ignore rules name (ignored: true takes them in).)\n" {
		t.Errorf("glob: %q", got)
	}
	for _, id := range []string{"glob", "grep"} {
		for _, path := range []string{"/etc", "..", "sub/secrets", "linked/.gitignore", "/proc/self/root/etc", "~", "a\x00b"} {
			got, e := b.file("ann", "", id, map[string]any{"pattern": "*o*", "path": path})
			if id == "grep" {
				got, e = b.file("ann", "", id, map[string]any{"pattern": ".", "path": path, "output_mode": "content"})
			}
			if e.env.Type != "error" {
				t.Errorf("%s in %q: %q", id, path, got)
			}
		}
	}
}
