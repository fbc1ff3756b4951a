package task

import (
	"log/slog"
	"math"
	"time"
)

// Options bound what tasks may cost. The defaults of settings are the
// configuration's: a limit of 0 is none, unless another is named.
type Options struct {
	KeepTasks int           // finished tasks kept
	KeepBytes int64         // content of all finished tasks, bytes
	TaskBytes int64         // artifact content, and history, of one task, bytes
	Window    int           // bytes of events that a subscriber may be behind; 0: 2 MiB
	Stall     time.Duration // longest wait for a subscriber; 0: 250 ms
	// ReplayBytes bounds the events that all tasks keep together for clients that
	// come back, each up to Window; 0: 16 MiB. Those of the oldest finished task
	// go first.
	ReplayBytes int64
	// Store keeps tasks beyond the process, and beyond KeepTasks and KeepBytes,
	// which then bound what is at hand in memory. nil: memory only. A registry
	// with a store is made by OpenRegistry.
	Store Store
	// What the store keeps of finished tasks, the newest one always: so many, so
	// many bytes, and for so long.
	RetainTasks int
	RetainBytes int64
	RetainFor   time.Duration

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

// orNone returns a limit, and for 0 one that nothing reaches.
func orNone[T int | int64](limit T) T {
	if limit <= 0 {
		return T(math.MaxInt)
	}
	return limit
}
