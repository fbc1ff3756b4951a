package cli

import "testing"

func TestLearnSize(t *testing.T) {
	for _, s := range []string{"120x40", "20x5"} {
		if _, err := learnSize(s); err != nil {
			t.Errorf("%s: %v", s, err)
		}
	}
	for _, s := range []string{"", "120", "120x", "x40", "120x40x", "1x1", "-5x40", "120 x 40"} {
		if size, err := learnSize(s); err == nil {
			t.Errorf("%q is taken for %+v", s, size)
		}
	}
}

// The agent gets our terminal, not that of whoever learns.
func TestLearnEnvironment(t *testing.T) {
	got := learnEnv([]string{"A=1", "TERM=dumb", "COLUMNS=9", "LINES=9", "COLORTERM=x"})
	want := []string{"A=1", "TERM=xterm-256color", "COLORTERM=truecolor"}
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
