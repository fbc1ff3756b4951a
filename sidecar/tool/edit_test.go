package tool_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"
)

func TestEdit(t *testing.T) {
	const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"
	for _, c := range []struct{ name, content, old, new, more, want, has string }{
		{"one place", "a\nb\nc\n", "b", "B", "", "Edited f: 1 replacement.\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"},
		{"with context", ten, "5\n6", "x", "", "Edited f: 1 replacement.\n--- a/f\n+++ b/f\n@@ -2,8 +2,7 @@\n 2\n 3\n 4\n-5\n-6\n+x\n 7\n 8\n 9\n", "1\n2\n3\n4\nx\n7\n8\n9\n10\n"},
		{"to nothing", "a\nb\n", "b\n", "", "", "Edited f: 1 replacement.\n--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n a\n-b\n", "a\n"},
		{"twice", "x\ny\nx\n", "x", "z", "", "error: old_string stands 2 times in f, in the lines 1 and 3: give more of the lines around the one that you mean, or set replace_all", "x\ny\nx\n"},
		{"often", strings.Repeat("x\n", 12), "x", "z", "", "error: old_string stands 12 times in f, in the lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, …: give more of the lines around the one that you mean, or set replace_all", strings.Repeat("x\n", 12)},
		{"all", "x\ny\nx", "x", "z", "all", "Edited f: 2 replacements.\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n-x\n+z\n y\n-x\n\\ No newline at end of file\n+z\n\\ No newline at end of file\n", "z\ny\nz"},
		{"they overlap", "aaaa", "aa", "b", "all", "Edited f: 2 replacements.\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-aaaa\n\\ No newline at end of file\n+bb\n\\ No newline at end of file\n", "bb"},
		{"unicode", "grüße\n日本\n", "日本", "世界", "", "Edited f: 1 replacement.\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n grüße\n-日本\n+世界\n", "grüße\n世界\n"},
		{"CRLF in the file", "a\r\nb\r\nc\r\nd\r\n", "b\nc\n", "x\ny\nz\n", "", "", "a\r\nx\r\ny\r\nz\r\nd\r\n"},
		{"CRLF in one line", "a\r\nb\r\n", "b", "x\ny", "", "", "a\r\nx\r\ny\r\n"},
		{"CRLF to the end of a line", "a\r\nb\r\nc\r\n", "a\nb", "x", "", "", "x\r\nc\r\n"},
		{"CRLF from the end of a line", "a\r\nb\r\nc\r\n", "\nb\n", "\n", "", "", "a\r\nc\r\n"},
		{"CRLF in the arguments", "a\nb\n", "a\r\nb\r\n", "x\n", "", "", "x\n"},
		{"CRLF in all places", "a\r\nb\r\na\r\nb\r\n", "a\nb\n", "x\n", "all", "", "x\r\nx\r\n"},
		{"a byte order mark", "\ufeffa\nb\n", "a\n", "x\n", "", "", "\ufeffx\nb\n"},
		{"a miss", "func main() {\n\tfmt.Println(\"hello\")\n}\n", `fmt.Println("hullo")`, "x", "", "error: old_string is not in f. The nearest lines are:\n     2\t\tfmt.Println(\"hello\")", "func main() {\n\tfmt.Println(\"hello\")\n}\n"},
		{"white space", "\tif x {\n\t\treturn\n\t}\n", "    if x {\n        return\n", "x", "", "error: old_string is not in f as it is written: white space, or the lines around, differ. The nearest lines are:\n     1\t\tif x {", "\tif x {\n\t\treturn\n\t}\n"},
		{"nothing like it", "a\n", "something else", "x", "", "error: old_string is not in f, and no line is like it: read the file again", "a\n"},
		{"the same", "a\n", "a", "a", "", "error: old_string and new_string are the same: nothing would change", "a\n"},
		{"empty, and it exists", "a\n", "", "x", "", "error: old_string is empty, which makes a new file, and f exists: give the text that is to be replaced, or use write to replace all of it", "a\n"},
		{"bytes", "a\x00b", "a", "x", "", "error: f is no text in UTF-8 but application/octet-stream: it cannot be edited", "a\x00b"},
		{"another encoding", "caf\xe9 " + strings.Repeat("x", 9000), "x", "y", "all", "error: f is no text in UTF-8 but application/octet-stream: it cannot be edited", "caf\xe9 " + strings.Repeat("x", 9000)},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t)
			g.put("f", c.content)
			got := g.run("edit", args("file_path", "f", "old_string", c.old, "new_string", c.new, "replace_all", c.more == "all"))
			if c.want != "" && got != c.want || c.want == "" && strings.HasPrefix(got, "error: ") {
				t.Errorf("%q, want\n%q", got, c.want)
			}
			g.has("f", c.has)
		})
	}
}

func TestEditOfOtherThings(t *testing.T) {
	g := newGround(t)
	g.put("dir/x", "x")
	g.put("hard", "before\n")
	g.put("mode", "before\n")
	g.must(errors.Join(os.Link(g.at("hard"), g.at("other")), os.Symlink("dir/x", g.at("link")), os.Symlink("/etc/hostname", g.at("out")), os.Chmod(g.at("mode"), 0o755)))
	g.must(syscall.Mkfifo(g.at("pipe"), 0o600))
	g.put("big", strings.Repeat("x", 16<<20+1))
	g.put("grows", strings.Repeat("x", 1<<16))
	for _, c := range []struct{ path, old, new, want string }{
		{"none", "a", "b", "error: none does not exist: find the file with glob, or make it with write"},
		{"new/file", "", "a\nb\n", "Made new/file.\n--- /dev/null\n+++ b/new/file\n@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"dir", "a", "b", "error: dir cannot be edited: it is a directory: list what is in it with glob"},
		{"pipe", "a", "b", "error: pipe cannot be edited: it is no regular file, but a pipe, a socket or a device"},
		{"out", "a", "b", "error: /etc/hostname cannot be edited: it is outside of what this call may use"},
		{"link", "x", "y", "Edited dir/x: 1 replacement.\n--- a/dir/x\n+++ b/dir/x\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n\\ No newline at end of file\n"},
		{"hard", "before", "after", "Edited hard: 1 replacement. It had 2 hard links: the other names keep the old content.\n--- a/hard\n+++ b/hard\n@@ -1 +1 @@\n-before\n+after\n"},
		{"mode", "before", "after", "Edited mode: 1 replacement.\n--- a/mode\n+++ b/mode\n@@ -1 +1 @@\n-before\n+after\n"},
		{"big", "x", "y", "error: big cannot be edited: it has 16777217 bytes, and 16MiB is the most: change it with a command"},
		{"grows", "x", strings.Repeat("y", 257), "error: grows would have 16842752 bytes, and 16MiB is the most"},
	} {
		if got := g.run("edit", args("file_path", c.path, "old_string", c.old, "new_string", c.new, "replace_all", c.path == "grows")); got != c.want {
			t.Errorf("%s: %.300q, want\n%.300q", c.path, got, c.want)
		}
	}
	g.has("other", "before\n")
	if info, err := os.Stat(g.at("mode")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the mode is %v %v", info.Mode(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.call(ctx, "edit", args("file_path", "mode", "old_string", "after", "new_string", "x"), &sink{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was stopped: %v", err)
	}
	result, err := g.call(t.Context(), "edit", args("file_path", "mode", "old_string", "after", "new_string", "x"), &sink{})
	if err != nil || len(result.Changes) != 1 || result.Changes[0].Path != g.at("mode") || *result.Changes[0].Old != "after\n" || *result.Changes[0].New != "x\n" {
		t.Errorf("%+v %v", result, err)
	}
}

// What edit has written counts as read.
func TestWriteAfterEdit(t *testing.T) {
	g := newGround(t)
	g.put("a", "one\n")
	g.run("read", args("file_path", "a"))
	g.run("edit", args("file_path", "a", "old_string", "one", "new_string", "two"))
	if got := g.run("write", args("file_path", "a", "content", "three\n")); got != "Wrote a: 1 line, 6 bytes." {
		t.Error(got)
	}
}
