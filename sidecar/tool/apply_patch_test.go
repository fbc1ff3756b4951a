package tool_test

import (
	"os"
	"strings"
	"testing"
)

// patchCase is a patch of the files f and g, and of what it makes.
type patchCase struct {
	name, f, patch string
	want           string // the text, or the error after "error: "
	has            string // what f has then; "" for what it had
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"

// of puts the names of f above hunks.
func of(hunks string) string { return "--- a/f\n+++ b/f\n" + hunks }

var patchCases = []patchCase{
	{"one hunk", ten, of("@@ -4,3 +4,3 @@\n 4\n-5\n+five\n 6\n"), "Changed f: +1 -1.\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n"},
	{"two hunks", ten, of("@@ -1,2 +1,3 @@\n+0\n 1\n 2\n@@ -9,2 +10,1 @@\n 9\n-10\n"), "Changed f: +1 -1.\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"},
	{"the line is wrong", ten, of("@@ -1,3 +1,3 @@\n 7\n-8\n+eight\n 9\n"), "Changed f: +1 -1. Hunk 1 stands at line 7, not 1.\n", strings.Replace(ten, "8", "eight", 1)},
	{"no line", ten, of("@@ @@\n 7\n-8\n+eight\n 9\n"), "Changed f: +1 -1.\n", strings.Replace(ten, "8", "eight", 1)},
	{"the counts are wrong", ten, of("@@ -7,1 +7,9 @@\n 7\n-8\n+eight\n 9\n"), "Changed f: +1 -1.\n", strings.Replace(ten, "8", "eight", 1)},
	{"an empty line has lost its space", "a\n\nb\n", of("@@ -1,3 +1,3 @@\n a\n\n-b\n+c\n"), "Changed f: +1 -1.\n", "a\n\nc\n"},
	{"in a fence", "a\n", "Here it is:\n```diff\n" + of("@@ -1 +1 @@\n-a\n+b\n```\n"), "Changed f: +1 -1.\n", "b\n"},
	{"from a mail", "a\n", "From: x\n - a\n---\n f | 2 +-\n\n" + of("@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n"), "Changed f: +1 -1.\n", "b\n"},
	{"the nearest of several", strings.Repeat("a\nb\n", 20), of("@@ -11,1 +11,1 @@\n-a\n+x\n"), "Changed f: +1 -1.\n", strings.Repeat("a\nb\n", 5) + "x\nb\n" + strings.Repeat("a\nb\n", 14)},
	{"two that are as near", "a\nb\na\n", of("@@ -2 +2 @@\n-a\n+x\n"), "error: f: hunk 1 (line 3 of the patch) fits at line 1 and at line 3: give more of the lines around it, or the right line in its head", ""},
	{"no line, and two places", "a\nb\na\n", of("@@ @@\n-a\n+x\n"), "error: f: hunk 1 (line 3 of the patch) fits at line 1 and at line 3: give more of the lines around it, or the right line in its head", ""},
	{"a hunk above the one before", ten, of("@@ -8 +8 @@\n-8\n+x\n@@ -2 +2 @@\n-2\n+y\n"), "error: f: hunk 2 (line 6 of the patch) fits nowhere as it is written: white space, or the lines around, differ. The nearest lines are:\n     2\t2", ""},
	{"added after a line", "a\nb\n", of("@@ -1,0 +2 @@\n+x\n"), "Changed f: +1 -0.\n", "a\nx\nb\n"},
	{"added after a line that ends the file", "a", of("@@ -1,0 +2 @@\n+x\n"), "error: f: hunk 1 (line 3 of the patch) fits nowhere: it only adds lines, after line 1, and nothing shows that this is the place: give lines of the file around them", ""},
	{"added after a line that ends otherwise", "a\r\nb\r\n", of("@@ -1,0 +2 @@\n+x\n"), "error: f: hunk 1 (line 3 of the patch) fits nowhere: it only adds lines, after line 1, and nothing shows that this is the place: give lines of the file around them", ""},
	{"a miss", "func main() {\n\tfmt.Println(\"hello\")\n}\n", of("@@ -1,3 +1,3 @@\n func main() {\n-\tfmt.Println(\"hullo\")\n+\tx()\n }\n"),
		"error: f: hunk 1 (line 3 of the patch) fits nowhere. The nearest lines are:\n     2\t\tfmt.Println(\"hello\")", ""},
	{"white space", "\tif x {\n\t}\n", of("@@ -1,2 +1,2 @@\n-    if x {\n+    if y {\n     }\n"),
		"error: f: hunk 1 (line 3 of the patch) fits nowhere as it is written: white space, or the lines around, differ. The nearest lines are:\n     1\t\tif x {", ""},
	{"nothing like it", "a\n", of("@@ -1 +1 @@\n-something else\n+x\n"), "error: f: hunk 1 (line 3 of the patch) fits nowhere, and no line is like it: read the file again", ""},
	{"unicode", "grüße\n日本\n", of("@@ -1,2 +1,2 @@\n grüße\n-日本\n+世界\n"), "Changed f: +1 -1.\n", "grüße\n世界\n"},
	{"CRLF in the file", "a\r\nb\r\nc\r\n", of("@@ -1,3 +1,4 @@\n a\n-b\n+x\n+y\n c\n"), "Changed f: +2 -1.\n", "a\r\nx\r\ny\r\nc\r\n"},
	{"CRLF as git writes it", "a\r\nb\r\n", of("@@ -1,2 +1,2 @@\n a\r\n-b\r\n+x\r\n"), "Changed f: +1 -1.\n", "a\r\nx\r\n"},
	{"CRLF in all of the patch", "a\nb\n", strings.ReplaceAll(of("@@ -1,2 +1,2 @@\n a\n-b\n+x\n"), "\n", "\r\n"), "Changed f: +1 -1.\n", "a\nx\n"},
	{"CRLF becomes LF", "a\r\n", of("@@ -1 +1 @@\n-a\r\n+a\n"), "Changed f: +1 -1.\n", "a\n"},
	{"no newline, and it is told", "a\nb", of("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"), "Changed f: +1 -1.\n", "a\nc"},
	{"no newline, and it is not told", "a\nb", of("@@ -1,2 +1,2 @@\n a\n-b\n+c\n"), "Changed f: +1 -1.\n", "a\nc"},
	{"a newline comes", "a\nb", of("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"), "Changed f: +1 -1.\n", "a\nb\n"},
	{"a newline goes", "a\nb\n", of("@@ -1,2 +1,2 @@\n a\n-b\n+b\n\\ No newline at end of file\n"), "Changed f: +1 -1.\n", "a\nb"},
	{"it ends otherwise", "a\nb\nc\n", of("@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n"), "error: f: hunk 1 (line 3 of the patch) fits nowhere as it is written: white space, or the lines around, differ. The nearest lines are:\n     1\ta", ""},
	{"nothing", "a\n", of("@@ -1 +1 @@\n-a\n+a\n"), "error: the patch changes nothing in f", ""},
	{"a mode", "a\n", "diff --git a/f b/f\nold mode 100644\nnew mode 100755\nindex 1..2\n" + of("@@ -1 +1 @@\n-a\n+b\n"), "Changed f: +1 -1. It is not executable: change that with a command.\n", "b\n"},
	{"bytes", "a\x00b", of("@@ -1 +1 @@\n-a\n+b\n"), "error: f is no text in UTF-8 but application/octet-stream: it cannot be edited", ""},
	{"a file that is there is made", "a\n", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n", "error: f cannot be made: it exists: give its lines, with --- a/FILE, or remove it first", ""},
	{"a part of it is removed", "a\nb\n", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "error: f cannot be removed: the patch leaves 1 line of it, and must have them all with -", ""},
	{"under two names", "a\nb\n", of("@@ -1 +1 @@\n-a\n+x\n") + "--- a/./f\n+++ b/./f\n@@ -2 +2 @@\n-b\n+y\n", "error: f and ./f are one file: give all its hunks under one name", ""},
	{"the second of two files does not fit", "a\n", of("@@ -1 +1 @@\n-a\n+x\n") + "--- a/g\n+++ b/g\n@@ -1 +1 @@\n-b\n+y\n", "error: g does not exist: find the file with glob, or make it with write", ""},
	{"out of it", "a\n", of("@@ -1 +1 @@\n-a\n+x\n") + "--- /dev/null\n+++ b/../g\n@@ -0,0 +1 @@\n+y\n", "error: ../g cannot be made: it is outside of what this call may use", ""},
}

func TestApplyPatch(t *testing.T) {
	for _, c := range patchCases {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t)
			g.put("f", c.f)
			got := g.run("apply_patch", args("patch", c.patch))
			if up := strings.Index(got, "/g cannot"); up > 0 {
				got = "error: .." + got[up:] // the rest is where the test runs
			}
			if got != c.want {
				t.Errorf("%s, want\n%s", got, c.want)
			}
			if c.has == "" {
				c.has = c.f
			}
			g.has("f", c.has)
			if entries, _ := os.ReadDir(g.dir); len(entries) != 1 {
				t.Errorf("there is %v", entries)
			}
		})
	}
}

// One patch of several files, with all that can become of one.
func TestApplyPatchOfSeveralFiles(t *testing.T) {
	g := newGround(t)
	g.put("a", "1\n2\n")
	g.put("gone", "x\n")
	g.put("from", "old\n")
	g.put("plain", "same\n")
	g.put("mit ü", "a\n")
	g.must(os.Chmod(g.at("from"), 0o755))
	got, err := g.call(t.Context(), "apply_patch", args("patch", `diff --git a/a b/a
index 1..2 100644
--- a/a
+++ b/a
@@ -1,2 +1,2 @@
 1
-2
+two
diff --git a/gone b/gone
deleted file mode 100644
index 1..0
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/from b/to/here
similarity index 50%
rename from from
rename to to/here
--- a/from
+++ b/to/here
@@ -1 +1 @@
-old
+new
diff --git a/plain b/renamed
similarity index 100%
rename from plain
rename to renamed
diff --git a/empty b/empty
new file mode 100644
index 0..0
diff --git a/run.sh b/run.sh
new file mode 100755
--- /dev/null
+++ b/run.sh
@@ -0,0 +1,2 @@
+one
+two
diff --git "a/mit \303\274" "b/mit \303\274"
--- "a/mit \303\274"
+++ "b/mit \303\274"
@@ -1 +1 @@
-a
+b
`), &g.out)
	g.must(err)
	const want = "Changed a: +1 -1.\nRemoved gone.\nRenamed from to to/here: +1 -1. It is not executable: change that with a command.\n" +
		"Renamed plain to renamed.\nMade empty: 0 lines.\nMade run.sh: 2 lines. It is not executable: change that with a command.\nChanged mit ü: +1 -1.\n"
	if g.out.String() != want {
		t.Errorf("%s", g.out.String())
	}
	for name, content := range map[string]string{"a": "1\ntwo\n", "to/here": "new\n", "renamed": "same\n", "empty": "", "run.sh": "one\ntwo\n", "mit ü": "b\n"} {
		g.has(name, content)
	}
	for _, name := range []string{"gone", "from", "plain"} {
		if _, err := os.Lstat(g.at(name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	var told []string
	for _, c := range got.Changes {
		side := func(s *string) string {
			if s == nil {
				return "-"
			}
			return strings.ReplaceAll(*s, "\n", "/")
		}
		told = append(told, strings.TrimPrefix(c.Path, g.dir+"/")+" "+side(c.Old)+" "+side(c.New))
	}
	const changes = "a 1/2/ 1/two/, gone x/ -, from old/ -, to/here - new/, plain same/ -, renamed - same/, empty - , run.sh - one/two/, mit ü a/ b/"
	if strings.Join(told, ", ") != changes {
		t.Errorf("%q", strings.Join(told, ", "))
	}
	// What the patch has written counts as read.
	if got := g.run("write", args("file_path", "a", "content", "x")); got != "Wrote a: 1 line, 1 byte." {
		t.Error(got)
	}
}
