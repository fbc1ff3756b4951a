package tool_test

import (
	"strings"
	"testing"
)

// What an edit makes is bounded before it is made: a few arguments can ask for more than any machine has.
func TestEditIsBounded(t *testing.T) {
	for _, c := range []struct{ name, content, old, new, want string }{
		{"the new content", strings.Repeat("a\n", 90_000), "a", strings.Repeat("b", 10<<20), "error: f would have 943718490000 bytes, and 16MiB is the most"},
		{"the places", strings.Repeat("a", 100_001), "a", "b", "error: old_string stands more than 100000 times in f, and 100000 is the most: give a longer text, or change the file with a command"},
		{"the places of CRLF", strings.Repeat("a\r\n", 100_001), "a\n", "b", "error: old_string stands more than 100000 times in f, and 100000 is the most: give a longer text, or change the file with a command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := newGround(t)
			g.put("f", c.content)
			if got := g.run("edit", args("file_path", "f", "old_string", c.old, "new_string", c.new, "replace_all", true)); got != c.want {
				t.Errorf("%.300s", got)
			}
			g.has("f", c.content)
		})
	}
}

// Many replacements in one line, as of a script that was made small, take no time that grows with their square: this
// would copy some 60 GB.
func TestEditManyPlacesInOneLine(t *testing.T) {
	const places = 100_000
	g := newGround(t)
	g.put("f", "first\n"+strings.Repeat("var x;abcdef", places)+"\nlast\n")
	got := g.run("edit", args("file_path", "f", "old_string", "x", "new_string", "yz", "replace_all", true))
	if want := "Edited f: 100000 replacements.\n--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n first\n-var x;abcdefvar x;"; !strings.HasPrefix(got, want) {
		t.Errorf("%.300s", got)
	}
	g.has("f", "first\n"+strings.Repeat("var yz;abcdef", places)+"\nlast\n")
}

// A name cannot forge the heads of a diff.
func TestEditShowsAName(t *testing.T) {
	g := newGround(t)
	name := "f\n--- a/forged\u202e"
	g.put(name, "a\n")
	got := g.run("edit", args("file_path", name, "old_string", "a", "new_string", "b"))
	if strings.Contains(got, "\n--- a/forged") || strings.Contains(got, "\u202e") || !strings.Contains(got, "\n--- a/f") {
		t.Errorf("%q", got)
	}
}
