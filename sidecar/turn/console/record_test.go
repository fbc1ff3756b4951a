package console_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// answering is the terminal of a program that answers at once, and shows again what is typed.
type answering struct {
	lineTTY
	console *console.Console
}

func (t *answering) Type(_ context.Context, s string) (int, error) {
	t.echo.Store(true)
	t.console.Write([]byte("thanks for " + s[:2]))
	return len(s), nil
}

// A recording has what was typed before what it led to, and no secret, though the program
// has read it and switched the echo on before anybody can look.
func TestRecordingOfWhatIsTyped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "typed.cast")
	record, err := term.NewRecorder(file, term.RecorderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	tt := &answering{}
	tt.console = console.New(console.Options{
		Log: slog.New(slog.DiscardHandler), TTY: tt, Profile: profile.Generic(), Size: tty.Size{Cols: 80, Rows: 24}, Record: record,
	})
	for _, s := range []string{"topsecret\r", "hello\r"} { // the echo is off at first
		if _, err := tt.console.Type(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := record.Close(); err != nil {
		t.Fatal(err)
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(kept)
	if strings.Contains(text, "secret") {
		t.Errorf("the secret is in the recording:\n%s", text)
	}
	if typed, led := strings.Index(text, "hello"), strings.Index(text, "thanks for he"); typed < 0 || typed > led {
		t.Errorf("what was typed is not before what it led to:\n%s", text)
	}
}
