package learn_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/learn"
)

// drops reports whether a learnt profile leaves a row out of the answers.
func drops(t *testing.T, l *learn.Learner, row string) bool {
	return slices.ContainsFunc(l.File("x").Answer.Drop, func(source string) bool {
		re, err := regexp.Compile(source)
		if err != nil {
			t.Fatal(err)
		}
		return re.MatchString(row)
	})
}

// TestRemark: a row below the first answer that tells how long it took is not a part of answers,
// with any other time; nor are rows with the line that a message's echo has to its left.
func TestRemark(t *testing.T) {
	f := faces["a bar with rows of its own below"]
	f.rest = slices.Replace(slices.Clone(f.rest), 5, 6, "", "     ▣  Build · Stub · 2.2s", "")
	l, _ := f.learnt(t)
	for _, row := range []string{"     ▣  Build · Stub · 148ms", "     ▣  Build · Stub · 1m 3s", "  ┃  the third", "  ┃"} {
		if !drops(t, l, row) {
			t.Errorf("%q is an answer: %s", row, l.File("x").JSON())
		}
	}
	for _, row := range []string{"     Well met", "     ▣  Build · Stub", "     It took 2.2s"} {
		if drops(t, l, row) {
			t.Errorf("%q is no answer: %s", row, l.File("x").JSON())
		}
	}
	if body := l.File("x").Answer.Body; body != `^ {0,5}(.*)$` {
		t.Errorf("the indent of an answer is %s", body)
	}
}

// TestBar: what a tool has printed after the line of echoes does not make it the line of answers,
// unless the whole answer is after it.
func TestBar(t *testing.T) {
	f := faces["a bar with rows of its own below"]
	for rows, want := range map[string]bool{"     Well met": true, "  ┃  Well met": false} {
		f.rest = []string{"  ┃  hello", "  ┃", "  ┃  $ touch it", "", rows, "", "  ┃", "  ┃  |", "  ┃", "  ┃  Build", "  ╹▀▀▀▀▀▀▀▀▀▀▀▀▀"}
		l, _ := f.learnt(t)
		if got := drops(t, l, "  ┃  $ touch that"); got != want {
			t.Errorf("below %q a row of a tool is left out: %v; %s", rows, got, l.File("x").JSON())
		}
	}
}

// TestNoRemark: the last row of an answer that only mentions a time is a part of the answer.
func TestNoRemark(t *testing.T) {
	for _, row := range []string{"  It ran. I waited for 3s", "  the sea · 3 ships", "  step · 3s of it", "  Boil it for 3m"} {
		f := faces["a marker, a placeholder and a footer"]
		f.rest = []string{"Welcome", "› hello", "• Well met", "", row, "", "› |Ask anything", "", "  ? for help"}
		if l, _ := f.learnt(t); drops(t, l, row) {
			t.Errorf("%q is no answer: %s", row, l.File("x").JSON())
		}
	}
	f := faces["a marker, a placeholder and a footer"]
	f.rest = []string{"Welcome", "› hello", "• Well met", "", "  Worked for <1s • 13:53", "", "› |Ask anything", "", "  ? for help"}
	if l, _ := f.learnt(t); !drops(t, l, "  Worked for 1m 12s • 14:01") {
		t.Errorf("the remark is an answer: %s", l.File("x").JSON())
	}
}

// TestOneMark: an echo that begins as answers do is recognised by its text alone.
func TestOneMark(t *testing.T) {
	f := faces["a marker, a placeholder and a footer"]
	f.rest = []string{"Welcome", "● hello", "", "● Well met", "", "› |Ask anything", "", "  ? for help"}
	l, _ := f.learnt(t)
	if echo := l.File("x").Answer.Echo; echo != "" {
		t.Errorf("the echo is %s", echo)
	}
}

// TestPieces: an agent that takes pastes gets small ones, and what was not tried is listed.
func TestPieces(t *testing.T) {
	l, p := faces["a box"].learnt(t)
	if p.Submit.PieceRows != 2 || p.Submit.PieceBytes != 400 {
		t.Errorf("%+v", p.Submit)
	}
	const unsure = "submit: no message of several lines was typed; a paste is cut into small pieces so that the agent takes it for text"
	if !slices.Contains(l.File("x").Unsure, unsure) {
		t.Errorf("it is sure of several lines: %q", l.File("x").Unsure)
	}
}

// TestProfileIsKept: the profile is the same one until more is learnt.
func TestProfileIsKept(t *testing.T) {
	l, p := faces["a box"].learnt(t)
	if l.Profile("learnt") != p || l.Profile("other") == p {
		t.Error("a profile is made again")
	}
}

// TestRemarkOfOneAnswer: if several answers were seen, a row that tells how long something took is
// left out only if two of them end with one.
func TestRemarkOfOneAnswer(t *testing.T) {
	const remark = "  Done · 3s"
	for ends, want := range map[int]bool{1: false, 2: true} {
		l := &learn.Learner{}
		for turn, message := range []string{"hello", "again", "thrice"} {
			l.Before(show("Welcome", "› |Ask anything", "", "  ? for help"))
			l.Typed(show("Welcome", "› "+message+"|", "", "  ? for help"), message)
			last := "  and so on"
			if turn < ends {
				last = remark
			}
			l.SeeResting(show("Welcome", "› "+message, "• Well met", "", last, "", "› |Ask anything", "", "  ? for help"))
		}
		if got := drops(t, l, remark); got != want {
			t.Errorf("%d of 3 answers end with it; it is left out: %v; %s", ends, got, l.File("x").JSON())
		}
	}
}

// TestGuessedRemark: what was seen once and left out is listed.
func TestGuessedRemark(t *testing.T) {
	f := faces["a marker, a placeholder and a footer"]
	f.rest = []string{"Welcome", "› hello", "• Well met", "", "  Done · 3s", "", "› |Ask anything", "", "  ? for help"}
	l, _ := f.learnt(t)
	const unsure = "answer.drop: the last row of the only answer seems to tell how long it took; rows like it are left out"
	if !slices.Contains(l.File("x").Unsure, unsure) {
		t.Errorf("it is not listed: %q", l.File("x").Unsure)
	}
	f.rest = []string{"Welcome", "› hello", "  Done · 3s", "", "› |Ask anything", "", "  ? for help"}
	if l, _ := f.learnt(t); drops(t, l, "  Done · 3s") {
		t.Error("the only row of an answer is left out")
	}
}

// TestTree: rows below a branch are a part of an answer, unless they were seen to be remarks on
// what the agent did before it answered.
func TestTree(t *testing.T) {
	f := faces["a marker, a placeholder and a footer"]
	input := []string{"", "› |Ask anything", "", "  ? for help"}
	f.rest = append([]string{"Welcome", "› hello", "• Well met", "  src", "  └ main.go"}, input...)
	if l, _ := f.learnt(t); drops(t, l, "  └ main.go") {
		t.Errorf("a tree is left out: %s", l.File("x").JSON())
	}
	f.rest = append([]string{"Welcome", "› hello", "• Ran ls", "  └ main.go", "", "• There is one file."}, input...)
	if l, _ := f.learnt(t); !drops(t, l, "  └ main.go") {
		t.Errorf("a remark is a part of answers: %s", l.File("x").JSON())
	}
}
