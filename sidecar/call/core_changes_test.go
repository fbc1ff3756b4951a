package call_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	core "github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// If a change cannot be kept, it is not made.
func TestWriteNeedsTheJournal(t *testing.T) {
	k := newKept(t, allowAll)
	k.put("a", "old")
	if err := errors.Join(k.journal.Close()); err != nil { // nothing can be written there any more
		t.Fatal(err)
	}
	for _, name := range []string{"a", "new"} {
		got, _ := k.file("ann", "", "write", map[string]any{"file_path": name, "content": "x"})
		if !strings.Contains(got, "error: "+name+" cannot be written: what it had cannot be kept (sidecar changes), so it was not changed") {
			t.Error(got)
		}
	}
	k.has("a", "old")
	k.has("new", "")
	if left, err := os.ReadDir(k.dir); err != nil || len(left) != 1 {
		t.Errorf("%v %v", left, err)
	}
}

// Many calls at once: each change is kept once, and all of them are taken back.
func TestUndoOfParallelCalls(t *testing.T) {
	k := newKept(t, allowAll)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			inv := k.p.Start(call.Request{Tool: "core.write", Arguments: json.RawMessage(fmt.Sprintf(`{"file_path":"f%02d","content":"x"}`, i)), Caller: "ann", Within: k.turn})
			if <-inv.Done(); !inv.Outcome().OK() {
				t.Errorf("%s", inv.Envelope())
			}
			k.journal.List(changes.Query{Owner: "ann"}, plainly)
		})
	}
	all.Wait()
	did, _ := k.undo(changes.Query{Task: k.turn.ID()}, false)
	if n := strings.Count(did, "removed f"); n != 8 {
		t.Errorf("%d: %s", n, did)
	}
	if left, err := os.ReadDir(k.dir); err != nil || len(left) != 0 {
		t.Errorf("%v %v", left, err)
	}
}

// A file that the call may write and not read is changed all the same, and its old content is kept nowhere.
func TestChangesOfWhatMayNotBeRead(t *testing.T) {
	k := newKept(t, rule("deny", "fs.read", "{workspace}/secret")+","+allowAll)
	k.put("secret", "TOP secret")
	id := k.write(nil, "secret", "new")
	d := k.journal.List(changes.Query{Owner: "ann"}, plainly)
	if f := d.Tasks[0].Files[0]; f.Diff != "" || f.Note != "its content is not kept: the call may not read it" {
		t.Errorf("%+v", f)
	}
	for _, e := range k.entries() {
		if strings.Contains(e, "TOP") {
			t.Errorf("%q", e)
		}
	}
	if did, _ := k.undo(changes.Query{Task: id}, false); !strings.Contains(did, `you may not call "core.undo"`) {
		t.Error(did)
	}
}

// entries are the files of the journal.
func (k *kept) entries() (all []string) {
	k.t.Helper()
	found, err := filepath.Glob(filepath.Join(k.o.Dir, "*"))
	if err != nil || len(found) == 0 {
		k.t.Fatal(found, err)
	}
	for _, name := range found {
		content, err := os.ReadFile(name)
		if err != nil {
			k.t.Fatal(err)
		}
		all = append(all, string(content))
	}
	return all
}

// badUndo is one that panics.
type badUndo struct{ core.Undo }

func (badUndo) Step(string, core.FileState) (core.UndoStep, error) { panic("bad") }

// What panics for a tool, on the goroutine that owns the call, fails the call alone.
func TestUndoThatPanics(t *testing.T) {
	k := newKept(t, allowAll)
	k.write(nil, "a", "x")
	plan, err := k.journal.Plan(changes.Query{Owner: "ann"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	e := k.ended(k.p.Start(call.Request{Own: core.NewUndo(false), Undo: badUndo{plan}, Tool: "core.undo", Arguments: arguments(t, map[string]any{"paths": []string{k.dir + "/a"}}), Caller: "ann"}))
	if e.env.Metadata.Outcome != "failed" || strings.Contains(e.text(), "bad") {
		t.Errorf("%s", e.inv.Envelope())
	}
	k.has("a", "x")
}

// What a call of an agent's does in a turn is the turn's, and the call's.
func TestChangesOfATurn(t *testing.T) {
	k := newKept(t, allowAll)
	e := k.ended(k.p.Start(call.Request{Tool: "core.write", Arguments: arguments(t, map[string]any{"file_path": "a", "content": "x"}), Caller: "ann", Agent: true, Within: k.turn, ContextID: "x"}))
	for _, id := range []string{k.turn.ID(), e.task.ID} {
		if d := k.journal.List(changes.Query{Owner: "ann", Task: id, Context: "x"}, plainly); len(d.Tasks) != 1 || d.Tasks[0].ID != id || len(d.Tasks[0].Files) != 1 {
			t.Errorf("%+v", d)
		}
	}
	if d := k.journal.List(changes.Query{Owner: "ann"}, plainly); d.Tasks[0].ID != k.turn.ID() {
		t.Errorf("%+v", d)
	}
}
