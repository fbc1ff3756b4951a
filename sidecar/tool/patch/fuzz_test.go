package patch_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/a2a-sidecar/sidecar/sidecar/tool/patch"
)

// The diff of two texts, with some context, makes the second of the first.
func FuzzDiffApplies(f *testing.F) {
	for _, s := range [][2]string{{"", "a\n"}, {"a\nb\n", "a\n"}, {"a", "a\n"}, {"-- a/x\n++ b/x\n", "\n\n"}, {"a\r\nb\n", "b\r\n"}, {"a\na\na\nb\na\na\n", "a\na\nb\na\na\na\n"}, {"\\ x\n", "@@\n"}, {"\r\n", "\r"}} {
		for context := range 4 {
			f.Add(s[0], s[1], uint8(context))
		}
	}
	f.Fuzz(func(t *testing.T, before, after string, context uint8) {
		if strings.ContainsRune(before+after, 0) || !utf8.ValidString(before) || !utf8.ValidString(after) || before == after {
			return
		}
		diff, err := udiff.ToUnified("a/f", "b/f", before, udiff.Lines(before, after), int(context%4)+1)
		if err != nil {
			t.Fatal(err)
		}
		files, err := patch.Parse(diff)
		if err != nil {
			t.Fatalf("%v\n%q", err, diff)
		}
		got, moved, err := patch.Apply(t.Context(), before, files[0].Hunks)
		if err != nil || got != after || len(moved) > 0 {
			t.Errorf("%q %v %v, want %q of %q\n%s", got, moved, err, after, before, diff)
		}
	})
}

// Whatever a text is, it is read or refused, and what is read names what Paths names.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"diff --git a/f b/f\nindex 1..2 100644\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n-x\n+y\n z\n\\ No newline at end of file\n",
		"diff --git \"a/\\303\" b/f\nrename from f\nrename to g\n", "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "--- a/f\t1\r\n+++ b/f\r\n@@\r\n-x\r\n", "-- \n--- \n+++ \n@@ @@\n",
	} {
		f.Add(s, "x\ny\nz")
	}
	f.Fuzz(func(t *testing.T, s, content string) {
		files, err := patch.Parse(s)
		names, errPaths := patch.Paths(s)
		if (err == nil) != (errPaths == nil) {
			t.Fatal(err, errPaths)
		}
		for _, one := range files {
			for _, name := range []string{one.Old, one.New} {
				if name != "" && !slices.Contains(names, name) || strings.ContainsRune(name, 0) || !utf8.ValidString(name) {
					t.Errorf("%q is not among %q", name, names)
				}
			}
			now, _, err := patch.Apply(t.Context(), content, one.Hunks)
			if err == nil && !utf8.ValidString(now) && utf8.ValidString(content) && utf8.ValidString(s) {
				t.Errorf("%q has become %q", content, now)
			}
		}
		seen := map[string]bool{}
		for _, name := range names {
			if seen[name] {
				t.Errorf("%q twice", name)
			}
			seen[name] = true
		}
	})
}
