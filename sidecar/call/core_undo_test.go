package call_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	core "github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// kept is a workspace whose changes are kept.
type kept struct {
	*bar
	journal *changes.Journal
	o       changes.Options
}

// newKept keeps changes in a directory of its own, with 1 MiB for each file.
func newKept(t testing.TB, rules string, tweak ...func(*changes.Options)) *kept {
	t.Helper()
	k := &kept{o: changes.Options{Dir: filepath.Join(t.TempDir(), "changes"), Total: 64 << 20, File: 1 << 20}}
	for _, f := range tweak {
		f(&k.o)
	}
	k.journal = k.open(t)
	k.bar = newCore(t, rules, func(o *call.Options) { o.Changes = k.journal })
	return k
}

func (k *kept) open(t testing.TB) *changes.Journal {
	j, err := changes.Open(k.o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

// does calls a tool as a part of some work (nil: for itself), and returns the task that is undone.
func (k *kept) does(work *task.Task, id string, named map[string]any) string {
	k.t.Helper()
	e := k.ended(k.p.Start(call.Request{Tool: core.Prefix + id, Arguments: arguments(k.t, named), Caller: "ann", Within: work}))
	if e.env.Type == "error" {
		k.t.Fatal(e.text())
	}
	if work != nil {
		return work.ID()
	}
	return e.task.ID
}

func (k *kept) write(work *task.Task, path, content string) string {
	k.t.Helper()
	return k.does(work, "write", map[string]any{"file_path": path, "content": content})
}

// undo takes changes back, and returns what became of each file: "restored a", or "refused a: why".
func (k *kept) undo(q changes.Query, dry bool, paths ...string) (did string, e ended) {
	k.t.Helper()
	if q.Owner == "" {
		q.Owner = "ann"
	}
	plan, err := k.journal.Plan(q, paths)
	if err != nil {
		return "error: " + err.Error(), e
	}
	var named []string
	for _, f := range plan.Files() {
		named = append(named, f.Path)
	}
	e = k.ended(k.p.Start(call.Request{Own: core.NewUndo(dry), Undo: plan, Tool: "core.undo", Arguments: arguments(k.t, map[string]any{"paths": named}), Caller: q.Owner}))
	if e.env.Type == "error" {
		return "error: " + e.text(), e
	}
	var done core.Undone
	if err := json.Unmarshal(e.env.Data, &done); err != nil {
		k.t.Fatal(err)
	}
	var all []string
	for _, f := range done.Files {
		rest, _ := filepath.Rel(k.dir, f.Path)
		all = append(all, strings.TrimSuffix(f.Result+" "+rest+": "+f.Why, ": "))
	}
	return strings.Join(all, "; "), e
}

// has checks a file: "" means that there is none.
func (k *kept) has(name, want string) {
	k.t.Helper()
	got, err := os.ReadFile(filepath.Join(k.dir, name))
	if want == "" && !errors.Is(err, os.ErrNotExist) || want != "" && string(got) != want {
		k.t.Errorf("%s has %q %v, want %q", name, got, err, want)
	}
}

func TestUndo(t *testing.T) {
	for name, c := range map[string]struct {
		there map[string]string // before
		do    func(k *kept) string
		want  string
		then  map[string]string
	}{
		"a new file": {
			do:   func(k *kept) string { return k.write(nil, "d/new", "x") },
			want: "removed d/new", then: map[string]string{"d/new": ""},
		},
		"overwritten": {
			there: map[string]string{"a": "old\n"}, do: func(k *kept) string { return k.write(nil, "a", "new\n") },
			want: "restored a", then: map[string]string{"a": "old\n"},
		},
		"edited twice in one task": {
			there: map[string]string{"a": "one two"},
			do: func(k *kept) string {
				k.does(k.turn, "edit", map[string]any{"file_path": "a", "old_string": "one", "new_string": "1"})
				return k.does(k.turn, "edit", map[string]any{"file_path": "a", "old_string": "two", "new_string": "2"})
			},
			want: "restored a", then: map[string]string{"a": "one two"},
		},
		"made and edited in one task": {
			do: func(k *kept) string {
				k.write(k.turn, "a", "one")
				return k.does(k.turn, "edit", map[string]any{"file_path": "a", "old_string": "one", "new_string": "1"})
			},
			want: "removed a", then: map[string]string{"a": ""},
		},
		"several files, the last first": {
			there: map[string]string{"a": "1", "b": "2"},
			do: func(k *kept) string {
				k.write(k.turn, "a", "x")
				return k.write(k.turn, "b", "y")
			},
			want: "restored b; restored a", then: map[string]string{"a": "1", "b": "2"},
		},
		"bytes that are no text": {
			there: map[string]string{"a": "\x00\xff\x01"}, do: func(k *kept) string { return k.write(nil, "a", "text") },
			want: "restored a", then: map[string]string{"a": "\x00\xff\x01"},
		},
		"CRLF and a byte order mark": {
			there: map[string]string{"a": "\ufeffone\r\ntwo\r\n"},
			do: func(k *kept) string {
				return k.does(nil, "edit", map[string]any{"file_path": "a", "old_string": "two\n", "new_string": "2\n"})
			},
			want: "restored a", then: map[string]string{"a": "\ufeffone\r\ntwo\r\n"},
		},
		"a name in unicode": {
			there: map[string]string{"ä 文\u202e\n.txt": "old"}, do: func(k *kept) string { return k.write(nil, "ä 文\u202e\n.txt", "new") },
			want: "restored ä 文\u202e\n.txt", then: map[string]string{"ä 文\u202e\n.txt": "old"},
		},
		"an empty file": {
			there: map[string]string{"a": "x", "e": ""}, do: func(k *kept) string {
				k.write(k.turn, "e", "filled")
				return k.write(k.turn, "a", "")
			},
			want: "restored a; restored e", then: map[string]string{"a": "x"},
		},
		"changed since": {
			there: map[string]string{"a": "1", "b": "2"},
			do: func(k *kept) string {
				k.write(k.turn, "a", "x")
				defer k.put("b", "mine")
				return k.write(k.turn, "b", "y")
			},
			want: "refused b: changed since, by something other than these tools; restored a", then: map[string]string{"a": "1", "b": "mine"},
		},
		"removed since": {
			there: map[string]string{"a": "1"},
			do: func(k *kept) string {
				defer os.Remove(k.dir + "/a")
				return k.write(nil, "a", "x")
			},
			want: "refused a: changed since: it was removed by something other than these tools", then: map[string]string{"a": ""},
		},
		"changed in between by something else": {
			there: map[string]string{"a": "1"},
			do: func(k *kept) string {
				k.write(k.turn, "a", "x")
				k.put("a", "mine")
				k.ended(k.p.Start(call.Request{Tool: "core.read", Arguments: arguments(k.t, map[string]any{"file_path": "a"}), Caller: "ann", Within: k.turn}))
				return k.write(k.turn, "a", "y")
			},
			want: "refused a: changed since, by something other than these tools", then: map[string]string{"a": "y"},
		},
		"a link in its place": {
			there: map[string]string{"a": "1", "other": "x"},
			do: func(k *kept) string {
				defer func() {
					if err := errors.Join(os.Remove(k.dir+"/a"), os.Symlink("other", k.dir+"/a")); err != nil {
						k.t.Error(err)
					}
				}()
				return k.write(nil, "a", "x")
			},
			want: "refused a: a symbolic link has come into its way", then: map[string]string{"other": "x"},
		},
		"a directory in its place": {
			do: func(k *kept) string {
				defer func() {
					if err := errors.Join(os.Remove(k.dir+"/a"), os.Mkdir(k.dir+"/a", 0o755)); err != nil {
						k.t.Error(err)
					}
				}()
				return k.write(nil, "a", "x")
			},
			want: "refused a: it is a directory",
		},
		"longer than is kept": {
			there: map[string]string{"a": strings.Repeat("x", 1<<20+1)}, do: func(k *kept) string { return k.write(nil, "a", "short") },
			want: "refused a: what it had is not kept: it has 1048577 bytes, and --changes-file keeps 1MiB", then: map[string]string{"a": "short"},
		},
		"longer afterwards": {
			there: map[string]string{"a": "short"}, do: func(k *kept) string { return k.write(nil, "a", strings.Repeat("x", 1<<20+1)) },
			want: "restored a", then: map[string]string{"a": "short"},
		},
		"taken back already": {
			there: map[string]string{"a": "1"},
			do: func(k *kept) string {
				k.write(k.turn, "a", "x")
				id := k.write(k.turn, "a", "y")
				k.undo(changes.Query{Task: id}, false)
				return id
			},
			want: "unchanged a", then: map[string]string{"a": "1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKept(t, allowAll)
			for name, content := range c.there {
				k.put(name, content)
			}
			id := c.do(k)
			if did, _ := k.undo(changes.Query{Task: id}, true); did != c.want {
				t.Errorf("it would: %q, want %q", did, c.want)
			}
			if did, _ := k.undo(changes.Query{Task: id}, false); did != c.want {
				t.Errorf("%q, want %q", did, c.want)
			}
			for name, want := range c.then {
				k.has(name, want)
			}
		})
	}
}

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
