package learn

import (
	"strings"
	"testing"
)

// TestFirstRestStays: the screen that shows the agent as it was started is kept.
func TestFirstRestStays(t *testing.T) {
	l := answered(1)
	first := l.rests[0]
	for range 40 {
		l.rest(&screen{})
	}
	if l.rests[0] != first {
		t.Error("it was evicted")
	}
}

// TestSampleCoversTheTurn: the frames that are kept of a long turn are evenly spread over it, and
// the index tells the same as the frames.
func TestSampleCoversTheTurn(t *testing.T) {
	var w work
	const frames = 1000
	for i := range frames {
		w.sample(frameOf(word(i), "Pondering"))
		for phrase, m := range w.phrases {
			for j, f := range w.frames {
				has := f.rows[0].words == phrase || f.rows[1].words == phrase
				if has != (m.in&(1<<j) != 0) {
					t.Fatalf("after %d frames, %q is in frame %d: %v", i, phrase, j, has)
				}
			}
		}
	}
	if len(w.frames) < framesMax/2 {
		t.Errorf("%d frames are kept", len(w.frames))
	}
	at := map[string]int{}
	for i := range frames {
		at[word(i)] = i
	}
	last := 0
	for _, f := range append(w.frames, frameOf(word(frames-1), "x")) {
		next := at[f.rows[1].words]
		if next-last > 4*frames/framesMax {
			t.Errorf("nothing is kept from frame %d to frame %d", last, next)
		}
		last = next
	}
}

// TestPruneKeepsWhatReturns: among thousands of phrases that are seen once, those that are seen
// again and again stay, and so do those of the newest frame.
func TestPruneKeepsWhatReturns(t *testing.T) {
	var w work
	for i := range 60 {
		rows := []string{"Pondering"}
		for j := range 400 {
			rows = append(rows, word(i*400+j))
		}
		w.sample(frameOf(rows...))
		if w.phrases["Pondering"] == nil || w.phrases[word(i*400)] == nil {
			t.Fatalf("it is forgotten after %d frames", i)
		}
	}
}

// TestRowPattern: a pattern of a row allows other numbers and times, and nothing else.
func TestRowPattern(t *testing.T) {
	for row, want := range map[string]string{
		"Press #N for the next page": `^Press #N for the next page$`,
		"#D of 12 took 3s":           `^#D of \d+ took <?\d[\d., hms]*$`,
		"1m 3s · 7 files":            `^<?\d[\d., hms]* · \d+ files$`,
		"        ? for help":         `^ {8}\? for help$`,
		"   (x)":                     `^   \(x\)$`,
	} {
		if got := rowPattern(row, 300); got != want {
			t.Errorf("the pattern of %q is %s, not %s", row, got, want)
		}
	}
	if got := rowPattern("(((((", 8); got != `^\(\(\(` {
		t.Errorf("a pattern that is cut is %s", got)
	}
	if got := rowPattern(x(399), 1000); strings.HasSuffix(got, "$") {
		t.Error("the pattern of a row that may have been cut has an end")
	}
}

// TestClass: glyphs that follow each other are a range, and a class of the most glyphs that are
// kept fits in a pattern.
func TestClass(t *testing.T) {
	if got := class([]rune("◐✳"), map[rune]bool{'◓': true, '✢': true}); got != `[\x{25d0}\x{2733}]` {
		t.Error(got)
	}
	if got := class([]rune("ⒶⒷⒸⒹ"), nil); got != `[\x{24b6}-\x{24b9}]` {
		t.Error(got)
	}
	glyphs := []rune("⠋⣾✢◐◴◜▖")
	for i := 0; len(glyphs) < glyphsMax; i += 2 {
		glyphs = append(glyphs, rune(0x1f300+i))
	}
	s := sign{glyphs: glyphs}
	if got := s.pattern(); len(got) > patternMax {
		t.Errorf("the pattern has %d bytes", len(got))
	}
}

// TestLeavesOut: what a profile refuses is left out of the file and listed, and the rest is a
// profile.
func TestLeavesOut(t *testing.T) {
	long := "(" + x(1001) + ")"
	f := answered(2).draft("x")
	signs := len(f.Signs)
	f.Prompt.Next, f.Prompt.Above, f.Prompt.Below, f.Prompt.Empty = long, long, long, []string{"a", long, long}
	f.Answer = Answer{Echo: long, Text: long, Body: long, Drop: []string{"b", "(", long, "c"}, Live: []Border{{At: "d", Up: long}, {At: long}}}
	f.Interrupt, f.Clear = []string{""}, []string{"\x15", ""}
	f.Signs = append(f.Signs, Sign{Rule: "long", State: "working", All: []string{long}}, Sign{Rule: "title", State: "working", Title: long})
	unsure := len(f.Unsure)
	f, p := f.check()
	if p == nil {
		t.Fatalf("it is no profile: %s", f.JSON())
	}
	if f.Prompt.Next+f.Prompt.Above+f.Prompt.Below+f.Answer.Echo+f.Answer.Text+f.Answer.Body != "" ||
		len(f.Prompt.Empty) != 1 || len(f.Answer.Drop) != 2 || len(f.Answer.Live) != 1 || f.Answer.Live[0].Up != "" ||
		len(f.Interrupt) != 0 || len(f.Clear) != 1 || len(f.Signs) != signs {
		t.Errorf("what is left is %s", f.JSON())
	}
	if len(f.Unsure)-unsure != 16 {
		t.Errorf("%d parts are listed: %q", len(f.Unsure)-unsure, f.Unsure[unsure:])
	}
}

// TestWorkIsBounded: how many texts are compared does not grow with the number of screens of a
// turn, and a second look at the same screen compares none.
func TestWorkIsBounded(t *testing.T) {
	var asked [2]int
	for i, screens := range []int{1024, 4096} {
		l := &Learner{}
		l.Before(snapshot("Welcome", "> "))
		l.Typed(snapshot("Welcome", "> hello"), "hello")
		for n := range screens {
			l.SeeWorking(snapshot(append(numbered(n + 30)[n:], "✳ Pondering", "> ")...))
		}
		if l.asked != 0 {
			t.Errorf("to see a screen at work compares %d texts", l.asked)
		}
		rest := snapshot("Welcome", "Well met", "> ")
		l.Moved(rest)
		once := l.asked
		if l.Moved(rest); l.asked != once {
			t.Errorf("the same screen costs %d comparisons again", l.asked-once)
		}
		l.SeeResting(rest)
		l.File("x")
		asked[i] = l.asked
	}
	if asked[1] > 2*asked[0] || asked[0] > 4000 {
		t.Errorf("1024 screens cost %d comparisons, 4096 cost %d", asked[0], asked[1])
	}
}
