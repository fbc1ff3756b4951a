package push

import "sync/atomic"

// Stats counts the outcomes of notifications since the start, and what is under way.
type Stats struct {
	// Delivered is how many notifications were accepted.
	Delivered uint64
	// Failed is how many attempts failed; their events may have been accepted later.
	Failed uint64
	// Dropped is how many notifications were refused permanently or given up.
	Dropped uint64
	// Receivers is how many receivers still expect events: their task has not ended, or
	// they are behind.
	Receivers int
	// Sending is how many attempts are under way.
	Sending int
}

type counters struct {
	delivered, failed, dropped atomic.Uint64
	sending                    atomic.Int64
	toCome                     atomic.Int64 // tasks that Resume has not reached yet
}

// Stats returns the counts. The counts need not be from the same moment.
func (d *Dispatcher) Stats() Stats {
	d.mu.Lock()
	receivers := len(d.serving)
	d.mu.Unlock()
	return Stats{
		Delivered: d.count.delivered.Load(), Failed: d.count.failed.Load(), Dropped: d.count.dropped.Load(),
		Receivers: receivers + int(d.count.toCome.Load()), Sending: int(d.count.sending.Load()),
	}
}
