package term_test

import (
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// TestManyReaders: one goroutine writes, many read all there is to read; what
// they have got does not change under them. (go test -race)
func TestManyReaders(t *testing.T) {
	s := term.New(term.Options{History: 10_000, Event: func(term.Event) {}, Reply: func([]byte) {}})
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			var kept []term.Snapshot
			var texts []string
			for from := uint64(0); ; {
				rows, first := s.History(from)
				from = first + uint64(len(rows))
				snap := s.Snapshot()
				if len(kept) < 50 {
					kept, texts = append(kept, snap), append(texts, snap.Text())
				}
				s.StyledSnapshot()
				s.Redraw()
				select {
				case <-done:
					for i, snap := range kept {
						if snap.Text() != texts[i] || len(snap.Lines) != snap.Rows {
							t.Error("a snapshot has changed")
						}
					}
					return
				case <-s.Changed():
				}
			}
		})
	}
	for i := range 300 {
		write(s, strings.Repeat("世 text \x1b[31me\u0301\x1b[m\r\n", 20), "\x1b[?2026h\x1b[H\x1b[2J", "\a\x1b[c\x1b[?2026l")
		if i%50 == 0 {
			s.Resize(60+i%100, 20+i%30)
		}
	}
	close(done)
	readers.Wait()
}

// TestRedraw: on an empty terminal the sequences give the same screen, modes and
// title, and what follows does the same to both.
func TestRedraw(t *testing.T) {
	ins := map[string]string{
		"text":      "hello\r\n\r\nworld",
		"styles":    "\x1b[1;3;31;48;5;200mab\x1b[38;2;1;2;3mc\x1b[0;7md\x1b[42m\x1b[K\r\n\x1b[44m\x1b[2;5H\x1b[3X\x1b[4;9;8;2;5m ",
		"wrapped":   "0123456789abcdefghijklmno",
		"pending":   "0123456789",
		"wide":      "012345678世界\r\n世e\u0301世\x1b[3;9H世",
		"bottom":    "\x1b[5;1H0123456789",
		"alternate": "main\r\n\x1b[33mx\x1b[?1049halt\x1b[5;3Hy",
		"margins":   "1\r\n2\r\n3\x1b[2;4r\x1b[?6h\x1b[2;3H",
		"saved":     "\x1b[3;4H\x1b[35m\x1b(0\x1b7\x1b[m\x1b(B\x1b[H",
		"modes":     "\x1b[?2004h\x1b[?1003h\x1b[?1006h\x1b[?1004h\x1b[?1h\x1b=\x1b[>7u\x1b[?7l\x1b[4h\x1b[?25l\x1b[3 q\x1b]2;a title\a",
		"tabs":      "\x1b[3g\x1b[4G\x1bH\r",
		"charset":   "\x1b)0\x0eq",
		"pen":       "\x1b[1;32mx",
	}
	for _, name := range []string{"claude/testdata/input", "codex/testdata/permission", "gemini/testdata/permission", "opencode/testdata/prompt", "prompts/testdata/vim"} {
		ins["recording "+name] = recordedOutput(t, agents+name+".cast")
	}
	for name, in := range ins {
		cols, rows := 10, 5
		if strings.HasPrefix(name, "recording") {
			cols, rows = 120, 40
		}
		s := screen(cols, rows, in)
		if diff := redrawDiff(s, "\rq\tzy\r\n\x1b8x\x1b[?1049lx"); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, in := range []string{"0123456789abcdefghij", "012345678世世"} {
		again := screen(10, 5)
		again.Write(screen(10, 5, in).Redraw())
		if got := unwrap(again.Snapshot().Lines); got != in {
			t.Errorf("%q is drawn again %q", in, got)
		}
	}
}

func recordedOutput(t *testing.T, file string) string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	_, events, err := term.ReadCast(f)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for e, err := range events {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == term.CastOutput {
			out.WriteString(e.Data)
		}
	}
	return out.String()
}
