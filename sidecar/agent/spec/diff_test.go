package spec_test

import (
	"fmt"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestHunks(t *testing.T) {
	const names = "--- a/f\n+++ b/f\n"
	for unified, want := range map[string]string{
		"":                                      "",
		names:                                   "",
		names + "@@ -1,2 +1,2 @@\n a\n-b\n+c\n": `f "a\nb\n" "a\nc\n";`,
		names + "@@ -1 +1 @@\n-a\n+b\n@@ -9 +9 @@ func f() {\n-y\n+z\n":                     `f "a\n" "b\n";f "y\n" "z\n";`,
		names + "@@ -0,0 +1,1 @@\n+new\n":                                                   `f none "new\n";`,
		names + "@@ -1 +0,0 @@\n-gone\n":                                                    `f "gone\n" "";`,
		"@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n": `f "a" "b";`,
		"@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n":                               `f "a\n" "b";`,
		"@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n":                       `f "a\nc" "b\nc";`,
		"@@ -1 +1 @@\n--- a list's line\n+++ another\n":                                     `f "-- a list's line\n" "++ another\n";`,
		"@@ -1 +1 @@\n\n-a": `f "a" "";`,
	} {
		got := ""
		for _, d := range spec.Hunks("f", unified) {
			old := "none"
			if d.Old != nil {
				old = fmt.Sprintf("%q", *d.Old)
			}
			got += fmt.Sprintf("%s %s %q;", d.Path, old, d.New)
		}
		if got != want {
			t.Errorf("%q: got %s, want %s", unified, got, want)
		}
	}
}
