package term_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// TestFrame: within mode 2026 a snapshot is the one before, in text, style,
// cursor and history's number.
func TestFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := screen(20, 3, "\x1b[31mbefore")
		before := s.StyledSnapshot()
		write(s, "\x1b[?2026h\x1b[H\x1b[2J\x1b[32mafter\x1b[3;5H", "\n\n")
		during := s.StyledSnapshot()
		if during.Text() != "before" || during.CursorRow != 0 || during.CursorCol != 6 || during.Scrolled != 0 {
			t.Errorf("%q at %d,%d", during.Text(), during.CursorRow, during.CursorCol)
		}
		if !during.Modes.Synchronized || len(during.Lines[0].Runs) != 1 || during.Lines[0].Runs[0] != before.Lines[0].Runs[0] {
			t.Errorf("%+v", during)
		}
		changed := s.Changed()
		write(s, "x")
		select {
		case <-changed:
			t.Error("a change was told within the frame")
		default:
		}
		write(s, "\x1b[?2026l")
		<-changed
		if after := s.Snapshot(); after.Text() != "\n\n    x" || after.Modes.Synchronized || after.Scrolled != 2 {
			t.Errorf("%q", after.Text())
		}
		// The next frame freezes what is there now, on the other screen too.
		for _, in := range []string{"\x1b[H\x1b[2Jsecond", "\x1b[?1049h\x1b[Halt", "\x1b[2J\x1b[Halt again", "\x1b[?1049l\x1b[2J\x1b[Hmain"} {
			write(s, in)
			want := s.Snapshot().Text()
			write(s, "\x1b[?2026h\x1b[2J\x1b[H---")
			if got := s.Snapshot().Text(); got != want {
				t.Errorf("frozen is %q, not %q", got, want)
			}
			write(s, "\x1b[?2026l")
			if got := s.Snapshot().Text(); got != "---" {
				t.Errorf("after the frame: %q", got)
			}
		}
	})
}

// TestFrameOfTheOtherScreen: what has not changed there since its last frame is
// frozen too.
func TestFrameOfTheOtherScreen(t *testing.T) {
	s := screen(20, 3, "main\x1b[?2026h\x1b[?2026l", "\x1b[?1049h\x1b[Halt\x1b[?2026h\x1b[?2026l", "\x1b[?1049l\x1b[?2026h\x1b[2J")
	if got := s.Snapshot().Text(); got != "main" {
		t.Errorf("%q", got)
	}
}

// TestFrameInOneWrite: begin, text and end at once; text before the begin shows.
func TestFrameInOneWrite(t *testing.T) {
	s := screen(20, 3)
	s.Snapshot()
	changed := s.Changed()
	write(s, "one\x1b[?2026h\rtwo")
	<-changed
	if got := s.Snapshot().Text(); got != "one" {
		t.Errorf("%q", got)
	}
	write(s, "\x1b[?2026l\x1b[?2026h\rthree")
	if got := s.Snapshot().Text(); got != "two" {
		t.Errorf("%q", got)
	}
}

// TestFrameEndsAfterASecond, whether somebody waits for a change or asks; a
// second begin does not make it longer.
func TestFrameEndsAfterASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := screen(20, 3, "before\x1b[?2026h\rafter!")
		begin := time.Now()
		changed := s.Changed()
		written := make(chan struct{})
		time.AfterFunc(600*time.Millisecond, func() {
			write(s, "\x1b[?2026h.")
			close(written)
		})
		<-changed
		<-written
		if d := time.Since(begin); d != time.Second {
			t.Errorf("it took %v", d)
		}
		if got := s.Snapshot(); got.Text() != "after!." || got.Modes.Synchronized {
			t.Errorf("%q", got.Text())
		}
		// Each frame has its second.
		write(s, "\x1b[?2026h\x1b[2J")
		begin = time.Now()
		<-s.Changed()
		if d := time.Since(begin); d != time.Second {
			t.Errorf("the second took %v", d)
		}
	})
}

// TestFrameByTheReplaysClock: with a clock of its own a frame lasts as long as
// that says.
func TestFrameByTheReplaysClock(t *testing.T) {
	now := time.Unix(0, 0)
	s := term.New(term.Options{Now: func() time.Time { return now }})
	write(s, "before\x1b[?2026h\rafter!")
	now = now.Add(999 * time.Millisecond)
	if got := s.Snapshot().Text(); got != "before" {
		t.Errorf("%q", got)
	}
	now = now.Add(time.Millisecond)
	if got := s.Snapshot(); got.Text() != "after!" || !got.Output.Equal(time.Unix(0, 0)) {
		t.Errorf("%q, %v", got.Text(), got.Output)
	}
}

// TestReplaysClockIsLeftAlone while nobody asks the screen for anything: it has
// no lock.
func TestReplaysClockIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := term.New(term.Options{Now: func() time.Time { asked++; return time.Unix(0, 0) }})
		write(s, "before\x1b[?2026h\rafter!")
		before := asked
		<-time.After(2 * time.Second)
		if asked != before {
			t.Errorf("asked %d times", asked-before)
		}
		if got := s.Snapshot().Text(); got != "before" {
			t.Errorf("%q", got)
		}
	})
}

func TestResizeEndsAFrame(t *testing.T) {
	s := screen(20, 3, "before\x1b[?2026h\rafter!")
	s.Resize(10, 4)
	if got := s.Snapshot(); got.Text() != "after!" || len(got.Lines) != 4 {
		t.Errorf("%q, %d rows", got.Text(), len(got.Lines))
	}
}

// TestChanged: whoever has the channel before the snapshot misses nothing.
func TestChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := screen(20, 3)
		go func() {
			for i := range 50 {
				<-time.After(time.Millisecond) // the program computes
				write(s, string(rune('a'+i%26)))
				if i%10 == 0 {
					s.Resize(60+i, 3)
				}
			}
		}()
		last, text := s.Snapshot().Generation, ""
		for len(text) < 50 {
			changed := s.Changed()
			snap := s.Snapshot()
			if text = strings.ReplaceAll(snap.Text(), "\n", ""); len(text) == 50 {
				break
			}
			<-changed
			if g := s.Snapshot().Generation; g <= last {
				t.Fatalf("generation %d after %d", g, last)
			} else {
				last = g
			}
		}
	})
}
