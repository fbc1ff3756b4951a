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
	Observer  Observer      // nil for none
	Log       *slog.Logger  // evictions and cut-off subscribers, at debug; nil for none
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
	if o.Observer == nil {
		o.Observer = nobody{}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}
