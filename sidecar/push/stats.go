package push

import "sync/atomic"

// Stats is what became of notifications since the start, and what is under way.
type Stats struct {
	// Delivered notifications were taken.
	Delivered uint64
	// Failed attempts were not; what they carried may have been taken later.
	Failed uint64
	// Dropped notifications were refused for good or given up.
	Dropped uint64
	// Receivers have something to come: their task has not ended, or they are
	// behind.
	Receivers int
	// Sending attempts are under way.
	Sending int
}

type counters struct {
	delivered, failed, dropped atomic.Uint64
	sending                    atomic.Int64
	toCome                     atomic.Int64 // tasks that Resume has not got to
}

// Stats returns the counts. They need not be of one moment.
func (d *Dispatcher) Stats() Stats {
	d.mu.Lock()
	receivers := len(d.serving)
	d.mu.Unlock()
	return Stats{
		Delivered: d.count.delivered.Load(), Failed: d.count.failed.Load(), Dropped: d.count.dropped.Load(),
		Receivers: receivers + int(d.count.toCome.Load()), Sending: int(d.count.sending.Load()),
	}
}
