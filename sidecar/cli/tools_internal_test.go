package cli

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/a2a-sidecar/sidecar/sidecar/surface"
)

// What tools do is cut where a terminal would wrap it, and whole elsewhere; why one is absent is whole
// in both.
func TestToolsFitATerminal(t *testing.T) {
	long := strings.Repeat("word ", 30) + "end"
	rows := []surface.Row{
		{Name: "acme.echo", Provenance: surface.ProvenanceImage, Description: long},
		{Name: "acme.gone", Provenance: surface.ProvenanceImage, Description: long, Absent: &surface.Absence{Reason: "setup", Text: "its program cannot be started here"}},
	}
	show := func(out *os.File) error {
		if err := printEffective(out, rows); err != nil {
			return err
		}
		return printTools(out, []listedTool{{Name: "acme.echo", Description: long}}, "none")
	}
	screen, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Close()
	if err := pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	if err := show(tty); err != nil {
		t.Fatal(err)
	}
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	seen, _ := io.ReadAll(screen) // a terminal that is closed ends with an error
	if strings.Count(string(seen), "…") != 2 || !strings.Contains(string(seen), "[setup: its program cannot be started here]") {
		t.Errorf("%q", seen)
	}
	for line := range strings.Lines(string(seen)) {
		if line = strings.TrimSpace(line); width(line) > 40 && !strings.Contains(line, "[setup:") {
			t.Errorf("%d columns: %s", width(line), line)
		}
	}

	file, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := show(file); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file.Name())
	if err != nil || strings.Count(string(whole), long) != 3 {
		t.Errorf("%v:\n%s", err, whole)
	}
}
