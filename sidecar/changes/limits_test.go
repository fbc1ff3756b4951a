package changes_test

import (
	"fmt"
	"strings"
	"testing"

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
