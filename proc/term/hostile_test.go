package term_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// TestGiantNumbers: every sequence with a number that no screen has costs no
// more than one over the whole screen. Some emulators take 21 s for CSI
// 9999999999 Z.
func TestGiantNumbers(t *testing.T) {
	for _, number := range []string{"9999999999", "99999999999999999999999999", "2147483647", "65535"} {
		for final := '@'; final <= '~'; final++ {
			for _, mark := range []string{"", "?", ">", "=", "<", "!"} {
				s := screen(120, 40, "text\x1b[20;60H")
				in := []byte(fmt.Sprintf("x\x1b[%s%s;%s%c", mark, number, number, final))
				quickest := time.Hour // of three: the machine may have stood still
				for range 3 {
					begin := time.Now()
					s.Write(in)
					quickest = min(quickest, time.Since(begin))
				}
				if quickest > limit(2*time.Millisecond) {
					t.Errorf("%q takes %v", in, quickest)
				}
			}
		}
	}
}

// TestFloods: 64 KiB of one sequence, the most that comes at once, in well under
// the 250 ms.
func TestFloods(t *testing.T) {
	fill := "\x1b[H" + strings.Repeat(strings.Repeat("世", 60), 40) + "\x1b[20;60H"
	for _, piece := range []string{
		"\x1b[9999999999Z", "\x1b[99999I", "\r\t", "\x1b[3g\r\t", "\x1b[9L", "\x1b[99999M", "\x1b[99999@", "\x1b[99999P", "\x1b[99999X",
		"\x1b[2J", "x\x1b[2J", "\x1b[42m\x1b[2J", "\x1bc", "\x1b[99999S", "\x1b[99999T", "\x1bM", "x\x1b[99999b", "\x1b[1;39r\x1b[39;1H\n",
		"\x1b[?1049h\x1b[?1049l", "\x1b[?2026hx\x1b[?2026l", "\x1b7\x1b8", "\x1b[>1u", "\x1b[<99u", "\x1b]0;title\a", "\x1b]4;1;?\a", "\x1b[c", "\x1b[22t\x1b[23t",
		"e\u0301", "\u0301", "世\ufe0f", "\x1b[38:2:1:2:3:4:5m", "\x1b[" + strings.Repeat("1;", 500) + "m", "\x1b]", "\x1bP", "\x1b[", "\xe2", "\xf0\x9f",
		"\x1b]99;i=1:d=0;x\a", "\x00", "\n", "y\n", "\x1b#8",
	} {
		s := term.New(term.Options{Reply: func([]byte) {}, Event: func(term.Event) {}})
		s.Lines().Keep(true)
		write(s, fill)
		in := []byte(strings.Repeat(piece, 64<<10/len(piece)))
		quickest := time.Hour
		for range 3 {
			begin := time.Now()
			s.Write(in)
			quickest = min(quickest, time.Since(begin))
		}
		if quickest > limit(150*time.Millisecond) {
			t.Errorf("64 KiB of %q take %v", piece, quickest)
		}
	}
}

// TestWatchdog: what would still take seconds is given up after 250 ms, and the
// screen goes on.
func TestWatchdog(t *testing.T) {
	lost := 0
	s := term.New(term.Options{Cols: 1000, Rows: 500, Event: func(e term.Event) {
		if e.Kind == term.EventGivenUp {
			lost += e.Code
		}
	}})
	lines := s.Lines()
	lines.Keep(true)
	write(s, "before\r\n\x1b]0;title\a")
	begin := time.Now()
	const stream = 3 * 64 << 10
	write(s, strings.Repeat("\x1b#8", stream/3))
	took := time.Since(begin)
	if lost <= 0 || lost >= stream {
		t.Errorf("%d bytes of %d are told to be lost", lost, stream)
	}
	if s.Resets() != 1 {
		t.Fatalf("given up %d times in %v", s.Resets(), took)
	}
	if took > limit(500*time.Millisecond) {
		t.Errorf("it took %v", took)
	}
	if snap := s.Snapshot(); snap.Text() != "" || snap.Title != "title" || snap.Cols != 1000 {
		t.Errorf("%.40q %q", snap.Text(), snap.Title)
	}
	write(s, "after")
	if got := s.Snapshot().Text(); got != "after" {
		t.Errorf("%q", got)
	}
	if text := lines.Read(); len(text.Finished) != 1 || text.Finished[0].Text != "before" || text.Current != "after" {
		t.Errorf("the lines are %+v", text)
	}
}

// TestStringsAreBounded: a string without end is taken, and forgotten.
func TestStringsAreBounded(t *testing.T) {
	var titles []string
	s := term.New(term.Options{Event: func(e term.Event) { titles = append(titles, e.Text) }})
	long := strings.Repeat("x", 1<<20)
	before := heap()
	write(s, "\x1b]0;", long, long, long, "\a")
	write(s, "\x1b]0;", long[:64<<10-2], "\a", "\x1bP", long, "\x1b\\", "\x1b_", long, "\x1b\\")
	if grown := heap() - before; grown > 1<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
	if len(titles) != 1 || len(titles[0]) != 1<<10 {
		t.Errorf("%d titles", len(titles))
	}
	write(s, "\x1b]2;"+strings.Repeat("世", 1000)+"\a")
	if got := s.Snapshot().Title; len(got) > 1<<10 || !strings.HasPrefix(got, "世") || strings.ContainsRune(got, '\ufffd') {
		t.Errorf("a title of %d bytes", len(got))
	}
	if got := s.Snapshot().Text(); got != "" {
		t.Errorf("%q", got)
	}
}

// TestMarksAreBounded: so many on one cell, and so many different ones.
func TestMarksAreBounded(t *testing.T) {
	s := screen(20, 5, "a"+strings.Repeat("\u0301", 100_000)+"b")
	if got := s.Snapshot().Lines[0].Text; len(got) > 70 || !strings.HasPrefix(got, "a\u0301\u0301") || !strings.HasSuffix(got, "b") {
		t.Errorf("%d bytes", len(got))
	}
	before := heap()
	for i := range 100_000 {
		write(s, string(rune(0x4e00+i%20_000)), string(rune(0x300+i%100)), string(rune(0x300+i%83)))
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
	write(s, "\x1b[2J\x1b[H", strings.Repeat("\r\n", 5)) // what is gone makes room
	for i := range 20_000 {
		write(s, "\ra", string(rune(0x300+i%100)), string(rune(0x300+i%83)))
	}
	write(s, "\re\u0301")
	if got := s.Snapshot().Lines[4].Text; got != "e\u0301" {
		t.Errorf("%q", got)
	}
}

// TestFullOfMarks: more different ones than are kept, all on the screen, do not
// make each further one cost a pass over the screen.
func TestFullOfMarks(t *testing.T) {
	s := screen(1000, 500)
	var in strings.Builder
	for i := range 30_000 {
		in.WriteRune(rune(0x4e00 + i%20_000))
		in.WriteRune(rune(0x300 + i/20_000))
	}
	begin := time.Now()
	for piece := range slices.Chunk([]byte(in.String()), 8<<10) { // as it comes
		write(s, string(piece))
	}
	if took := time.Since(begin); s.Resets() > 0 || took > limit(time.Second) {
		t.Errorf("%d resets in %v", s.Resets(), took)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
