package skill

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// write writes a file of a skill.
func write(t *testing.T, text string, elem ...string) {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func named(name string) string { return "---\nname: " + name + "\ndescription: d\n---\n" }

// What all skills have together is bounded, whatever is written when: neither texts nor tools beyond that are kept.
func TestWhatAllHaveTogether(t *testing.T) {
	t.Parallel()
	top, log := t.TempDir(), &bytes.Buffer{}
	const count = maxTexts/(maxFile-100) + 10
	for i := range count {
		name := fmt.Sprintf("b%03d", i)
		write(t, named(name)+strings.Repeat("x", maxFile-100), top, name, File)
	}
	l := Open(Options{Roots: []Root{{Path: top, Shown: true}}, Log: slog.New(slog.NewTextHandler(log, nil))})
	kept := 0
	for _, f := range l.known {
		kept += len(f.text.Body)
	}
	if kept > maxTexts+maxFile || len(l.Current().All()) != len(l.known) || len(l.known) == 0 {
		t.Errorf("%d bytes of %d folders are kept, want no more than %d", kept, len(l.known), maxTexts)
	}
	if want := "all skills together are larger than 32MiB: the last "; strings.Count(log.String(), want) != 1 {
		t.Errorf("the log has not once %q: %.2000s", want, log)
	}
}

// The last names come first, so that each file is read while those after it are in use already.
func TestToolsTogether(t *testing.T) {
	t.Parallel()
	top, log := t.TempDir(), &bytes.Buffer{}
	const size = maxTools - 100
	l := Open(Options{Roots: []Root{{Path: top, Shown: true}}, Log: slog.New(slog.NewTextHandler(log, nil))})
	brought := func() (n int) {
		for _, s := range l.Current().All() {
			n += len(s.Tools)
		}
		return n
	}
	const most = maxToolTexts / size
	for i := range most + 3 {
		name := fmt.Sprintf("b%03d", 999-i)
		write(t, named(name), top, name, File)
		write(t, fmt.Sprintf(`[{"name":"%s.a","description":"%s","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["id"]}},"requires":{}}}]`,
			name, strings.Repeat("x", size-200)), top, name, Tools)
		l.look(true)
		if got := brought(); got != min(i+1, most) {
			t.Fatalf("with %d skills there are %d tools, want %d: %.1000s", i+1, got, min(i+1, most), log)
		}
	}
	if want := "/b999/" + Tools + ` fault="the files tools.json of all skills together are larger than 4MiB`; !strings.Contains(log.String(), want) {
		t.Errorf("the log does not have %q: %.2000s", want, log)
	}
	if err := os.Remove(filepath.Join(top, "b997", Tools)); err != nil {
		t.Fatal(err)
	}
	if l.look(true); len(l.Current().Lookup("b998").Tools) != 0 {
		t.Error("a file that goes and had no tools made room")
	}
	if err := os.Remove(filepath.Join(top, "b996", Tools)); err != nil {
		t.Fatal(err)
	}
	if l.look(true); len(l.Current().Lookup("b998").Tools) != 1 {
		t.Error("the room of a file that has gone is not used")
	}
}

// Files that never stay as they are fill no log.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		top, log := t.TempDir(), &bytes.Buffer{}
		l := Open(Options{Roots: []Root{{Path: top, Shown: true}}, Log: slog.New(slog.NewTextHandler(log, nil))})
		for round := range 2 {
			time.Sleep(logTime)
			log.Reset()
			for i := range 50 {
				write(t, named("good")+fmt.Sprint(i, round), top, "good", File)
				for j := range 5 {
					write(t, fmt.Sprint("---\nname: ", i, "\n---\n", round), top, fmt.Sprint("bad", j), File)
				}
				l.look(true)
			}
			for what, want := range map[string]int{"has a fault": maxRecords, "more skills have faults": 1, "skills loaded": maxRecords} {
				if got := strings.Count(log.String(), what); got != want {
					t.Errorf("round %d: the log has %d times %q, want %d", round, got, what, want)
				}
			}
		}
	})
}
