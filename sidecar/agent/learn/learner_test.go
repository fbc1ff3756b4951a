package learn_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/option"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// show returns a screen of these rows. The cursor is where | stands in one of them, or after the
// last one.
func show(rows ...string) term.Snapshot { return showIn(40, 12, rows...) }

// showIn is show for a terminal of another size. A row that begins with altScreen makes it the
// alternate screen.
func showIn(cols, height int, rows ...string) term.Snapshot {
	s := term.New(term.Options{Cols: cols, Rows: height, Answers: term.AnswerNone})
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

const altScreen = "\x1b[?1049h"

// face is what an agent looks like at each stage of a turn.
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
		l.SeeWorking(s)
	}
	l.SeeResting(show(f.rest...))
	p := l.Profile("learnt")
	if p == nil {
		t.Fatalf("no profile: %s", l.File("learnt").JSON())
	}
	return l, p
}

const rule = "────────────────────────────────────────"

// faces are agents in different styles. The message is always hello.
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

// TestFaces: for each face, the learnt profile finds the input with a message and without one, and
// distinguishes work from rest.
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
			if !l.Echoed() || l.Confirmed() {
				t.Errorf("echoed %v, sure %v after one turn", l.Echoed(), l.Confirmed())
			}
			if t.Failed() {
				t.Logf("%s", l.File("x").JSON())
			}
		})
	}
}

// TestUnmarkedInputIsNoQuestion: an input that only the cursor shows is not there while something
// else stands between it and the cursor.
func TestUnmarkedInputIsNoQuestion(t *testing.T) {
	_, p := faces["no marker, and a cursor elsewhere"].learnt(t)
	if m, _ := p.Match(show("  hello", "", "Remove x?", "  [ Yes ]  [ No ]", "", "|left right enter")); m.State == profile.Ready {
		t.Errorf("it is ready by %q", m.Rule)
	}
}

// TestQuestionBeforeSigns: options with a marker are a question, even if the input that was learnt
// looks as they do.
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

// TestSpunBullet: a sign that took a spinner's place is the mark of the answer, not Markdown.
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

// TestConfirmed: a second turn that shows the same confirms the first.
func TestConfirmed(t *testing.T) {
	f := faces["a box"]
	l, _ := f.learnt(t)
	l.Before(show(f.rest...))
	l.Typed(show("> hello", "  Well met", top, "║ > again|                             ║", bottom), "again")
	l.SeeWorking(show("> hello", "  Well met", "> again", "* Thinking (esc to interrupt)", top, "║ > |                                  ║", bottom))
	l.SeeResting(show("> again", "  Once more", top, "║ > |                                  ║", bottom))
	if !l.Confirmed() {
		t.Errorf("it is not sure: %s", l.File("x").JSON())
	}
	if got := l.Interrupt(); len(got) != 1 || got[0] != "\x1b" {
		t.Errorf("a turn is stopped by %q", got)
	}
}

// TestClear: the key that has emptied the input is kept.
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

// TestNothingFound: if the message does not appear, nothing is learnt.
func TestNothingFound(t *testing.T) {
	l := &learn.Learner{}
	l.Before(show("hello", "> |"))
	if l.Typed(show("hello", "> |"), "hello") || l.HasInput() || l.Echoed() || l.Profile("x") != nil {
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

// TestMovedIsOfThisTurn: what moved in an earlier turn does not count, even if nothing was learnt
// of it.
func TestMovedIsOfThisTurn(t *testing.T) {
	l := &learn.Learner{}
	l.Before(show("Welcome", "> |"))
	l.Typed(show("Welcome", "> hello|"), "hello")
	for _, g := range "✢✳✶✻✽" {
		l.SeeWorking(show("Welcome", string(g)+" Pondering…", "> |"))
	}
	rest := show("Welcome", "Well met", "> |")
	for range 2 { // the second answer is kept from the first
		if !l.Moved(rest) {
			t.Fatal("the spinner has not moved")
		}
	}
	l.SeeResting(rest)
	if l.Echoed() {
		t.Fatal("it says that the message was echoed")
	}
	l.Before(rest)
	l.Typed(show("Welcome", "Well met", "> again|"), "again")
	l.SeeWorking(rest)
	if l.Moved(rest) {
		t.Error("the spinner of the first turn has moved in the second")
	}
	if len(l.File("x").Signs) < 2 {
		t.Errorf("the sign of work of the first turn is forgotten: %s", l.File("x").JSON())
	}
}

// TestLateWork: after a long answer, a sign of work, a key and a title are still learnt, in the
// same turn and in the next one.
func TestLateWork(t *testing.T) {
	for name, turn := range map[string]struct{ turns, screens int }{"in the same turn": {1, 2000}, "in the next turn": {2, 100}} {
		t.Run(name, func(t *testing.T) {
			l := &learn.Learner{}
			before, work := show("Welcome", "> |"), show("> hello", "Pondering (esc to interrupt)", "> |")
			work.Title = "✳ agent"
			l.Before(before)
			l.Typed(show("Welcome", "> hello|"), "hello")
			for i := range 1000 {
				l.SeeWorking(show("> hello", letters(i)+"x", "> |"))
			}
			if turn.turns == 2 {
				l.SeeResting(show("> hello", "Well met", "> |"))
				l.Before(before)
				l.Typed(show("Welcome", "> hello|"), "hello")
			}
			for i := range turn.screens {
				s := show("> hello", letters(i), "Pondering (esc to interrupt)", "> |")
				s.Title = "✳ agent"
				l.SeeWorking(s)
			}
			l.SeeResting(show("> hello", "Well met", "> |"))
			f := l.File("x")
			if len(f.Signs) < 3 || !strings.HasPrefix(f.Signs[0].Rule, "title: ") || !strings.Contains(f.Signs[1].Rule, "interrupt") || len(f.Interrupt) != 1 {
				t.Errorf("it was not learnt: %s", f.JSON())
			}
		})
	}
}

// letters returns a word without digits that is different for each number.
func letters(n int) string {
	var b strings.Builder
	for range 6 {
		b.WriteByte(byte('a' + n%26))
		n /= 26
	}
	return b.String()
}

// TestTypedIsOneRest: a message that is drawn again and again while it is typed does not evict the
// earlier screens at rest, so that words of earlier answers are not signs of work.
func TestTypedIsOneRest(t *testing.T) {
	l := &learn.Learner{}
	l.Before(show("Welcome", "> |"))
	l.Typed(show("Welcome", "> hello|"), "hello")
	l.SeeResting(show("> hello", "Lighthouse keepers", "> |"))
	l.Before(show("Cleared", "> |"))
	for i := range 30 {
		s := show("Cleared "+strings.Repeat(".", i), "> again|")
		if !l.Typed(s, "again") {
			t.Fatal("the message was not seen")
		}
	}
	for i := range 5 {
		l.SeeWorking(show("> again", "Lighthouse keepers", strings.Repeat(".", i), "> |"))
	}
	l.SeeResting(show("> again", "Well met", "> |"))
	for _, sign := range l.File("x").Signs {
		if strings.Contains(sign.Rule, "Lighthouse") {
			t.Errorf("a word of an answer is a sign of work: %s", l.File("x").JSON())
		}
	}
}

// TestAnyScreenMakesAProfile: what is written is a valid profile for wide rows, many rows of tips
// above the input, many glyphs and many numbers, and for any name.
func TestAnyScreenMakesAProfile(t *testing.T) {
	const seeds = 24
	for seed := range uint64(seeds) {
		r := rand.New(rand.NewPCG(seed, seed))
		cols := []int{40, 200, 500}[r.IntN(3)]
		alphabet := [][]rune{[]rune("ab 1.#ND"), []rune("(){}[]^$|\\ 3s"), []rune("字漢 ⠋·✳3"), []rune("x y z "), []rune("12s 3m, ")}[r.IntN(5)]
		row := func() string {
			b := make([]rune, r.IntN(cols-1))
			for i := range b {
				b[i] = alphabet[r.IntN(len(alphabet))]
			}
			return string(b)
		}
		var chrome []string
		for range r.IntN(9) {
			chrome = append(chrome, "tip "+row())
		}
		mark := []string{"> ", "│ > ", row() + "> ", strings.Repeat("( ", r.IntN(20)) + "> "}[r.IntN(4)]
		screen := func(said []string, typed string) term.Snapshot {
			rows := slices.Concat([]string{"Welcome"}, said, []string{""}, chrome, []string{mark + typed + "|", row()})
			return showIn(cols, 50, rows...)
		}
		l := &learn.Learner{}
		said := []string{}
		for turn := range 3 {
			message := "hello " + letters(turn)
			l.Before(screen(said, ""))
			l.Typed(screen(said, message), message)
			said = append(said, mark+message)
			for range 70 {
				g := string(rune(0x2800 + r.IntN(256)))
				if r.IntN(2) == 0 {
					g = string(rune(0x1f300 + r.IntN(256)*3))
				}
				s := screen(append(slices.Clone(said), g+" "+row()), "")
				s.Title = g + " x"
				l.SeeWorking(s)
			}
			said = append(said, "• "+row(), "", "  "+row()+" · 3s")
			l.SeeResting(screen(said, ""))
		}
		if !l.HasInput() {
			continue
		}
		for _, name := range []string{"learnt", "my agent/1", "", "\x1b[31m"} {
			f := l.File(name)
			if _, err := profile.Parse("learnt.json", f.JSON()); err != nil || l.Profile(name) == nil {
				t.Fatalf("seed %d: it has written an invalid profile: %v\n%s", seed, err, f.JSON())
			}
		}
	}
}

// FuzzLearner shows a learner anything: what it writes is a valid profile.
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
		for range 2 { // one turn may end without an echo
			l.Before(screen(before))
			l.Typed(screen(typed), message)
			for i := range 3 {
				l.SeeWorking(screen(works + strings.Repeat(".", i)))
				l.Moved(screen(rest))
			}
			l.SeeResting(screen(rest))
			l.Cleared(screen(before), "\x15")
		}
		if !l.HasInput() {
			return
		}
		if _, err := profile.Parse("learnt.json", l.File("learnt").JSON()); err != nil {
			t.Errorf("it has written an invalid profile: %v\n%s", err, l.File("learnt").JSON())
		}
	})
}
