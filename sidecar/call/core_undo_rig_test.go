package call_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
