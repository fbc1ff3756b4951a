package audit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

const (
	// queued is how many records may wait for the writer, and batch how many it writes at
	// once.
	queued, batch = 4096, 256
	// syncEvery is how long a record may be without the disk having it, if the audit is
	// not strict.
	syncEvery = time.Second
	// patience is how long a call waits for its record if the disk does not answer.
	patience = 5 * time.Second
)

// ErrClosed is the error of a record that comes after Close.
var ErrClosed = errors.New("the audit is closed")

var errSlow = fmt.Errorf("the disk did not take the record within %s", patience)

// Log is an open audit. All methods may be called from many goroutines.
type Log struct {
	w      *writer // run's, but for o and key, which never change, and lose
	in     chan *entry
	ending chan struct{} // closed when Close begins
	ended  chan struct{} // closed when run has ended
	once   sync.Once
	err    error // of closing the files; set before ended is closed
}

func start(w *writer) *Log {
	l := &Log{w: w, in: make(chan *entry, queued), ending: make(chan struct{}), ended: make(chan struct{})}
	w.o.Log.Info("calls are audited", "file", w.o.File, "seq", w.last.seq, "hash", w.last.hash)
	go l.run()
	return l
}

// Before records a call that is about to be executed and sets the record's Seq. It
// returns after the record was written. An error says that the call must not be executed;
// there is none if the audit is not strict, because a record that cannot be written is
// then only counted.
func (l *Log) Before(ctx context.Context, r *Record) error {
	e := &entry{done: make(chan error, 1)}
	err := l.send(ctx, r, e)
	if err == nil {
		r.Seq, err = l.wait(ctx, e)
	}
	if !l.w.o.Strict {
		return nil
	}
	return err
}

// wait returns the number of an entry's record, or why it was not written.
func (l *Log) wait(ctx context.Context, e *entry) (seq uint64, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSlow)
	defer cancel()
	select {
	case err := <-e.done:
		return e.seq, err
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case <-l.ended:
		return 0, ErrClosed
	}
}

// After records a call that has ended. It does not wait until that is written.
func (l *Log) After(r *Record) { _ = l.send(context.Background(), r, &entry{}) }

// Stand returns what stands for a call's arguments, a line of JSON.
func (l *Log) Stand(arguments string) *Arguments { return stand(l.w.key, arguments) }

// Strict reports whether calls are refused that cannot be recorded.
func (l *Log) Strict() bool { return l.w.o.Strict }

// Stats are counts since the audit was opened.
type Stats struct {
	Records, Bytes uint64 // written
	Syncs          uint64 // how often the disk was asked to have everything
	Lost           uint64 // records that were not written
}

// Stats returns the counts of this moment.
func (l *Log) Stats() Stats {
	s := &l.w.stats
	return Stats{Records: s.records.Load(), Bytes: s.bytes.Load(), Syncs: s.syncs.Load(), Lost: s.lost.Load()}
}

// send passes a record to the writer. A record that finds no place in time is lost.
func (l *Log) send(ctx context.Context, r *Record, e *entry) (err error) {
	if e.body, err = r.body(); err != nil {
		l.w.lose(1)
		return err
	}
	select {
	case l.in <- e:
		return nil
	default:
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errSlow)
	defer cancel()
	select {
	case l.in <- e:
		return nil
	case <-l.ended:
		err = ErrClosed
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	l.w.lose(1)
	return err
}

// Close writes what waits and a last record, and returns when the disk has everything.
// Records that come after it are lost. It may be called more than once.
func (l *Log) Close() error {
	l.once.Do(func() { close(l.ending) })
	<-l.ended
	return l.err
}

// run writes records until Close.
func (l *Log) run() {
	defer close(l.ended)
	flush := time.NewTimer(syncEvery)
	defer flush.Stop()
	for {
		select {
		case e := <-l.in:
			was := l.w.dirty
			l.w.commit(l.gather(e))
			if l.w.dirty && !was {
				flush.Reset(syncEvery)
			}
		case <-flush.C:
			l.w.sync()
		case <-l.ending:
			l.err = l.end()
			return
		}
	}
}

// gather returns entries that wait already, after those that are given.
func (l *Log) gather(all ...*entry) []*entry {
	for len(all) < batch {
		select {
		case e := <-l.in:
			all = append(all, e)
		default:
			return all
		}
	}
	return all
}

// end writes what waits and the last record.
func (l *Log) end() error {
	for all := l.gather(); len(all) > 0; all = l.gather() {
		l.w.commit(all)
	}
	if body, err := (&Record{Event: EventClosed}).body(); err == nil {
		l.w.commit([]*entry{{body: body}})
	}
	err := l.w.close()
	l.w.o.Log.Info("the audit is closed", "file", l.w.o.File, "seq", l.w.last.seq, "hash", l.w.last.hash)
	return err
}
