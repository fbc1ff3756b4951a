package cli

import (
	"os"
	"path/filepath"
	"testing"
)

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

// The agent sees our terminal, and not the one that the command was started in.
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

// What an agent was asked for is neither lost nor put in the place of another profile.
func TestLearnWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.json")
	shown := func(o *learnOptions) (string, error) {
		out, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		o.std.Out, o.out = out, path
		checked := o.checkOut()
		if err := o.write([]byte("new")); (err == nil) != (checked == nil) {
			t.Errorf("checked: %v, written: %v", checked, err)
		}
		text, err := os.ReadFile(out.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(text), checked
	}
	for _, c := range []struct {
		name, there, shown, file string
		force, fails             bool
	}{
		{name: "a new file", file: "new"},
		{name: "a file that exists", there: "old", shown: "new", file: "old", fails: true},
		{name: "a file that exists, with --force", there: "old", file: "new", force: true},
	} {
		_ = os.Remove(path)
		if c.there != "" {
			if err := os.WriteFile(path, []byte(c.there), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		out, err := shown(&learnOptions{force: c.force})
		file, _ := os.ReadFile(path)
		if out != c.shown || string(file) != c.file || (err != nil) != c.fails {
			t.Errorf("%s: %q is shown and %q written: %v", c.name, out, file, err)
		}
	}
}
