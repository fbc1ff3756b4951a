package call_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
)

// A dry run changes nothing, and keeps nothing.
func TestUndoDryRun(t *testing.T) {
	k := newKept(t, rule("deny", "fs.write", "{workspace}/none")+","+allowAll)
	id := k.write(nil, "a", "x")
	if did, _ := k.undo(changes.Query{Task: id}, true); did != "removed a" {
		t.Error(did)
	}
	k.has("a", "x")
	if d := k.journal.List(changes.Query{Owner: "ann"}, plainly); len(d.Tasks) != 1 {
		t.Errorf("%+v", d)
	}
}

var plainly = changes.Show{Name: filepath.Base, Clean: func(s string) string { return s }}

// An undo is undone, with the permissions of what it had removed.
func TestUndoOfUndo(t *testing.T) {
	k := newKept(t, allowAll)
	id := k.write(nil, "a", "x")
	if err := os.Chmod(k.dir+"/a", 0o751); err != nil {
		t.Fatal(err)
	}
	_, first := k.undo(changes.Query{Task: id}, false)
	k.has("a", "")
	did, second := k.undo(changes.Query{Task: first.task.ID}, false)
	if k.has("a", "x"); did != "recreated a" {
		t.Error(did)
	}
	if info, err := os.Stat(k.dir + "/a"); err != nil || info.Mode().Perm() != 0o751 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if did, _ := k.undo(changes.Query{Task: second.task.ID}, false); did != "removed a" {
		t.Error(did)
	}
}

// The permissions that somebody gives a file afterwards stay.
func TestUndoKeepsMode(t *testing.T) {
	k := newKept(t, allowAll)
	for name, mode := range map[string][2]os.FileMode{"kept": {0o640, 0o640}, "given": {0o640, 0o755}} {
		file := k.put(name, "old")
		if err := os.Chmod(file, mode[0]); err != nil {
			t.Fatal(err)
		}
		id := k.write(nil, name, "new")
		if err := os.Chmod(file, mode[1]); err != nil {
			t.Fatal(err)
		}
		k.undo(changes.Query{Task: id}, false)
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != mode[1] {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
}

// A later task has to be undone first; then the earlier one can be.
func TestUndoAfterALaterTask(t *testing.T) {
	k := newKept(t, allowAll)
	k.put("a", "0")
	one, two := k.write(nil, "a", "1"), k.write(nil, "a", "2")
	if did, _ := k.undo(changes.Query{Task: one}, false); did != "refused a: changed since by task "+two+": undo that one first" {
		t.Error(did)
	}
	k.undo(changes.Query{Task: two}, false)
	if did, _ := k.undo(changes.Query{Task: one}, false); did != "restored a" {
		t.Error(did)
	}
	k.has("a", "0")
}

// A call alone is undone, and a file alone; another caller has nothing to undo.
func TestUndoOfAPart(t *testing.T) {
	k := newKept(t, allowAll)
	k.put("a", "0")
	k.write(k.turn, "a", "1")
	k.write(k.turn, "b", "1")
	e := k.ended(k.p.Start(call.Request{ID: "last", Tool: "core.write", Arguments: arguments(t, map[string]any{"file_path": "a", "content": "2"}), Caller: "ann", Within: k.turn}))
	if did, _ := k.undo(changes.Query{Task: k.turn.ID(), Owner: "bob"}, false); did != "error: "+changes.ErrNone.Error() {
		t.Error(did)
	}
	if did, _ := k.undo(changes.Query{Call: "last"}, false); did != "restored a" {
		t.Error(did)
	}
	k.has("a", "1")
	if did, _ := k.undo(changes.Query{Task: k.turn.ID()}, false, k.dir+"/b"); did != "removed b" {
		t.Error(did)
	}
	if did, _ := k.undo(changes.Query{Task: e.task.ID}, false); did != "unchanged a" {
		t.Error(did)
	}
	if did, _ := k.undo(changes.Query{Task: k.turn.ID()}, false, k.dir+"/c"); !strings.Contains(did, `/c": no change`) {
		t.Error(did)
	}
}

// The rules hold for an undo as for any call, and its audit has the files.
func TestUndoIsJudged(t *testing.T) {
	k := newKept(t, rule("deny", "core.undo", "")+","+allowAll)
	id := k.write(nil, "a", "x")
	if did, e := k.undo(changes.Query{Task: id}, false); !strings.Contains(did, `you may not call "core.undo"`) || e.env.Metadata.Outcome != "denied" {
		t.Error(did)
	}
	k.has("a", "x")
	k.audit.mu.Lock()
	defer k.audit.mu.Unlock()
	if !slices.ContainsFunc(k.audit.all, func(r audit.Record) bool { return r.Tool == "core.undo" }) {
		t.Error("the audit does not have it")
	}
}

// What an undo itself records does not push what the other files had out of a journal that is full.
func TestUndoInAFullJournal(t *testing.T) {
	k := newKept(t, allowAll)
	k.o.Total = 3 * 4 << 10
	k.journal = k.open(t)
	k.bar = newCore(t, allowAll, func(o *call.Options) { o.Changes = k.journal })
	for _, name := range []string{"a", "b", "c"} {
		k.write(nil, name, name)
	}
	if did, _ := k.undo(changes.Query{}, false); did != "removed c; removed b; removed a" {
		t.Error(did)
	}
}
