package a2atest

import (
	"context"
	"slices"
	"sync"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Numbered is an agent with one task of numbered events, which goes on after any of
// them.
type Numbered struct {
	*Fake
	events []*a2a.Event

	mu    sync.Mutex
	asked []uint64
}

// NewNumbered returns a Numbered whose task has five events.
func NewNumbered() *Numbered {
	l := &Numbered{Fake: NewFake()}
	for i, text := range []string{"one", "two", "three"} {
		e := Chunk(text, i > 0, false)
		e.ID = uint64(i + 2)
		l.events = append(l.events, e)
	}
	last := Update(a2a.StateCompleted)
	last.ID = 5
	l.events = append(l.events, last)
	l.Open = func() a2a.Stream { return &Scripted{Events: append([]*a2a.Event{l.snapshot()}, l.events...)} }
	return l
}

func (l *Numbered) snapshot() *a2a.Event {
	t, _ := l.GetTask(context.Background(), &a2a.GetRequest{ID: "working"})
	return &a2a.Event{ID: 1, Task: t}
}

func (l *Numbered) SubscribeTask(ctx context.Context, r *a2a.SubscribeRequest) (a2a.Stream, error) {
	l.mu.Lock()
	l.asked = append(l.asked, r.After)
	l.mu.Unlock()
	if r.After == 0 {
		return l.Open(), nil
	}
	rest := slices.Clone(l.events)
	rest = slices.DeleteFunc(rest, func(e *a2a.Event) bool { return e.ID <= r.After })
	return &Scripted{Events: rest}, nil
}

// LastAsked is the event after which a stream was last asked for.
func (l *Numbered) LastAsked() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked[len(l.asked)-1]
}
