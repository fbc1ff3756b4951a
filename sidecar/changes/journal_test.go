package changes_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("TEST_KILLED_IN"); dir != "" {
		killed(dir)
	}
	os.Exit(m.Run())
}

func open(t testing.TB, o changes.Options) *changes.Journal {
	t.Helper()
	if o.Total == 0 {
		o.Total = 1 << 20
	}
	if o.File == 0 {
		o.File = 1 << 20
	}
	j, err := changes.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func by(tasks ...string) changes.By {
	return changes.By{Tasks: tasks, Context: "c", Owner: "ann", Tool: "core.write", Call: "call of " + tasks[0]}
}

// state returns the state of a content, "-" for nothing.
func state(content string) tool.FileState {
	if content == "-" {
		return tool.FileState{Absent: true}
	}
	return tool.FileState{SHA256: tool.Hash([]byte(content)), Size: int64(len(content)), Mode: 0o644}
}

func change(path, before, after string) *changes.File {
	f := &changes.File{Path: path, Before: state(before), After: state(after)}
	if before != "-" {
		f.Old = []byte(before)
	}
	if after != "-" {
		f.New = []byte(after)
	}
	return f
}

func record(t testing.TB, j *changes.Journal, by changes.By, f *changes.File) uint64 {
	t.Helper()
	seq, err := j.Record(by, f)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

var plainly = changes.Show{Name: filepath.Base, Clean: func(s string) string { return s }}

// listed is the changes of ann, in short.
func listed(j *changes.Journal, q changes.Query) (all []string) {
	q.Owner = "ann"
	for _, task := range j.List(q, plainly).Tasks {
		for _, f := range task.Files {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %s +%d-%d %s", task.ID, f.Change, filepath.Base(f.Path), f.Added, f.Removed, f.Note)))
		}
	}
	return all
}

// step says what is done with a file of a task that has this content now.
func step(t testing.TB, j *changes.Journal, q changes.Query, path, now string) tool.UndoStep {
	t.Helper()
	q.Owner = "ann"
	p, err := j.Plan(q, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Step(path, state(now))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestList(t *testing.T) {
	for name, dir := range map[string]string{"memory": "", "disk": filepath.Join(t.TempDir(), "x", "changes")} {
		t.Run(name, func(t *testing.T) {
			j := open(t, changes.Options{Dir: dir, File: 100})
			record(t, j, by("call 1", "turn 1"), change("/w/new", "-", "one\ntwo\n"))
			record(t, j, by("call 2", "turn 1"), change("/w/new", "one\ntwo\n", "one\n2\n"))
			record(t, j, by("call 3", "turn 2"), change("/w/gone", "x\n", "-"))
			record(t, j, by("call 4", "turn 1"), change("/w/bytes", "\x00", "\x01"))
			record(t, j, by("call 5", "turn 1"), change("/w/empty", "-", ""))
			record(t, j, by("call 6", "turn 1"), change("/w/new", "something else\n", "one\n"))
			f := change("/w/long", "a", "b")
			f.New, f.NoNew = nil, "it is long"
			record(t, j, by("call 7", "turn 1"), f)
			other := by("call 8", "turn 1")
			other.Owner = "bob"
			record(t, j, other, change("/w/bobs", "-", "secret"))
			record(t, j, by("call 9", "turn 3"), change("/w/back", "a", "b"))
			record(t, j, by("call 9", "turn 3"), change("/w/back", "b", "a"))
			want := []string{
				"turn 2 removed gone +0-1", "turn 1 created new +2-0", "turn 1 changed bytes +0-0 it is no text", "turn 1 created empty +0-0 it is empty",
				"turn 1 changed new +1-1", "turn 1 changed long +0-0 its content is not kept: it is long", "turn 3 none back +0-0 it is as it was",
			}
			if got := listed(j, changes.Query{}); !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
			if got := listed(j, changes.Query{Task: "call 2"}); !slices.Equal(got, []string{"call 2 changed new +1-1"}) {
				t.Errorf("%q", got)
			}
			if got := listed(j, changes.Query{Context: "none"}); got != nil {
				t.Errorf("%q", got)
			}
			if d := j.List(changes.Query{Owner: "ann", Task: "call 2"}, plainly); d.Tasks[0].Files[0].Diff != "--- a/new\n+++ b/new\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n" || d.Kept != name {
				t.Errorf("%+v", d)
			}
		})
	}
}

// What is taken out of what tools say is not in a difference either.
func TestListIsClean(t *testing.T) {
	j := open(t, changes.Options{})
	record(t, j, by("t"), change("/w/a\x1b[2J", "key=one\n", "key=two\nmore\n"))
	show := changes.Show{Name: filepath.Base, Clean: func(s string) string { return strings.NewReplacer("one", "***", "two", "***").Replace(s) }}
	d := j.List(changes.Query{Owner: "ann"}, show)
	if diff := d.Tasks[0].Files[0].Diff; strings.Contains(diff, "two") || !strings.Contains(diff, "+more\n") || strings.Contains(diff, "\x1b") {
		t.Errorf("%q", diff)
	}
}

// The commands of a task are known once, also after a restart.
func TestRan(t *testing.T) {
	o := changes.Options{Dir: filepath.Join(t.TempDir(), "changes")}
	j := open(t, o)
	for range 3 {
		if err := j.Ran(by("call", "turn")); err != nil {
			t.Fatal(err)
		}
	}
	if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 1 {
		t.Fatal(entries, err)
	}
	if d := open(t, o).List(changes.Query{Owner: "ann"}, plainly); len(d.Tasks) != 1 || !d.Tasks[0].Commands || d.Tasks[0].ID != "turn" || len(d.Tasks[0].Files) != 0 {
		t.Errorf("%+v", d)
	}
}

// The oldest make room; what goes back further than what is kept is refused.
func TestTotal(t *testing.T) {
	o := changes.Options{Dir: filepath.Join(t.TempDir(), "changes"), Total: 3 * 4 << 10}
	j := open(t, o)
	for n := range 5 {
		record(t, j, by("t"), change("/w/a", fmt.Sprint(n), fmt.Sprint(n+1)))
	}
	for _, j := range []*changes.Journal{j, open(t, o)} {
		if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 3 {
			t.Fatal(entries, err)
		}
		if s := step(t, j, changes.Query{Task: "t"}, "/w/a", "5"); !strings.Contains(s.Refused, "older changes were forgotten (--changes-total)") {
			t.Errorf("%+v", s)
		}
		if s := step(t, j, changes.Query{Call: "call of t"}, "/w/a", "5"); string(s.Content) != "2" {
			t.Errorf("%+v", s)
		}
	}
	o.Total = 4 << 10
	if j := open(t, o); len(listed(j, changes.Query{})) != 1 {
		t.Error("a smaller total")
	}
}

// A change that is more than all may be is kept without its contents.
func TestMoreThanTheTotal(t *testing.T) {
	j := open(t, changes.Options{Total: 8 << 10})
	record(t, j, by("t"), change("/w/a", strings.Repeat("x", 5<<10), strings.Repeat("y", 5<<10)))
	if got := listed(j, changes.Query{}); len(got) != 1 || !strings.Contains(got[0], "more than --changes-total, 8192 bytes") {
		t.Error(got)
	}
	if s := step(t, j, changes.Query{Task: "t"}, "/w/a", strings.Repeat("y", 5<<10)); !strings.HasPrefix(s.Refused, "what it had is not kept") {
		t.Errorf("%+v", s)
	}
	if _, err := changes.Open(changes.Options{}); err == nil {
		t.Error("a journal of 0 bytes")
	}
}

// A record that was not written whole, or that somebody has changed, is removed; the others are kept, for our user only.
func TestDamage(t *testing.T) {
	o := changes.Options{Dir: filepath.Join(t.TempDir(), "changes")}
	j := open(t, o)
	for _, name := range []string{"a", "b", "c", "d"} {
		record(t, j, by(name), change("/w/"+name, "-", "content of "+name))
	}
	at := func(seq int) string { return filepath.Join(o.Dir, fmt.Sprintf("%016x.change", seq)) }
	whole, err := os.ReadFile(at(2))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(at(1), []byte("{"), 0o600), os.WriteFile(at(2), []byte(strings.Replace(string(whole), "content of", "something.", 1)), 0o600),
		os.WriteFile(at(3), whole, 0o600), os.WriteFile(at(5)+".part", whole[:10], 0o600), os.WriteFile(o.Dir+"/else", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	j = open(t, o)
	if got := listed(j, changes.Query{}); !slices.Equal(got, []string{"d created d +1-0"}) {
		t.Error(got)
	}
	record(t, j, by("e"), change("/w/e", "-", "e"))
	for _, name := range []string{o.Dir, at(4), at(5)} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{at(1), at(2), at(3), at(5) + ".part"} {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A change that was not made is forgotten, and the one before it counts as the earlier one.
func TestForget(t *testing.T) {
	j := open(t, changes.Options{})
	record(t, j, by("t"), change("/w/a", "0", "1"))
	j.Forget(record(t, j, by("t"), change("/w/a", "1", "never")))
	record(t, j, by("t"), change("/w/a", "1", "2"))
	if got := listed(j, changes.Query{}); !slices.Equal(got, []string{"t changed a +1-1"}) {
		t.Error(got)
	}
	if s := step(t, j, changes.Query{Task: "t"}, "/w/a", "2"); string(s.Content) != "0" {
		t.Errorf("%+v", s)
	}
}
