package changes_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
)

// An answer has no more than its limits, and the newest have the room.
func TestListLimits(t *testing.T) {
	j := open(t, changes.Options{Total: 1 << 30, File: 64 << 20})
	record(t, j, by("oldest"), change("/w/a", "-", "x\n"))
	for n := range changes.MaxListed - 1 {
		record(t, j, by("t"), change(fmt.Sprint("/w/", n), "-", "x\n"))
	}
	if d := j.List(changes.Query{Owner: "ann"}, plainly); d.More != 0 || len(d.Tasks) != 2 {
		t.Errorf("%d more, %d tasks", d.More, len(d.Tasks))
	}
	record(t, j, by("t"), change("/w/more", "-", "x\n"))
	if d := j.List(changes.Query{Owner: "ann"}, plainly); d.More != 1 || len(d.Tasks) != 1 || len(d.Tasks[0].Files) != changes.MaxListed {
		t.Errorf("%d more, %d tasks", d.More, len(d.Tasks))
	}
	side := strings.Repeat("a line of text\n", changes.MaxSide/15)
	record(t, j, by("long"), change("/w/fits", "-", side))
	record(t, j, by("long"), change("/w/too long", "-", side+strings.Repeat("x", 16)))
	got := listed(j, changes.Query{Task: "long"})
	if len(got) != 2 || strings.Contains(got[0], "longer") || !strings.HasSuffix(got[1], "it is longer than a difference is shown of, 1MiB") {
		t.Error(got)
	}
	for n := range changes.MaxDiffs/changes.MaxSide + 1 {
		record(t, j, by(fmt.Sprint("room ", n)), change(fmt.Sprint("/w/r", n), "-", side))
	}
	d := j.List(changes.Query{Owner: "ann"}, plainly)
	last, first := d.Tasks[len(d.Tasks)-1].Files[0], d.Tasks[len(d.Tasks)-2-changes.MaxDiffs/changes.MaxSide].Files[0]
	if last.Diff == "" || first.Diff != "" || first.Note != "the answer is long enough: ask for this task alone" {
		t.Errorf("%q %q", last.Note, first.Note)
	}
}

func TestMaxUndo(t *testing.T) {
	j := open(t, changes.Options{Total: 1 << 30})
	q := changes.Query{Owner: "ann", Task: "t"}
	for n := range changes.MaxUndo {
		record(t, j, by("t"), change(fmt.Sprint("/w/", n), "-", "x"))
	}
	if _, err := j.Plan(q, nil); err != nil {
		t.Error(err)
	}
	record(t, j, by("t"), change("/w/more", "-", "x"))
	if _, err := j.Plan(q, nil); err == nil || !strings.Contains(err.Error(), "1001 files, and 1000 at once is the most") {
		t.Error(err)
	}
	if p, err := j.Plan(q, []string{"/w/more"}); err != nil || len(p.Files()) != 1 {
		t.Error(err)
	}
}

// What an undo records does not push out what it still needs. Afterwards the limit holds again.
func TestUndoForgetsNothingThatItNeeds(t *testing.T) {
	o := changes.Options{Dir: filepath.Join(t.TempDir(), "changes"), Total: 3 * 4 << 10}
	j := open(t, o)
	for _, path := range []string{"/w/a", "/w/b", "/w/c"} {
		record(t, j, by("t"), change(path, "old", "new"))
	}
	plan, err := j.Plan(changes.Query{Owner: "ann", Task: "t"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	release := plan.Hold()
	for _, f := range plan.Files() {
		s, err := plan.Step(f.Path, state("new"))
		if err != nil || string(s.Content) != "old" {
			t.Errorf("%s: %+v %v", f.Path, s, err)
		}
		record(t, j, by("undo"), change(f.Path, "new", "old"))
	}
	release()
	if got := listed(j, changes.Query{}); len(got) != 3 || !strings.HasPrefix(got[0], "undo ") {
		t.Errorf("%q", got)
	}
	if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 3 {
		t.Error(entries, err)
	}
}

// Callers choose the IDs of calls: one that several have is not guessed.
func TestUndoOfACallOfSeveral(t *testing.T) {
	j := open(t, changes.Options{})
	for _, task := range []string{"t-1", "t-2"} {
		one := by(task)
		one.Call = "call-1"
		record(t, j, one, change("/w/a", "-", "x"))
	}
	_, err := j.Plan(changes.Query{Owner: "ann", Call: "call-1"}, nil)
	if want := `several calls have the ID "call-1": name the task of the one that you mean in its place, as t-1 or t-2`; err == nil || err.Error() != want {
		t.Error(err)
	}
	if p, err := j.Plan(changes.Query{Owner: "ann", Call: "call-1", Task: "t-2"}, nil); err != nil || len(p.Files()) != 1 {
		t.Error(err)
	}
}

// What is held lets the journal grow to twice its total, and no further.
func TestHoldIsBounded(t *testing.T) {
	j := open(t, changes.Options{Total: 2 * 4 << 10})
	record(t, j, by("t"), change("/w/a", "old", "new"))
	plan, err := j.Plan(changes.Query{Owner: "ann", Task: "t"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer plan.Hold()()
	for n := range 4 {
		if s, err := plan.Step("/w/a", state("new")); err != nil || string(s.Content) != "old" {
			t.Errorf("%d: %+v %v", n, s, err)
		}
		record(t, j, by("others"), change("/w/b", "x", "y"))
	}
	if s, err := plan.Step("/w/a", state("new")); err == nil {
		t.Errorf("%+v is kept beyond that", s)
	}
}

// The name of a file that is no record is no number from which others are counted on: after the last one comes 0.
func TestJunkDoesNotCount(t *testing.T) {
	o := changes.Options{Dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(o.Dir, "ffffffffffffffff.change"), []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	if seq := record(t, open(t, o), by("t"), change("/w/a", "-", "x")); seq != 1 {
		t.Errorf("record %d", seq)
	}
}

// A file that is larger than any record is not read, and goes.
func TestHugeJunkIsNotRead(t *testing.T) {
	log := &await.Log{}
	o := changes.Options{Dir: t.TempDir(), Total: 1 << 20, Log: log.Logger()}
	path := filepath.Join(o.Dir, "0000000000000007.change")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1<<40); err != nil { // a hole
		t.Fatal(err)
	}
	open(t, o)
	log.Says(t, "it has 1099511627776 bytes, and no record has more than 2101248")
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is there: %v", err)
	}
}
