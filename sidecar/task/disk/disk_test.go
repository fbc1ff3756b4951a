package disk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/task/disk"
)

// TestWhatIsKept: everything that a change can hold comes back, in this process
// and in the next.
func TestWhatIsKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	s := mustOpen(t, disk.Options{Dir: dir})

	question := &a2a.Message{ID: "q", TaskID: "t", ContextID: "c", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("which? \u2028 \x01 \"é\"")}}
	full := &task.Head{
		ID: "t", Owner: "CN=ann,O=x", ContextID: "c", Turn: 3, Seq: 42, LastEvent: 2,
		Status:   a2a.Status{State: a2a.StateInputRequired, Message: question, Timestamp: when()},
		Metadata: a2a.Metadata{"k": []byte(`{"a":[1,2]}`)},
		Reply:    &a2a.Message{ID: "r", TaskID: "t", ContextID: "c", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.DataPart([]byte(`{"x":1}`))}},
		Push: []task.Push{
			{Config: a2a.PushConfig{ID: "p1", TaskID: "t", URL: "https://h/x", Token: "tok", Scheme: "Bearer", Credentials: "s3", Version: a2a.V03, TraceParent: "00-1"}, Delivered: 7},
			{Config: a2a.PushConfig{ID: "p2", TaskID: "t", URL: "https://h/y"}},
		},
	}
	history := []*a2a.Message{
		{ID: "m1", TaskID: "t", ContextID: "c", Role: a2a.RoleUser, Metadata: a2a.Metadata{"m": []byte(`1`)}, Extensions: []string{"urn:e"}, ReferenceTaskIDs: []string{"o"},
			Parts: []a2a.Part{a2a.TextPart("hi"), {Kind: a2a.PartRaw, Raw: []byte{0, 1, 255}, MediaType: "x/y", Filename: "f"}, {Kind: a2a.PartURL, URL: "https://u"}}},
		{ID: "m2", TaskID: "t", ContextID: "c", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("two")}},
	}
	events := []*task.Stored{
		{Event: &a2a.Event{ID: 1, Artifact: &a2a.ArtifactUpdate{TaskID: "t", ContextID: "c", LastChunk: true, Append: true, Metadata: a2a.Metadata{"u": []byte(`"v"`)},
			Artifact: a2a.Artifact{ID: "a", Name: "n", Description: "d", Extensions: []string{"urn:x"}, Metadata: a2a.Metadata{"z": []byte(`null`)}, Parts: []a2a.Part{a2a.TextPart("one")}}}}, Cont: true},
		{Event: &a2a.Event{ID: 2, Status: &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: full.Status, Metadata: a2a.Metadata{"s": []byte(`true`)}}}},
	}
	s.Append(t.Context(), &task.Change{TaskID: "t", Head: full, Messages: history[:1], Event: events[0]})
	mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "t", Messages: history[1:], Event: events[1]}))

	check := func(s *disk.Store) {
		t.Helper()
		got := load(t, s, "t")
		if got.Bytes < 500 || got.Bytes > 4000 {
			t.Errorf("it takes %d bytes, says the store", got.Bytes)
		}
		got.Record.Head.Bytes = 0
		want := &task.Record{Head: *full, History: []a2a.Message{*history[0], *history[1]}}
		if diff := cmp.Diff(want, got.Record); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(events, got.events, cmpopts.IgnoreUnexported(a2a.Event{})); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		heads, err := s.Heads()
		if err != nil || len(heads) != 1 {
			t.Fatalf("%d heads, %v", len(heads), err)
		}
		heads[0].Bytes = 0
		if diff := cmp.Diff(*full, heads[0]); diff != "" {
			t.Errorf("head (-want +got):\n%s", diff)
		}
	}
	check(s)
	mustClose(t, s)
	check(mustOpen(t, disk.Options{Dir: dir}))

	for path, want := range map[string]fs.FileMode{dir: 0o700, dbFile(dir): 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
}

// TestDeepValues: what an agent says may be as deep as JSON goes, and deeper
// with all that is around it. Neither a task nor the whole file becomes
// unreadable by it.
func TestDeepValues(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, disk.Options{Dir: dir})
	deep := []byte(strings.Repeat("[", 9_996) + strings.Repeat("]", 9_996))
	said := &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.DataPart(deep)}, Metadata: a2a.Metadata{"k": deep}}
	h := head("a", 1, a2a.StateFailed)
	h.Status.Message, h.Reply, h.Metadata = said, said, a2a.Metadata{"k": deep}
	e := chunk("a", 1, "")
	e.Artifact.Artifact.Parts = said.Parts
	mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "a", Head: h, Messages: []*a2a.Message{said}, Event: e}))
	mustClose(t, s)
	s = mustOpen(t, disk.Options{Dir: dir})
	if got := ids(t, s); len(got) != 1 {
		t.Errorf("%d tasks", len(got))
	}
	if got := load(t, s, "a"); len(got.events) != 1 || !strings.Contains(string(got.History[0].Parts[0].Data), string(deep)) {
		t.Errorf("%d events, %.100s", len(got.events), got.History[0].Parts[0].Data)
	}
}

// TestHeadsFollowTheirTasks: the newest head counts, an event without one moves
// LastEvent, and the order is that of the newest statuses.
func TestHeadsFollowTheirTasks(t *testing.T) {
	s := mustOpen(t, disk.Options{Dir: t.TempDir()})
	s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 1, a2a.StateSubmitted)})
	s.Append(t.Context(), &task.Change{TaskID: "b", Head: head("b", 2, a2a.StateSubmitted)})
	mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 3, a2a.StateWorking), Event: chunk("a", 1, "x")}))
	before := load(t, s, "a")
	mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "a", Event: chunk("a", 2, "yy")}))
	if got := ids(t, s); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("heads in order %v", got)
	}
	after := load(t, s, "a")
	if after.Status.State != a2a.StateWorking || after.LastEvent != 2 || after.Bytes <= before.Bytes {
		t.Errorf("state %s, last event %d, %d bytes after %d", after.Status.State, after.LastEvent, after.Bytes, before.Bytes)
	}
	if got := after.text(t); got != "xyy" {
		t.Errorf("the chunks are %q", got)
	}
}

// TestEvents: the ones after a place, in order, about as many bytes as asked
// for.
func TestEvents(t *testing.T) {
	s := mustOpen(t, disk.Options{Dir: t.TempDir()})
	s.Append(t.Context(), &task.Change{TaskID: "other", Head: head("other", 1, a2a.StateWorking), Event: chunk("other", 1, "no")})
	c := s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 2, a2a.StateWorking)})
	for i := range 100 {
		c = s.Append(t.Context(), &task.Change{TaskID: "a", Event: chunk("a", uint64(i+1), strings.Repeat("x", 1000))})
	}
	s.Append(t.Context(), &task.Change{TaskID: "next", Head: head("next", 3, a2a.StateWorking), Event: chunk("next", 1, "no")})
	mustWait(t, c)

	after, calls := uint64(10), 0
	for ; ; calls++ {
		events, err := s.Events("a", after, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			break
		}
		if len(events) > 10 {
			t.Fatalf("%d events of 1 KB in 10 KB", len(events))
		}
		for _, e := range events {
			if after++; e.ID != after {
				t.Fatalf("event %d instead of %d", e.ID, after)
			}
		}
	}
	if after != 100 || calls < 10 {
		t.Errorf("the last event was %d, after %d calls", after, calls)
	}
	if events, err := s.Events("a", 50, 1); err != nil || len(events) != 1 || events[0].ID != 51 {
		t.Errorf("within one byte: %d events, %v", len(events), err)
	}
	if _, err := s.Events("nobody", 0, 1000); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("of no task: %v", err)
	}
}

// TestLoadIsOfOneMoment: it sees nothing that came after it began, and stops when
// it is told to.
func TestLoadIsOfOneMoment(t *testing.T) {
	s := mustOpen(t, disk.Options{Dir: t.TempDir()})
	c := s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 2, a2a.StateWorking)})
	const n = 300
	for i := range n {
		c = s.Append(t.Context(), &task.Change{TaskID: "a", Event: chunk("a", uint64(i+1), strings.Repeat("x", 10_000))})
	}
	mustWait(t, c)
	var seen uint64
	record, err := s.Load("a", 1<<30, func(e *task.Stored) bool {
		if e.ID == 1 { // the store can be written while it is read
			mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "a", Event: chunk("a", n+1, "late"), Messages: []*a2a.Message{message("a", "late")}}))
		}
		seen = e.ID
		return true
	})
	if err != nil || seen != n || record.LastEvent != n || len(record.History) != 0 {
		t.Errorf("read to event %d, head to %d, %d messages, %v", seen, record.LastEvent, len(record.History), err)
	}
	calls := 0
	if _, err := s.Load("a", 1<<30, func(*task.Stored) bool { calls++; return calls < 3 }); err != nil || calls != 3 {
		t.Errorf("%d calls, %v", calls, err)
	}
}

// TestNothingIsSeenBeforeItIsDurable: a change in the queue is not read, not
// even that the task exists.
func TestNothingIsSeenBeforeItIsDurable(t *testing.T) {
	s := mustOpen(t, disk.Options{Dir: t.TempDir()})
	if err := s.SetMaxSize(1); err != nil {
		t.Fatal(err)
	}
	var c task.Commit
	for i := range 100 { // more than the free pages of a new file take
		c = s.Append(t.Context(), &task.Change{TaskID: name(i), Head: head(name(i), 1, a2a.StateWorking), Event: chunk(name(i), 1, strings.Repeat("x", 5000))})
	}
	if err := c.Wait(t.Context()); err == nil || c.Done() {
		t.Fatalf("written to a full disk: %v, %v", err, c.Done())
	}
	if _, err := s.Load(name(99), 1<<30, func(*task.Stored) bool { return true }); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("load: %v", err)
	}
	if _, err := s.Events(name(99), 0, 1000); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("events: %v", err)
	}
}

// TestWrittenByItself: what nobody waits for is durable soon.
func TestWrittenByItself(t *testing.T) {
	s := mustOpen(t, disk.Options{Dir: t.TempDir()})
	begin := time.Now()
	c := s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 1, a2a.StateWorking)})
	await.True(t, "the change is durable", c.Done)
	t.Logf("durable after %v", time.Since(begin))
	s.Forget("a")
	if got := s.Stats().Commits; got != 1 {
		t.Fatalf("%d commits of one change", got)
	}
	await.True(t, "the task is gone", func() bool { return s.Stats().Commits == 2 })
	if got := ids(t, s); len(got) != 0 {
		t.Errorf("forgotten, and kept: %v", got)
	}
}

// TestTogether: what comes together is written together, in order, and who
// comes alone does not wait for company.
func TestTogether(t *testing.T) {
	s := mustOpen(t, disk.Options{Dir: t.TempDir()})
	const writers, each = 64, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			id := name(w)
			mustWait(t, s.Append(t.Context(), &task.Change{TaskID: id, Head: head(id, uint64(w+1), a2a.StateWorking)}))
			for i := range each {
				mustWait(t, s.Append(t.Context(), &task.Change{TaskID: id, Event: chunk(id, uint64(i+1), fmt.Sprint(i, ";")), Messages: []*a2a.Message{message(id, fmt.Sprint(i))}}))
			}
		})
	}
	wg.Wait()
	stats := s.Stats()
	t.Logf("%d changes in %d commits", stats.Changes, stats.Commits)
	if stats.Changes != writers*(each+1) || stats.Commits > stats.Changes/4 {
		t.Errorf("%d changes in %d commits", stats.Changes, stats.Commits)
	}
	if stats.Queued != 0 {
		t.Errorf("%d bytes are queued, and nothing waits", stats.Queued)
	}
	var want strings.Builder
	for i := range each {
		fmt.Fprint(&want, i, ";")
	}
	for w := range writers {
		got := load(t, s, name(w))
		if text := got.text(t); text != want.String() {
			t.Fatalf("%s has %q", name(w), text)
		}
		for i, m := range got.History {
			if m.Parts[0].Text != fmt.Sprint(i) {
				t.Fatalf("message %d of %s is %q", i, name(w), m.Parts[0].Text)
			}
		}
		if len(got.History) != each {
			t.Fatalf("%s has %d messages", name(w), len(got.History))
		}
	}

	before := s.Stats().Commits
	for i := range 20 {
		mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "lone", Head: head("lone", uint64(100+i), a2a.StateWorking)}))
	}
	if got := s.Stats().Commits - before; got != 20 {
		t.Errorf("a lone writer's 20 changes took %d commits", got)
	}
}

// TestForget: a forgotten task is gone at once and for good, its rows too, and
// later changes of it do not bring it back.
func TestForget(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, disk.Options{Dir: dir})
	var c task.Commit
	for i := range 10 {
		id := name(i)
		c = s.Append(t.Context(), &task.Change{TaskID: id, Head: head(id, uint64(i+1), a2a.StateCompleted), Messages: []*a2a.Message{message(id, "hi")}})
		for e := range 1000 {
			c = s.Append(t.Context(), &task.Change{TaskID: id, Event: chunk(id, uint64(e+1), "x")})
		}
	}
	mustWait(t, c)
	s.Forget(name(0), name(1), name(2), name(3), name(4), name(5), name(6), "unknown")
	if _, err := s.Load(name(0), 1<<30, func(*task.Stored) bool { return true }); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("load of a forgotten task: %v", err)
	}
	late := s.Append(t.Context(), &task.Change{TaskID: name(0), Event: chunk(name(0), 1001, "late")})
	mustWait(t, late)
	mustClose(t, s) // long before all rows are cleared away

	s = mustOpen(t, disk.Options{Dir: dir})
	if got, want := ids(t, s), []string{name(7), name(8), name(9)}; !slices.Equal(got, want) {
		t.Errorf("kept: %v, want %v", got, want)
	}
	for i := 7; i < 10; i++ {
		if got := load(t, s, name(i)); len(got.text(t)) != 1000 || len(got.History) != 1 {
			t.Errorf("%s has %d events and %d messages", name(i), len(got.events), len(got.History))
		}
	}
	await.True(t, "the rows are cleared away", func() bool { return disk.Rows(s) == 3*1001 })
}

// TestTaskMadeAndForgottenAtOnce leaves nothing.
func TestTaskMadeAndForgottenAtOnce(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, disk.Options{Dir: dir})
	c := s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 1, a2a.StateWorking), Event: chunk("a", 1, "x"), Messages: []*a2a.Message{message("a", "m")}})
	s.Forget("a")
	mustWait(t, c)
	mustClose(t, s)
	s = mustOpen(t, disk.Options{Dir: dir})
	if got := ids(t, s); len(got) != 0 || disk.Rows(s) != 0 {
		t.Errorf("left: %v, %d rows", got, disk.Rows(s))
	}
}

// TestClose writes what waits; what comes later is told so.
func TestClose(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, disk.Options{Dir: dir})
	c := s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 1, a2a.StateWorking)})
	mustClose(t, s)
	mustClose(t, s)
	if !c.Done() {
		t.Error("closed with a change in the queue")
	}
	if err := s.Append(t.Context(), &task.Change{TaskID: "b", Head: head("b", 1, a2a.StateWorking)}).Wait(t.Context()); !errors.Is(err, disk.ErrClosed) {
		t.Errorf("append after Close: %v", err)
	}
	if got := ids(t, mustOpen(t, disk.Options{Dir: dir})); !slices.Equal(got, []string{"a"}) {
		t.Errorf("kept: %v", got)
	}
}

// TestLoadBoundsTheHistory: the newest messages are read, and one in any case.
func TestLoadBoundsTheHistory(t *testing.T) {
	s := mustOpen(t, disk.Options{Dir: t.TempDir()})
	s.Append(t.Context(), &task.Change{TaskID: "a", Head: head("a", 1, a2a.StateWorking)})
	for range 50 {
		s.Append(t.Context(), &task.Change{TaskID: "a", Messages: []*a2a.Message{message("a", strings.Repeat("x", 1000))}})
	}
	mustWait(t, s.Append(t.Context(), &task.Change{TaskID: "a", Messages: []*a2a.Message{message("a", "last")}}))
	for _, want := range []struct {
		bytes            int64
		fewest, mostKept int
	}{{0, 1, 1}, {10_000, 5, 10}, {1 << 20, 51, 51}} {
		r, err := s.Load("a", want.bytes, nil)
		if n := len(r.History); err != nil || n < want.fewest || n > want.mostKept || r.Dropped != 51-n || r.History[n-1].Parts[0].Text != "last" {
			t.Errorf("%d bytes: %d messages, %d dropped, %v", want.bytes, n, r.Dropped, err)
		}
	}
}
