package task

import (
	"log/slog"
	"math"
	"time"
)

// Options bound what tasks may cost. The defaults of the settings are in the
// configuration. A limit of 0 means no limit, unless the field names another
// default.
type Options struct {
	KeepTasks int           // how many finished tasks are kept
	KeepBytes int64         // how many bytes of content of all finished tasks are kept
	TaskBytes int64         // how many bytes of artifact content, and of history, one task keeps
	Window    int           // how many bytes of events a subscriber may be behind; 0: 2 MiB
	Stall     time.Duration // the longest wait for a subscriber; 0: 250 ms
	// ReplayBytes bounds the events that all tasks together keep for clients that
	// come back, each task up to Window; 0: 16 MiB. The events of the oldest
	// finished task are dropped first.
	ReplayBytes int64
	// Store keeps tasks after the process ends, and beyond KeepTasks and KeepBytes,
	// which then bound what is held in memory. nil: memory only. OpenRegistry makes
	// a registry with a store.
	Store Store
	// RetainTasks, RetainBytes and RetainFor bound the finished tasks that the store
	// keeps: how many, how many bytes, and for how long. The newest one is always
	// kept.
	RetainTasks int
	RetainBytes int64
	RetainFor   time.Duration

	// Gone is told the ids of finished tasks that leave memory, evicted or forgotten. It is
	// called without a lock held, and must not block. nil: it is not called.
	Gone func(ids ...string)
	// ContextGone is told of each context whose last task was forgotten, and whose it was: Claim gives its ID to
	// any owner from then on. It is called without a lock held, and must not block. nil: it is not called.
	ContextGone func(owner, contextID string)

	Observer Observer     // nil for none
	Log      *slog.Logger // what was restored and outages of the store; evictions and cut-off subscribers at debug; nil for none
}

// withDefaults fills in the zero fields.
func (o Options) withDefaults() Options {
	o.KeepTasks, o.RetainTasks = orNone(o.KeepTasks), orNone(o.RetainTasks)
	o.KeepBytes, o.TaskBytes, o.RetainBytes = orNone(o.KeepBytes), orNone(o.TaskBytes), orNone(o.RetainBytes)
	if o.Window <= 0 {
		o.Window = 2 << 20
	}
	if o.Stall <= 0 {
		o.Stall = 250 * time.Millisecond
	}
	if o.ReplayBytes <= 0 {
		o.ReplayBytes = 16 << 20
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// orNone returns the limit, or for 0 a limit that nothing reaches.
func orNone[T int | int64](limit T) T {
	if limit <= 0 {
		return T(math.MaxInt)
	}
	return limit
}
