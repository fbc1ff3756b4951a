package cli

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// startTime is how long lines of a start are held back: somebody who watches a longer
// start wants to know why it takes so long.
const startTime = 2 * time.Second

// startHold keeps what is logged while the sidecar starts, so that an error that ends
// the start stands alone: what worked until then is of no interest.
type startHold struct {
	open  atomic.Bool
	timer *time.Timer

	mu      sync.Mutex
	waiting []heldRecord
}

// heldRecord is a record with its handler.
type heldRecord struct {
	to     slog.Handler
	record slog.Record
}

// newStartHold returns a hold that is active.
func newStartHold() *startHold {
	h := &startHold{}
	h.timer = time.AfterFunc(startTime, h.release)
	return h
}

// release passes on what was held, and from now on everything at once. A nil hold
// holds nothing.
func (h *startHold) release() {
	if h == nil {
		return
	}
	h.timer.Stop()
	for {
		h.mu.Lock()
		waiting := h.waiting
		h.waiting = nil
		h.open.Store(h.open.Load() || len(waiting) == 0)
		h.mu.Unlock()
		if len(waiting) == 0 {
			return
		}
		for _, w := range waiting {
			_ = w.to.Handle(context.Background(), w.record) // as slog does
		}
	}
}

// drop discards what is still held.
func (h *startHold) drop() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer.Stop()
	h.waiting = nil
}

// handler returns a handler that holds records for to.
func (h *startHold) handler(to slog.Handler) slog.Handler { return startHandler{to, h} }

type startHandler struct {
	slog.Handler
	hold *startHold
}

func (s startHandler) Handle(ctx context.Context, r slog.Record) error {
	if s.hold.open.Load() || r.Level >= slog.LevelError || !s.hold.keep(heldRecord{s.Handler, r.Clone()}) {
		return s.Handler.Handle(ctx, r)
	}
	return nil
}

// keep reports whether the record is held.
func (h *startHold) keep(r heldRecord) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open.Load() {
		return false
	}
	h.waiting = append(h.waiting, r)
	return true
}

func (s startHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return startHandler{s.Handler.WithAttrs(attrs), s.hold}
}

func (s startHandler) WithGroup(name string) slog.Handler {
	return startHandler{s.Handler.WithGroup(name), s.hold}
}
