package cli

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// startTime is how long lines of a start are held back: a start that takes longer is
// watched by somebody who wants to know why.
const startTime = 2 * time.Second

// startHold keeps what is logged while the sidecar starts: an error that ends the
// start stands alone, and what was well until then is of no interest.
type startHold struct {
	open  atomic.Bool
	timer *time.Timer

	mu      sync.Mutex
	waiting []heldRecord
}

// heldRecord is a record with the handler that it is for.
type heldRecord struct {
	to     slog.Handler
	record slog.Record
}

// newStartHold begins to hold.
func newStartHold() *startHold {
	h := &startHold{}
	h.timer = time.AfterFunc(startTime, h.release)
	return h
}

// release passes on what was held, and all that comes. A nil hold holds nothing.
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

// drop forgets what is still held.
func (h *startHold) drop() {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer.Stop()
	h.waiting = nil
}

// handler holds what is for to.
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
