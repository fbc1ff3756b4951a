package task_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// errDisk is what a fake store that fails says.
var errDisk = errors.New("no space left on device")

// fakeStore is a task.Store in memory. What is appended is durable after 50 ms,
// or when somebody waits for it; or, while it is held, when it is let go. A
// crash loses what is not durable.
type fakeStore struct {
	mu      sync.Mutex
	pending []*fakeCommit
	kept    map[string]*fakeTask
	held    chan struct{} // nil: it is not
	fault   error
	writes  int // groups that were made durable
	bytes   int // of events that were read
}

type fakeTask struct {
	head     task.Head
	messages [][]byte
	events   []fakeEvent
}

type fakeEvent struct {
	id   uint64
	cont bool
	raw  []byte
}

// fakeCommit is one change on its way. What it holds is encoded at once, as a
// real store does: nobody may change it later.
type fakeCommit struct {
	s        *fakeStore
	id       string
	head     *task.Head
	messages [][]byte
	event    *fakeEvent
	forget   bool
	done     chan struct{}
}

var (
	_ task.Store  = (*fakeStore)(nil)
	_ task.Commit = (*fakeCommit)(nil)
)

func newFakeStore() *fakeStore { return &fakeStore{kept: make(map[string]*fakeTask)} }

// hold keeps what comes from being durable until let is called.
func (s *fakeStore) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = make(chan struct{})
}

func (s *fakeStore) let() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != nil {
		close(s.held)
		s.held = nil
	}
	s.write()
}

// fail makes the store unable to write, nil able again.
func (s *fakeStore) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = err
	s.write()
}

// crash returns the store as it is found after a crash.
func (s *fakeStore) crash() *fakeStore {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := newFakeStore()
	for id, k := range s.kept {
		copied := *k
		c.kept[id] = &copied
	}
	return c
}

func (s *fakeStore) Append(_ context.Context, c *task.Change) task.Commit {
	k := &fakeCommit{s: s, id: c.TaskID, done: make(chan struct{})}
	if c.Head != nil {
		h := *c.Head
		h.Push = slices.Clone(h.Push)
		k.head = &h
	}
	for _, m := range c.Messages {
		k.messages = append(k.messages, codec.EncodeMessage(nil, m))
	}
	if c.Event != nil {
		k.event = &fakeEvent{c.Event.ID, c.Event.Cont, slices.Clone(codec.EncodeEvent(c.Event.Event, a2a.V10))}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, k)
	if len(s.pending) == 1 {
		time.AfterFunc(50*time.Millisecond, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.write()
		})
	}
	return k
}

func (s *fakeStore) Forget(ids ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		s.pending = append(s.pending, &fakeCommit{s: s, id: id, forget: true, done: make(chan struct{})})
	}
	s.write()
}

// write makes all that is pending durable, if it can. mu is held.
func (s *fakeStore) write() {
	if s.held != nil || s.fault != nil || len(s.pending) == 0 {
		return
	}
	s.writes++
	for _, c := range s.pending {
		close(c.done)
		if c.forget {
			delete(s.kept, c.id)
			continue
		}
		k := s.kept[c.id]
		if k == nil {
			if c.head == nil {
				continue // of a task that was forgotten
			}
			k = &fakeTask{}
			s.kept[c.id] = k
		}
		if c.head != nil {
			last := k.head.LastEvent
			k.head = *c.head
			k.head.LastEvent = max(last, k.head.LastEvent)
		}
		k.messages = append(k.messages, c.messages...)
		if c.event != nil {
			k.events = append(k.events, *c.event)
			k.head.LastEvent = c.event.id
			k.head.Bytes += int64(len(c.event.raw))
		}
	}
	s.pending = nil
}

func (c *fakeCommit) Done() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func (c *fakeCommit) Wait(ctx context.Context) error {
	for {
		c.s.mu.Lock()
		c.s.write()
		held, fault := c.s.held, c.s.fault
		c.s.mu.Unlock()
		switch {
		case c.Done():
			return nil
		case fault != nil:
			return fault
		}
		select {
		case <-held:
		case <-c.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (s *fakeStore) Heads() ([]task.Head, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var heads []task.Head
	for _, k := range s.kept {
		heads = append(heads, k.head)
	}
	slices.SortFunc(heads, func(a, b task.Head) int { return cmp.Compare(a.Seq, b.Seq) })
	return heads, nil
}

func (s *fakeStore) Load(id string, history int64, each func(*task.Stored) bool) (*task.Record, error) {
	s.mu.Lock()
	k, ok := s.kept[id]
	if !ok {
		s.mu.Unlock()
		return nil, a2a.ErrTaskNotFound
	}
	copied := *k
	s.mu.Unlock()
	r := &task.Record{Head: copied.head}
	for _, raw := range copied.messages {
		m, err := codec.DecodeMessage(raw)
		if err != nil {
			return nil, err
		}
		r.History = append(r.History, *m)
		if history -= int64(len(raw)); history < 0 && len(r.History) > 1 {
			r.History = r.History[1:] // roughly
			r.Dropped++
		}
	}
	for _, e := range copied.events {
		if each == nil {
			break
		}
		event, err := e.decode()
		if err != nil {
			return nil, err
		}
		if !each(&task.Stored{Event: event, Cont: e.cont}) {
			break
		}
	}
	return r, nil
}

func (e *fakeEvent) decode() (*a2a.Event, error) {
	event, err := codec.DecodeEvent(e.raw)
	if err == nil {
		event.ID = e.id
	}
	return event, err
}

func (s *fakeStore) Events(id string, after uint64, limit int) (events []*a2a.Event, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := s.kept[id]
	if !ok {
		return nil, a2a.ErrTaskNotFound
	}
	for _, e := range k.events {
		if e.id <= after {
			continue
		}
		if len(events) > 0 && limit < len(e.raw) {
			break
		}
		limit -= len(e.raw)
		s.bytes += len(e.raw)
		event, err := e.decode()
		if err != nil {
			return nil, err
		}
		events = append(events, event)
	}
	return events, nil
}

func (s *fakeStore) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// wrote returns how many groups have become durable.
func (s *fakeStore) wrote() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writes
}

// lose drops a stored event, as a store does that fails and is full.
func (s *fakeStore) lose(id string, event uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kept[id]
	k.events = slices.DeleteFunc(slices.Clone(k.events), func(e fakeEvent) bool { return e.id == event })
}

// open returns a registry over a store.
func open(t testing.TB, s *fakeStore, o task.Options) *task.Registry {
	t.Helper()
	o.Store = s
	r, err := task.OpenRegistry(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

func show(t testing.TB, k *task.Task) *a2a.Task {
	t.Helper()
	s, err := k.Show(t.Context(), nil, true)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func get(t testing.TB, r *task.Registry, id string) *task.Task {
	t.Helper()
	k, err := r.Get("", id)
	if err != nil {
		t.Fatal(err)
	}
	return k
}
