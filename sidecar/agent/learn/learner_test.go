package learn_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// show returns a screen of these rows; the cursor is where | stands in one of them, or
// behind the last.
func show(rows ...string) term.Snapshot {
	s := term.New(term.Options{Cols: 40, Rows: 12, Answers: term.AnswerNone})
	row, col := -1, 0
	rows = slices.Clone(rows)
	for i, r := range rows {
		if before, after, ok := strings.Cut(r, "|"); ok {
			row, col, rows[i] = i, len([]rune(before)), before+after
		}
	}
	_, _ = s.Write([]byte("\x1b[?2004h" + strings.Join(rows, "\r\n")))
	snap := s.Snapshot()
	if row >= 0 {
		snap.CursorRow, snap.CursorCol = row, col
	}
	return snap
}

// face is an agent as it looks in each moment of a turn.
type face struct {
	before, typed, rest []string
	works               [][]string
}

func (f face) learnt(t *testing.T) (*learn.Learner, *profile.Profile) {
	t.Helper()
	l := &learn.Learner{}
	l.Before(show(f.before...))
	if !l.Typed(show(f.typed...), "hello") {
		t.Fatalf("the message is not found in %q", f.typed)
	}
	for i, rows := range f.works {
		s := show(rows...)
		s.Output = time.Unix(int64(i), 0)
		l.Works(s)
	}
	l.Rests(show(f.rest...))
	p := l.Profile("learnt")
	if p == nil {
		t.Fatalf("no profile: %s", l.File("learnt").JSON())
	}
	return l, p
}

const rule = "────────────────────────────────────────"

// faces are agents in different styles. In all of them the message was hello.
var faces = map[string]face{
	"a marker, a placeholder and a footer": {
		before: []string{"Welcome", "› |Ask anything", "", "  ? for help"},
		typed:  []string{"Welcome", "› hello|", "", "  ? for help"},
		works:  [][]string{{"Welcome", "› hello", "⠋ Working 0s", "› |Ask anything", "", "  ? for help"}, {"Welcome", "› hello", "⠙ Working 1s", "› |Ask anything", "", "  ? for help"}},
		rest:   []string{"Welcome", "› hello", "• Well met", "  and well", "", "› |Ask anything", "", "  ? for help"},
	},
	"a box": {
		before: []string{"Welcome", top, "║ > |                                  ║", bottom},
		typed:  []string{"Welcome", top, "║ > hello|                             ║", bottom},
		works:  [][]string{{"> hello", "* Thinking (esc to interrupt)", top, "║ > |                                  ║", bottom}, {"> hello", "+ Thinking (esc to interrupt)", top, "║ > |                                  ║", bottom}},
		rest:   []string{"> hello", "  Well met", "  and well", top, "║ > |                                  ║", bottom},
	},
	"a bar with rows of its own below": {
		before: []string{"      ┃", "      ┃  |Ask anything", "      ┃", "      ┃  Build", "      ╹▀▀▀▀▀▀▀▀▀▀▀▀▀"},
		typed:  []string{"      ┃", "      ┃  hello|", "      ┃", "      ┃  Build", "      ╹▀▀▀▀▀▀▀▀▀▀▀▀▀"},
		works:  [][]string{{"  ┃", "  ┃  hello", "  ┃", "", "  ┃", "  ┃  |", "  ┃", "  ┃  Build", "  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀", " ■⬝ esc interrupt"}, {"  ┃", "  ┃  hello", "  ┃", "", "  ┃", "  ┃  |", "  ┃", "  ┃  Build", "  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀", " ⬝■ esc interrupt"}},
		rest:   []string{"  ┃", "  ┃  hello", "  ┃", "", "     Well met", "", "  ┃", "  ┃  |", "  ┃", "  ┃  Build", "  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀"},
	},
	"no marker, and a cursor elsewhere": {
		before: []string{"Welcome", "", "", "|"},
		typed:  []string{"Welcome", "", "  hello", "|"},
		works:  [][]string{{"Welcome", "", "  hello", "", "◐ one moment", "", "", "", "|"}, {"Welcome", "", "  hello", "", "◓ one moment", "", "", "", "|"}},
		rest:   []string{"Welcome", "", "  hello", "", "◦ Well met", "  and well", "", "", "|"},
	},
	"no marker, and the cursor in it": {
		before: []string{rule, "|", rule, " help"},
		typed:  []string{rule, "hello|", rule, " help"},
		works:  [][]string{{"hello", "Thinking hard.", rule, "|", rule, " help"}, {"hello", "Thinking hard..", rule, "|", rule, " help"}},
		rest:   []string{"hello", "Well met", "and well", rule, "|", rule, " help"},
	},
}

const (
	top    = "╔══════════════════════════════════════╗"
	bottom = "╚══════════════════════════════════════╝"
)

// TestFaces: of each face the learnt profile knows the input with a message and without
// one, and tells work from rest.
func TestFaces(t *testing.T) {
	for name, f := range faces {
		t.Run(name, func(t *testing.T) {
			l, p := f.learnt(t)
			if text, ok := p.Input(show(f.typed...)); !ok || text != "hello" {
				t.Errorf("the input holds %q, %v", text, ok)
			}
			for _, rows := range [][]string{f.before, f.rest} {
				if text, ok := p.Input(show(rows...)); !ok || text != "" {
					t.Errorf("the empty input holds %q, %v", text, ok)
				}
				if m, _ := p.Match(show(rows...)); m.State != profile.Ready {
					t.Errorf("at rest it is %q by %q", m.State, m.Rule)
				}
			}
			for _, rows := range f.works {
				if m, _ := p.Match(show(rows...)); m.State != profile.Working {
					t.Errorf("at work it is %q by %q", m.State, m.Rule)
				}
			}
			if !l.Echoed() || l.Sure() {
				t.Errorf("echoed %v, sure %v after one turn", l.Echoed(), l.Sure())
			}
			if t.Failed() {
				t.Logf("%s", l.File("x").JSON())
			}
		})
	}
}

// TestUnmarkedInputIsNoQuestion: an input that only the cursor shows is not there while
// something else stands between the two.
func TestUnmarkedInputIsNoQuestion(t *testing.T) {
	_, p := faces["no marker, and a cursor elsewhere"].learnt(t)
	if m, _ := p.Match(show("  hello", "", "Remove x?", "  [ Yes ]  [ No ]", "", "|left right enter")); m.State == profile.Ready {
		t.Errorf("it is ready by %q", m.Rule)
	}
}

// TestQuestionBeforeSigns: of an agent whose questions nobody knows, options with a marker are a
// question, though its input is learnt and looks as they do; a marker is moved, and no key is known.
func TestQuestionBeforeSigns(t *testing.T) {
	_, p := faces["a marker, a placeholder and a footer"].learnt(t)
	s := show("Welcome", "› hello", "• Well met", "", "Remove it?", "›| Yes", "  No", "", "↑/↓ to move · enter to choose")
	q, ok := p.Question(s)
	if !ok || len(q.Options) != 2 || q.Axis != option.Down || q.Marked != 0 {
		t.Errorf("%v %+v", ok, q)
	}
	if m, _ := p.Match(s); m.State != profile.Asking {
		t.Errorf("%+v", m)
	}
}

// TestSpunBullet: a sign that took a spinner's place is none of Markdown.
func TestSpunBullet(t *testing.T) {
	f := face{
		before: []string{"Welcome", "", "    " + rule[:60], "    ❯ |Ask", "    " + rule[:60], "", "  help"},
		typed:  []string{"Welcome", "", "    " + rule[:60], "    ❯ hello|", "    " + rule[:60], "", "  help"},
		works:  [][]string{{"❯ hello", "", "⠋ Well", "", rule, "❯ |Ask", rule, "", "  help"}, {"❯ hello", "", "⠙ Well met", "", rule, "❯ |Ask", rule, "", "  help"}},
		rest:   []string{"❯ hello", "", "* Well met", "", rule, "❯ |Ask", rule, "", "  help"},
	}
	l, p := f.learnt(t)
	text := l.File("x").Answer.Text
	if !strings.Contains(text, `\*`) {
		t.Errorf("the text begins with %q", text)
	}
	if _, ok := p.Input(show(f.rest...)); !ok {
		t.Error("an input between two lines that has moved is not found")
	}
}

// TestSure: a second turn that shows the same confirms the first.
func TestSure(t *testing.T) {
	f := faces["a box"]
	l, _ := f.learnt(t)
	l.Before(show(f.rest...))
	l.Typed(show("> hello", "  Well met", top, "║ > again|                             ║", bottom), "again")
	l.Works(show("> hello", "  Well met", "> again", "* Thinking (esc to interrupt)", top, "║ > |                                  ║", bottom))
	l.Rests(show("> again", "  Once more", top, "║ > |                                  ║", bottom))
	if !l.Sure() {
		t.Errorf("it is not sure: %s", l.File("x").JSON())
	}
	if got := l.Interrupt(); len(got) != 1 || got[0] != "\x1b" {
		t.Errorf("a turn is stopped by %q", got)
	}
}

// TestClear: of the keys that were tried the one that has emptied the input is kept.
func TestClear(t *testing.T) {
	f := faces["a box"]
	l, _ := f.learnt(t)
	l.Before(show(f.before...))
	l.Typed(show(f.typed...), "hello")
	if l.Cleared(show(f.typed...), "\x15") {
		t.Error("Ctrl-U has cleared nothing")
	}
	if !l.Cleared(show(f.before...), "\x1b") {
		t.Error("Esc has cleared it")
	}
	if got := l.File("x").Clear; len(got) != 1 || got[0] != "\x1b" {
		t.Errorf("the keys are %q", got)
	}
}

// TestNothingFound: where the message does not appear nothing is learnt.
func TestNothingFound(t *testing.T) {
	l := &learn.Learner{}
	l.Before(show("hello", "> |"))
	if l.Typed(show("hello", "> |"), "hello") || l.Found() || l.Echoed() || l.Profile("x") != nil {
		t.Error("it has found what was there before")
	}
}

// TestRhythm: the longest pause counts.
func TestRhythm(t *testing.T) {
	var r learn.Rhythm
	for _, at := range []int64{5, 6, 9, 9, 10} {
		r.See(time.Unix(at, 0))
	}
	if r.Longest != 3*time.Second {
		t.Errorf("the longest pause is %s", r.Longest)
	}
}

// FuzzLearner shows a learner anything: what it writes is a valid profile, and it stays
// within its bounds.
func FuzzLearner(f *testing.F) {
	for _, face := range faces {
		f.Add(strings.Join(face.before, "\n"), strings.Join(face.typed, "\n"), strings.Join(face.works[0], "\n"), strings.Join(face.rest, "\n"), "hello")
	}
	f.Add("0", "Welcome\n\n  hello\n|", "Welcome\n\n  hello\n\n\xe2\x97l\x90 one momen\x00\x10\n\n\n|", "Welcome\n\n  hel\x90/_lo\nom\x97\xa6 Well\nmet\n  and well\n\n\n|", "hello")
	f.Add("(", "((?P<x>\x1b[2;2H(?", "\\Q\\E\ufffd", "[a-\u2502", "(?")
	f.Fuzz(func(t *testing.T, before, typed, works, rest, message string) {
		screen := func(s string) term.Snapshot {
			m := term.New(term.Options{Cols: 30, Rows: 9, Answers: term.AnswerNone})
			_, _ = m.Write([]byte(strings.ReplaceAll(s, "\n", "\r\n")))
			return m.Snapshot()
		}
		l := &learn.Learner{}
		for range 2 {
			l.Before(screen(before))
			l.Typed(screen(typed), message)
			for i := range 3 {
				l.Works(screen(works + strings.Repeat(".", i)))
				l.Moved(screen(rest))
			}
			l.Rests(screen(rest))
			l.Cleared(screen(before), "\x15")
		}
		if !l.Found() {
			return
		}
		if _, err := profile.Parse("learnt.json", l.File("learnt").JSON()); err != nil {
			t.Errorf("it has written what is no profile: %v\n%s", err, l.File("learnt").JSON())
		}
	})
}

// BenchmarkMoved is what a look at a still screen costs after a turn with many screens.
func BenchmarkMoved(b *testing.B) {
	l := &learn.Learner{}
	l.Before(show("> |"))
	l.Typed(show("> hello|"), "hello")
	for i := range 400 {
		l.Works(show("> hello", strings.Repeat("word ", i%7)+"of an answer", strings.Repeat("x", i%30)+" more words of it", "* Thinking ("+strings.Repeat("i", i%40)+"s)", "> |"))
	}
	rest := show("> hello", "done", "> |")
	for b.Loop() {
		l.Moved(rest)
	}
}
