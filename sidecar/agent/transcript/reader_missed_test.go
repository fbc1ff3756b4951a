package transcript_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/transcript"
)

// TestReaderMissed: the alternate screen has no history, and what was never on
// it cannot be read; that is told.
func TestReaderMissed(t *testing.T) {
	t.Parallel()
	box := []string{"", "  ┃", "  ┃", "  ┃  Build · model", "  ╹▀▀▀▀▀▀▀▀▀▀▀▀"}
	echo := []string{"", "  ┃", "  ┃  tell me", "  ┃", ""}
	for name, c := range map[string]struct {
		rows   []string
		missed bool
	}{
		"whole":    {append(append([]string{}, echo...), "     one", "     two"), false},
		"its end":  {[]string{"     a part of it", "     the last of it"}, true},
		"no words": {[]string{""}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			screen := term.New(term.Options{Cols: 60, Rows: 20})
			draw := func(rows []string) {
				if _, err := screen.Write([]byte("\x1b[?1049h\x1b[2J\x1b[H" + strings.Join(append(rows, box...), "\r\n"))); err != nil {
					t.Fatal(err)
				}
			}
			draw(nil)
			r := transcript.NewReader(drawnBy("opencode"), "tell me")
			r.Begin(screen.Snapshot())
			draw(c.rows)
			text := r.Final(nil, 0, screen.Snapshot())
			if r.Missed() != c.missed {
				t.Errorf("missed: %t, with %q", r.Missed(), text)
			}
		})
	}
}
