package line

import "testing"

// TestWithoutRows: only the rows of the question go, and only from the end.
func TestWithoutRows(t *testing.T) {
	rows := []string{"Which size?", "  1. small", "  2. large"}
	for text, want := range map[string]string{
		"Which size?\n  1. small\n  2. large":        "",
		"ready\nWhich size?\n  1. small\n  2. large": "ready",
		"Which size?\n  1. small\nand more":          "Which size?\n  1. small\nand more",
		"ready":                                      "ready",
		"":                                           "",
	} {
		if got := withoutRows(text, rows); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSaidIsBounded: of a long answer nothing is kept.
func TestSaidIsBounded(t *testing.T) {
	var s said
	s.add(make([]byte, saidMax))
	if s.long || len(s.text) != saidMax {
		t.Error("a short answer is not kept")
	}
	s.add([]byte("x"))
	s.add([]byte("x"))
	if !s.long || len(s.text) > 0 {
		t.Error("a long answer is kept")
	}
}
