package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// cast is where the terminal is recorded.
func (r *rig) cast() string { return filepath.Join(filepath.Dir(r.home), "record.cast") }

// evidence puts into the test's log what a failure can be understood by, once
// for each sidecar.
func (r *rig) evidence(t *testing.T) {
	t.Helper()
	if r.told {
		return
	}
	r.told = true
	t.Logf("the model got lately:\n%s", r.model)
	t.Logf("log of the sidecar:\n%s", tail(r.log.String(), 200))
	screen, keys, err := replay(r.cast())
	if err != nil {
		t.Logf("there is no recording: %v", err)
		return
	}
	t.Logf("the last keys and marks of the recording:\n%s", tail(keys, 30))
	t.Logf("its last screen:\n%s", screen)
	if cast, err := os.ReadFile(r.cast()); err == nil {
		if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "record.cast"), cast, 0o600); err != nil { // -artifacts keeps it
			t.Log(err)
		}
	}
}

// tail is the last n lines of a text.
func tail(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// replay returns the last screen of a recording, and a line for each thing that
// is not output.
func replay(path string) (screen, keys string, err error) {
	file, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	header, events, err := term.ReadCast(file)
	if err != nil {
		return "", "", err
	}
	s := term.New(term.Options{Cols: header.Cols, Rows: header.Rows})
	var b strings.Builder
	for e, err := range events {
		if err != nil {
			return "", b.String(), err
		}
		switch e.Kind {
		case term.CastOutput:
			_, _ = s.Write([]byte(e.Data)) // never fails
		case term.CastResize:
			s.Resize(e.Cols, e.Rows)
		}
		if e.Kind != term.CastOutput {
			fmt.Fprintf(&b, "%v %s %.200q\n", e.At.Round(time.Millisecond), string(e.Kind), e.Data)
		}
	}
	for _, line := range s.Snapshot().Lines {
		screen += line.Text + "\n"
	}
	return strings.TrimRight(screen, "\n"), b.String(), nil
}
