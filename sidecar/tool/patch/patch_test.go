package patch_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/tool/patch"
)

const hunk = "@@ -1 +1 @@\n-x\n+y\n"

// What a patch names, and the text of each error.
func TestPaths(t *testing.T) {
	git := func(more string) string { return "diff --git a/f b/f\n" + more }
	for _, c := range []struct{ name, patch, want string }{
		{"git", git("index 1..2 100644\n--- a/f\n+++ b/f\n" + hunk), "f"},
		{"diff -u", "--- f\t2024-01-01 00:00:00.000000000 +0000\n+++ f\t2024-01-02 00:00:00.000000000 +0000\n" + hunk, "f"},
		{"no prefixes", "--- a/f\n+++ a/f\n" + hunk, "a/f"},
		{"absolute", "--- /ws/f\n+++ /ws/f\n" + hunk, "/ws/f"},
		{"with spaces", "--- a/x y\t\n+++ b/x y\t\n" + hunk, "x y"},
		{"quoted", `--- "a/\"\t\\\303\274"` + "\n" + `+++ "b/\"\t\\ü"` + "\n" + hunk, "\"\t\\ü"},
		{"made", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+y\n", "f"},
		{"removed", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "f"},
		{"renamed", "diff --git a/f b/g\nsimilarity index 100%\nrename from f\nrename to g\n", "f g"},
		{"renamed and changed", "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/g\n" + hunk, "f g"},
		{"empty, made", git("new file mode 100644\nindex 0..1\n"), "f"},
		{"empty, removed", git("deleted file mode 100644\nindex 0..1\n"), "f"},
		{"several", "--- a/f\n+++ b/f\n" + hunk + "\n--- a/g\n+++ b/g\n" + hunk + hunk, "f g"},
		{"with lines that look like names", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- a/g\n+++ b/g\n x\n", "f"},
		{"badly counted, and another file", "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-x\n+y\n--- a/g\n+++ b/g\n" + hunk, "f g"},
		{"up", "--- a/../f\n+++ b/../f\n" + hunk, "../f"},

		{"nothing", "", `has no file in it: write a unified diff, with the lines "--- a/FILE", "+++ b/FILE" and "@@ -1,3 +1,4 @@" above the changed lines`},
		{"another form", "\n*** Begin Patch\n*** Update File: f\n", `begins with "*** Begin Patch": write a unified diff, with the lines "--- a/FILE", "+++ b/FILE" and "@@ -1,3 +1,4 @@" above the changed lines`},
		{"no names", hunk, `has in line 1 a hunk of no file: write "--- a/FILE" and "+++ b/FILE" above it`},
		{"NUL", "--- a/f\x00\n+++ b/f\n" + hunk, "has a NUL character in it: only text can be patched"},
		{"NUL, quoted", `--- "a/f\000g"` + "\n+++ b/f\n" + hunk, "has in line 1 a name with a NUL character in it, or bytes that are no UTF-8"},
		{"no UTF-8", `--- "a/\377"` + "\n+++ b/f\n" + hunk, "has in line 1 a name with a NUL character in it, or bytes that are no UTF-8"},
		{"CR in a name", "--- a/f\r\n+++ b/f\n" + hunk, `has in line 1 a name with a control character in it: write it in double quotes, as in "a\tb"`},
		{"CR in the second name", "--- a/f\n+++ b/f\r\n" + hunk, `has in line 2 a name with a control character in it: write it in double quotes, as in "a\tb"`},
		{"a wrong escape", `--- "a/\q"` + "\n+++ b/f\n" + hunk, "has in line 1 a name whose quotes or escapes are wrong"},
		{"more after a quoted name", `--- "a/f" b/g` + "\n+++ b/f\n" + hunk, "has in line 1 a name whose quotes or escapes are wrong"},
		{"an empty name", "--- \n+++ b/f\n" + hunk, "has in line 1 an empty name"},
		{"an empty name after the prefix", "--- a/\n+++ b/\n" + hunk, "has a file without a name: one of both may be /dev/null (above line 6)"},
		{"nowhere", "--- /dev/null\n+++ /dev/null\n" + hunk, "has a file without a name: one of both may be /dev/null (above line 6)"},
		{"two names", "--- a/f\n+++ b/g\n" + hunk, `names two files, f and g, for one: write the same name twice, or "diff --git", "rename from" and "rename to" above them (above line 6)`},
		{"other names above", git("--- a/g\n+++ b/g\n" + hunk), "names f after diff --git, and g under it (above line 7)"},
		{"other names than the rename's", "diff --git a/f b/g\nrename from f\nrename to g\n--- a/f\n+++ b/h\n" + hunk, "names other files under --- and +++ than f and g, between which it renames (above line 9)"},
		{"half a rename", "diff --git a/f b/g\nrename from f\n--- a/f\n+++ b/g\n" + hunk, `has a rename without two names: "rename from" and "rename to" go together (above line 8)`},
		{"the same file twice", "--- a/f\n+++ b/f\n" + hunk + "--- a/f\n+++ b/f\n" + hunk, "names f in two places: write all its hunks in one, in their order"},
		{"renamed to what is changed", "--- a/g\n+++ b/g\n" + hunk + "diff --git a/f b/g\nrename from f\nrename to g\n", "names g in two places: write all its hunks in one, in their order"},
		{"a copy", "diff --git a/f b/g\ncopy from f\ncopy to g\n", "has in line 2 a copy: write the new file whole, with --- /dev/null"},
		{"a link", git("new file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+g\n"), "has in line 2 a symbolic link: make or remove it with a command"},
		{"a link that changes", git("index 1..2 120000\n--- a/f\n+++ b/f\n" + hunk), "has in line 2 a symbolic link: make or remove it with a command"},
		{"a submodule", git("new file mode 160000\n"), "has in line 2 a submodule: use git for it"},
		{"another mode", git("new file mode 104755\n"), "has in line 2 a mode that is not known: 100644 and 100755 are"},
		{"a mode alone", git("old mode 100644\nnew mode 100755\n"), "changes only the mode of f, which is not done here: leave that out, and use a command (above line 4)"},
		{"made, and it was there", git("new file mode 100644\n--- a/f\n+++ b/f\n" + hunk), "says that f is made or deleted, and has no /dev/null for it (above line 8)"},
		{"made and deleted", git("new file mode 100644\ndeleted file mode 100644\n"), "says of one file that it is made, and that it was there (above line 4)"},
		{"bytes of git's", git("index 1..2\nGIT binary patch\nliteral 1\n"), "has in line 3 a binary patch: write such a file with a command"},
		{"bytes", "Binary files a/f and b/f differ\n", "has in line 1 a binary patch: write such a file with a command"},
		{"a merge", "diff --cc f\n", "has in line 1 the combined diff of a merge: make one against a single parent"},
		{"a merge's hunk", "--- a/f\n+++ b/f\n@@@ -1 -1 +1 @@@\n", "has no hunk for f (above line 3)"},
		{"no hunk", "--- a/f\n+++ b/f\n", "has no hunk for f (above line 3)"},
		{"a wrong head", "--- a/f\n+++ b/f\n@@ -1 @@\n-x\n", `has in line 3 a hunk's head that is wrong: write "@@ -1,3 +1,4 @@" with the first line and how many, before and after`},
		{"a line without its space", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n x\nfoo\n-y\n+z\n", "has in line 5 a line of a hunk that begins with neither a space, + nor -: a line that stays begins with a space"},
		{"a line of no hunk", "--- a/f\n+++ b/f\n" + hunk + "foo\n+more\n", "has in line 7 a line of no hunk: each line of a hunk begins with a space, + or -, also one that stays"},
		{"names, or lines", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-x\n+y\n--- a/g\n+++ b/g\n" + hunk, "has in line 6 two lines that may be the end of a hunk or the names of the next file: write diff --git above a file, and count the hunk's lines in its head"},
		{"names, or lines, badly counted", "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-x\n+y\n--- a/g\n+++ b/g\n x\n", "has in line 6 two lines that may be of a hunk or the names of the next file: write diff --git above a file, and count the hunk's lines in its head"},
		{"context alone", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n x\n", "has in line 3 hunk 1 of f, which changes nothing (above line 5)"},
		{"no place", "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n+x\n", "has in line 3 hunk 1 of f, which has no line of the file to find its place by: give lines around it (above line 5)"},
		{"made of lines", "--- /dev/null\n+++ b/f\n" + hunk, "has in line 3 hunk 1 of f, which has lines of a file that is not there: one that is made has + lines alone (above line 6)"},
		{"made in two hunks", "--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n@@ -0,0 +2 @@\n+y\n", "has in line 5 hunk 2 of f, which is one too many: a file that is made has a single one (above line 7)"},
		{"removed to lines", "--- a/f\n+++ /dev/null\n" + hunk, "has in line 3 hunk 1 of f, which leaves lines in a file that is removed (above line 6)"},
		{"lines after the end", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-x\n\\ No newline at end of file\n-y\n+z\n+w\n", `has in line 6 a line after the last one of its file: "\ No newline at end of file" stands above it`},
		{"an end of nothing", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n\\ No newline at end of file\n-y\n+z\n", "has in line 4 a remark on the end of the file that follows no line"},
		{"a name that is shown", "--- \"a/f\\n\\033[2J\"\n+++ \"b/f\\n\\033[2J\"\n", `has no hunk for f\x0a\x1b[2J (above line 3)`},
	} {
		t.Run(c.name, func(t *testing.T) {
			all, err := patch.Paths(c.patch)
			got := strings.Join(all, " ")
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("%s, want\n%s", got, c.want)
			}
		})
	}
}

// A patch is bounded in each way.
func TestPatchIsBounded(t *testing.T) {
	many := func(files, hunks int) string {
		var b strings.Builder
		for i := range files {
			fmt.Fprintf(&b, "--- a/%d\n+++ b/%[1]d\n%s", i, strings.Repeat(hunk, hunks))
		}
		return b.String()
	}
	long := "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+"
	for _, c := range []struct{ name, patch, want string }{
		{"the most files", many(patch.MaxPaths, 1), ""},
		{"files", many(patch.MaxPaths+1, 1), "names more than 32 files: make several patches of it"},
		{"renames", strings.Repeat("\n", 2) + renames(17), "names more than 32 files: make several patches of it"},
		{"the most hunks", many(2, patch.MaxHunks/2), ""},
		{"hunks", many(2, patch.MaxHunks/2+1), "has more than 1000 hunks: make several patches of it"},
		{"the most bytes", long + strings.Repeat("x", patch.MaxBytes-len(long)), ""},
		{"bytes", long + strings.Repeat("x", patch.MaxBytes-len(long)+1), "has 1048577 bytes, and 1MiB is the most: make several of it"},
	} {
		_, err := patch.Parse(c.patch)
		if got := fmt.Sprint(err); got != c.want && (err != nil || c.want != "") {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func renames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "diff --git a/%d b/x%[1]d\nrename from %[1]d\nrename to x%[1]d\n", i)
	}
	return b.String()
}

// Of several places the nearest counts up to MaxDrift lines, and beyond that there must be one alone.
func TestApplyIsNear(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("\n", n) }
	for _, c := range []struct {
		name, content string
		want          string
	}{
		{"near", lines(patch.MaxDrift) + "x\n" + lines(400) + "x\n", "101"},
		{"too far, of two", lines(patch.MaxDrift+1) + "x\n" + lines(400) + "x\n", "hunk 1 (line 3 of the patch) fits at line 102 and at line 503: give more of the lines around it, or the right line in its head"},
		{"far, and alone", lines(5000) + "x\n", "5001"},
		{"far above", "x\n" + lines(3), "1"},
	} {
		files, err := patch.Parse("--- a/f\n+++ b/f\n" + hunk)
		if err != nil {
			t.Fatal(err)
		}
		now, _, err := patch.Apply(t.Context(), c.content, files[0].Hunks)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(strings.Count(now[:strings.Index(now, "y")], "\n") + 1)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestApplyEndsWithItsContext(t *testing.T) {
	files, err := patch.Parse("--- a/f\n+++ b/f\n" + hunk)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := patch.Apply(ctx, "x\n", files[0].Hunks); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// The lines collide with those of the file in the hashes of strings.Index: each place of the file would be compared in full.
func TestLinesThatCollideWithTheFile(t *testing.T) {
	lines := strings.Repeat(" \n", 480<<10)
	files, err := patch.Parse("--- a/f\n+++ b/f\n@@ @@\n" + lines + "-3jzpadph\n")
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = patch.Apply(t.Context(), strings.Repeat("\n", 16<<20), files[0].Hunks)
	if _, ok := errors.AsType[*patch.MissError](err); !ok {
		t.Errorf("error %v, want that it fits nowhere", err)
	}
}
