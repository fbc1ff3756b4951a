package cli

import "testing"

// TestEntries: each command is listed by its own name, and a command line that begins with
// one gets that command and no other.
func TestEntries(t *testing.T) {
	whole := newRoot(Std{}, nil).Commands()
	if len(whole) < 20 {
		t.Fatalf("the whole tree has %d commands", len(whole))
	}
	for _, c := range whole {
		got := newRoot(Std{}, []string{c.Name(), "--help"}).Commands()
		switch {
		case c.Name() == completionName && len(got) != len(whole):
			t.Errorf("%s sees %d commands of %d", c.Name(), len(got), len(whole))
		case c.Name() != completionName && (len(got) != 1 || got[0].Name() != c.Name() || got[0].GroupID != c.GroupID):
			t.Errorf("%s gets %d commands, the first of them %s", c.Name(), len(got), got[0].Name())
		}
	}
	for _, line := range [][]string{{"--version"}, {"help", "run"}, {"runn"}, {"__complete", "run", ""}} {
		if got := newRoot(Std{}, line).Commands(); len(got) != len(whole) {
			t.Errorf("%q gets %d commands of %d", line, len(got), len(whole))
		}
	}
}

// BenchmarkRoot is the part of a start that is spent on the tree of commands.
func BenchmarkRoot(b *testing.B) {
	for name, line := range map[string][]string{"run": {"run"}, "whole": nil} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				newRoot(Std{}, line)
			}
		})
	}
}
