package unseen_test

import (
	"strings"
	"testing"
)

// What does not count is at the ends; the rest is exact.
func TestFits(t *testing.T) {
	for _, c := range []struct {
		text, want string
		fits       bool
	}{
		{"a \nb\n\n", "a\nb", true},
		{"a\n\nb", "a\nb", false},
		{" a", "a", false},
		{"1 row in set (0.00 sec)", "1 row in set ({*} sec)", true},
		{"x", "", false},
	} {
		if got := fits(c.text, c.want); got != c.fits {
			t.Errorf("%q, %q: %v", c.text, c.want, got)
		}
	}
	if !echoed("1) red\n#? 1\npicked red", "#?", "picked red") || echoed("#? 1\nx\npicked red", "#?", "picked red") {
		t.Error("what comes before the question's line does not count, and what comes after it does")
	}
}

// A whole screen as an answer would fill the table.
func TestNoteIsShort(t *testing.T) {
	o := outcome{}
	o.fail("answer %q", strings.Repeat("ä", 201))
	if want := `answer "` + strings.Repeat("ä", 200) + `…"; `; o.why != want {
		t.Errorf("the note is %s", o.why)
	}
	if got := short(strings.Repeat("ä", 200)); strings.Contains(got, "…") {
		t.Errorf("short is %s", got)
	}
}
