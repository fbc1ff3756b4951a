package task

import (
	"log/slog"
	"time"
)

// Options bound what tasks may cost. A zero field means the default.
type Options struct {
	KeepTasks int           // finished tasks kept; 1000
	KeepBytes int64         // content of all finished tasks, bytes; 64 MiB
	TaskBytes int64         // artifact content, and history, of one task, bytes; 8 MiB
	Window    int           // bytes of events that a subscriber may be behind; 2 MiB
	Stall     time.Duration // longest wait for a subscriber; 250 ms
	// ReplayBytes bounds the events that all tasks keep together for clients that
	// come back, each up to Window; 16 MiB. Those of the oldest finished task go
	// first.
	ReplayBytes int64
	// Store keeps tasks beyond the process, and beyond KeepTasks and KeepBytes,
	// which then bound what is at hand in memory. nil: memory only. A registry
	// with a store is made by OpenRegistry.
	Store Store
	// What the store keeps of finished tasks, the newest one always: so many
	// (10000), so many bytes (1 GiB), and for so long (0: no limit).
	RetainTasks int
	RetainBytes int64
	RetainFor   time.Duration

	Observer Observer     // nil for none
	Log      *slog.Logger // what was restored and outages of the store; evictions and cut-off subscribers at debug; nil for none
}

// withDefaults fills in the zero fields.
func (o Options) withDefaults() Options {
	if o.KeepTasks <= 0 {
		o.KeepTasks = 1000
	}
	if o.KeepBytes <= 0 {
		o.KeepBytes = 64 << 20
	}
	if o.TaskBytes <= 0 {
		o.TaskBytes = 8 << 20
	}
	if o.Window <= 0 {
		o.Window = 2 << 20
	}
	if o.Stall <= 0 {
		o.Stall = 250 * time.Millisecond
	}
	if o.ReplayBytes <= 0 {
		o.ReplayBytes = 16 << 20
	}
	if o.RetainTasks <= 0 {
		o.RetainTasks = 10_000
	}
	if o.RetainBytes <= 0 {
		o.RetainBytes = 1 << 30
	}
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
