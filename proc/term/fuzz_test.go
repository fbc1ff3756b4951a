package term_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// FuzzScreen writes any bytes, whole and in pieces, with the size changing in
// between: the same screen comes out of both, within its bounds, quickly, and
// redrawing it gives it again.
func FuzzScreen(f *testing.F) {
	files, err := filepath.Glob("testdata/streams/*.bin")
	if err != nil || len(files) == 0 {
		f.Fatal(err)
	}
	for i, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 1<<10)], uint8(80), uint8(24), uint64(i))
	}
	for i, piece := range hostilePieces {
		f.Add([]byte(strings.Repeat(piece, 5)), uint8(10+i), uint8(5+i%7), uint64(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, cols, rows uint8, seed uint64) {
		in = in[:min(len(in), 64<<10)]
		random := rand.New(rand.NewPCG(seed, 1))
		if seed%2 == 1 {
			in = mixed(random, in)
		}
		resizeAt := len(in)
		if len(in) > 0 && seed%3 == 0 {
			resizeAt = random.IntN(len(in))
		}
		size := [4]int{1 + int(cols)%120, 1 + int(rows)%40, 1 + random.IntN(120), 1 + random.IntN(40)}
		whole := fuzzed(t, in, size, resizeAt, func(rest int) int { return rest })
		pieces := fuzzed(t, in, size, resizeAt, func(rest int) int { return 1 + random.IntN(min(rest, 20)) })
		if whole.screen.Resets()+pieces.screen.Resets() > 0 {
			return // too heavy for both to have been taken whole
		}
		if !reflect.DeepEqual(whole.comparable(), pieces.comparable()) {
			t.Errorf("it depends on how the bytes are cut: %s", cmp.Diff(whole.comparable(), pieces.comparable()))
		}
		if diff := redrawDiff(whole.screen, ""); diff != "" {
			t.Errorf("drawn again it is another: %s", diff)
		}
	})
}

// hostilePieces are what a mutation is to start from beside the streams.
var hostilePieces = []string{
	"\x1b[9999999999Z", "x\x1b[99999b", "\x1b[2;4r\x1b[?6h\n", "\x1b[9L\x1b[9M", "世\x1b[2D\x1b[P\x1b[@", "\x1b[?1049h\x1b7x\x1b[?1049l\x1b8",
	"\x1b[?2026hx\x1b[?2026l", "\x1b]7501;state=idle\a\x1b]7501;?\a", "e\u0301\u0302\r\n", "\x1b(0q\x0e\x1b)0q\x0f", "\x1b[4h世\x1b[4l",
	"\x1b[?7l世世世世世世\x1b[?7h", "\x1b[38:2::1:2:3;48;5;9m \x1b[K\x1b[X", "\x1b#8\x1b[J", "\x1bc\x1b[!p", "\x1b]99;i=1:d=0;x\a\x1b]9;4;1;5\a",
	"\t\x1bH\x1b[g\x1b[3g", "\x1bP+q5443\x1b\\\x1bP$qm\x1b\\\x1b[6n\x1b[?25$p", "\xe2\x9c\xff\xf0\x9f", "\x1b[22t\x1b]0;t\a\x1b[23t\x1b[>1u\x1b[<u",
}

// mixed is in with pieces that mean something strewn into it.
func mixed(random *rand.Rand, in []byte) []byte {
	var out []byte
	for len(in) > 0 && len(out) < 64<<10 {
		n := 1 + random.IntN(min(len(in), 30))
		out = append(append(out, in[:n]...), hostilePieces[random.IntN(len(hostilePieces))]...)
		in = in[n:]
	}
	return out
}

// seen is all that a reader can see of a screen.
type seen struct {
	Snapshot term.Snapshot
	History  []term.Line
	First    uint64
	Events   []term.Event
	Replies  string
	Pending  int
	Text     term.Text
	screen   *term.Screen
}

// comparable leaves out what differs from one screen to the next.
func (s seen) comparable() seen {
	s.screen, s.Snapshot.Generation, s.Text.Changed = nil, 0, nil
	return s
}

// fuzzed writes in to a new screen in pieces of next(rest) bytes and checks what
// must always hold.
func fuzzed(t *testing.T, in []byte, size [4]int, resizeAt int, next func(rest int) int) seen {
	t.Helper()
	var events []term.Event
	var replies bytes.Buffer
	now := time.Unix(0, 0)
	s := term.New(term.Options{Cols: size[0], Rows: size[1], History: 20_000, Now: func() time.Time { return now },
		Event: func(e term.Event) { events = append(events, e) }, Reply: func(p []byte) { replies.Write(p) }})
	lines := s.Lines()
	lines.Keep(true)
	feed := func(p []byte) {
		for len(p) > 0 {
			n := next(len(p))
			begin := time.Now()
			s.Write(p[:n])
			if d := time.Since(begin); d > time.Second && s.Resets() == 0 {
				t.Errorf("%d bytes took %v", n, d)
			}
			p = p[n:]
			if n < 20 {
				check(t, s.Snapshot())
			}
		}
	}
	feed(in[:resizeAt])
	if resizeAt < len(in) {
		s.Resize(size[2], size[3])
		feed(in[resizeAt:])
	}
	snap := s.StyledSnapshot()
	check(t, snap)
	rows, first := s.History(0)
	if first+uint64(len(rows)) != snap.Scrolled && (first <= snap.Scrolled || !snap.Modes.Synchronized) {
		t.Errorf("the history ends at %d, not at %d", first+uint64(len(rows)), snap.Scrolled)
	}
	kept := 0
	for _, l := range rows {
		kept += len(l.Text) + 4
	}
	if kept > 20_000+100_000 {
		t.Errorf("the history has %d bytes", kept)
	}
	return seen{Snapshot: snap, History: rows, First: first, Events: mergeBells(events), Replies: replies.String(), Pending: s.Pending(), Text: lines.Read(), screen: s}
}

// mergeBells leaves one of bells in a row: how many are told depends on the
// chunks.
func mergeBells(events []term.Event) (merged []term.Event) {
	for i, e := range events {
		if e.Kind != term.EventBell || i == 0 || events[i-1].Kind != term.EventBell {
			merged = append(merged, e)
		}
	}
	return merged
}

func check(t *testing.T, s term.Snapshot) {
	t.Helper()
	if len(s.Lines) != s.Rows || s.CursorRow < 0 || s.CursorRow >= s.Rows || s.CursorCol < 0 || s.CursorCol >= s.Cols {
		t.Fatalf("%d lines of %d, the cursor at %d,%d of %d", len(s.Lines), s.Rows, s.CursorRow, s.CursorCol, s.Cols)
	}
	width := runewidth.Condition{StrictEmojiNeutral: true}
	for y, l := range s.Lines {
		w := 0
		for _, r := range l.Text {
			w += width.RuneWidth(r)
		}
		if w > s.Cols || strings.ContainsFunc(l.Text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("row %d of %d columns is %q", y, s.Cols, l.Text)
		}
	}
}

// redrawDiff tells in what a screen drawn by Redraw differs, after both have got
// then.
func redrawDiff(s *term.Screen, then string) string {
	snap := s.StyledSnapshot()
	again := term.New(term.Options{Cols: snap.Cols, Rows: snap.Rows})
	again.Write(s.Redraw())
	if snap.Modes.Synchronized {
		return "" // Redraw is of what is there by now
	}
	view := func(s *term.Screen) term.Snapshot {
		v := s.StyledSnapshot()
		v.Generation, v.Output, v.Scrolled, v.Drawing = 0, time.Time{}, 0, term.Drawing{} // how it came about is another matter
		for y := range v.Lines {
			unwrapped(&v.Lines[y])
		}
		return v
	}
	for _, in := range []string{"", then} {
		write(s, in)
		write(again, in)
		if a, b := view(s), view(again); !reflect.DeepEqual(a, b) {
			return cmp.Diff(a, b)
		}
	}
	return ""
}

// unwrapped forgets that a row goes on, which cannot be drawn when the next is
// blank or when it was wrapped at another width, and the blanks at its end, which
// are text only then.
func unwrapped(l *term.Line) {
	l.Wrapped, l.Text = false, strings.TrimRight(l.Text, " ")
	for n := len(l.Runs) - 1; n >= 0; n-- {
		last := &l.Runs[n]
		if s := last.Style; s.Bg != 0 || s.Reverse || s.Underline || s.Strike {
			return
		}
		if last.Text = strings.TrimRight(last.Text, " "); last.Text != "" {
			return
		}
		l.Runs = l.Runs[:n]
	}
}
