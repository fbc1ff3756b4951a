package push

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	a2apush "github.com/a2a-sidecar/sidecar/a2a/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// worker delivers one task's events to one receiver. It belongs to one
// goroutine.
type worker struct {
	d      *Dispatcher
	task   *task.Task
	id     string
	cancel context.CancelFunc
	done   chan struct{}
	before *worker // the worker of the config that this one's config has replaced
	first  func()  // called after the first attempt, or without any; nil: nobody waits

	config  a2a.PushConfig
	host    string
	machine string // the host without its port
	// dealt is the ID of the last event that was accepted or given up.
	dealt uint64
	began bool // whether dealt is set, since 0 may be an ID
	// noted is the ID that the task has recorded, notedAt the time of that.
	noted   uint64
	notedAt time.Time

	// slot gives back the slot that is held; nil means that none is held. queued reports
	// whether the worker waits for a slot before it reads anything.
	slot   func()
	queued bool

	// fresh reports whether to continue with the current task instead of its next event,
	// until the task was dealt with.
	fresh bool

	// Of what is tried now: its ID, since when, and how often; what has happened
	// since it failed first may have joined it, which gives it more time. And how
	// many were refused for good in a row.
	tried    uint64
	since    time.Time
	attempts int
	refused  int
	// last reports whether the attempt under way is the last one, because everything ends.
	last bool
}

func (w *worker) run(ctx context.Context) {
	if w.before != nil {
		<-w.before.done
		w.before = nil
	}
	all := w.task.Push()
	i := slices.IndexFunc(all, func(p task.Push) bool { return p.Config.ID == w.id })
	if i < 0 {
		return // deleted since
	}
	w.config, w.dealt, w.noted = all[i].Config, all[i].Delivered, all[i].Delivered
	w.host, w.machine = host(w.config.URL)
	w.queued = w.task.State().Terminal() // there is something, or it is all over
	defer w.note()
	for {
		wait, err := w.follow(ctx)
		if errors.Is(err, io.EOF) || ctx.Err() != nil || !w.sleep(ctx, wait) {
			return
		}
	}
}

// follow reads the task's events and delivers them until one is not accepted. Then it
// returns how long to wait; it returns io.EOF if there is nothing more to deliver. It holds
// what it has read only while it has a slot: a worker that has to wait for a slot reads
// after it got one.
func (w *worker) follow(ctx context.Context) (time.Duration, error) {
	if w.attempts > 0 && !w.task.Kept() {
		w.forgotten()
		return 0, io.EOF
	}
	if w.queued {
		if !w.wait(ctx) {
			return 0, context.Cause(ctx)
		}
		w.queued = false
	}
	defer w.release()
	after := w.dealt
	if w.fresh {
		after = 0
	}
	stream := w.task.Follow(after)
	defer stream.Close()
	for {
		events, err := stream.Next(ctx)
		switch {
		case len(events) > 0:
		case errors.Is(err, a2a.ErrTaskNotFound): // forgotten since
			if w.attempts > 0 {
				w.forgotten()
			}
			return 0, io.EOF
		case err != nil && !errors.Is(err, io.EOF) && ctx.Err() == nil:
			w.d.opts.Log.Warn("push waits: the task cannot be read", "task", w.task.ID(), "push", w.id, "error", err)
			return lastDelay, nil
		case err != nil:
			return 0, err
		}
		wait, again := w.batch(ctx, events)
		if wait > 0 || again {
			return wait, nil
		}
	}
}

// wait waits for a slot. It returns false if ctx ends first.
func (w *worker) wait(ctx context.Context) bool {
	caller := w.task.Owner()
	if w.slot = w.d.slots.try(w.machine, caller); w.slot == nil {
		w.d.behind(w)
		if w.slot = w.d.slots.take(ctx.Done(), w.machine, caller); w.attempts == 0 {
			w.d.caughtUp(w)
		}
	}
	return w.slot != nil
}

// batch delivers the events that were read. It returns how long to wait if one was not
// accepted, and whether the task must be read again.
func (w *worker) batch(ctx context.Context, events []*a2a.Event) (wait time.Duration, again bool) {
	defer w.release()
	if events = slices.DeleteFunc(slices.Clone(events), w.had); len(events) == 0 {
		w.fresh = false // the task is as it was
	}
	if w.config.Version == a2a.V03 {
		events, again = whole(events)
	} else {
		events = join(events)
	}
	for _, e := range events {
		if w.slot == nil {
			w.slot = w.d.slots.try(w.machine, w.task.Owner())
		}
		if w.queued = w.slot == nil; w.queued {
			return 0, true
		}
		wait = w.deliver(ctx, e)
		w.release()
		if wait > 0 {
			return wait, false
		}
	}
	w.fresh = w.fresh || again
	return 0, again
}

// release gives back the slot, if the worker holds one.
func (w *worker) release() {
	if w.slot != nil {
		w.slot()
		w.slot = nil
	}
}

// had reports whether an event has been dealt with already, for example as part of a
// snapshot.
func (w *worker) had(e *a2a.Event) bool {
	return w.began && e.ID <= w.dealt || e.ID > 0 && e.ID <= w.dealt
}

// deliver makes one attempt. It returns how long to wait before the next one,
// 0 to go on.
func (w *worker) deliver(ctx context.Context, e *a2a.Event) time.Duration {
	if w.attempts == 0 || e.ID != w.tried {
		w.tried, w.since = e.ID, time.Now()
	}
	err := w.send(ctx, e)
	if ctx.Err() != nil && err != nil {
		return firstDelay // the worker ends
	}
	w.attempts++
	w.tryDone()
	var fault *a2apush.Error
	switch {
	case err == nil:
		w.taken(e)
		return 0
	case errors.As(err, &fault) && fault.Permanent:
		w.d.count.failed.Add(1)
		return w.refuse(e, err)
	}
	w.d.count.failed.Add(1)
	w.queued = true // when it is tried again there is something
	return w.retry(e, err, fault)
}

func (w *worker) send(ctx context.Context, e *a2a.Event) error {
	w.d.count.sending.Add(1)
	defer w.d.count.sending.Add(-1)
	return w.d.opts.Sender.Send(ctx, &w.config, e)
}

// taken continues after an event that was delivered.
func (w *worker) taken(e *a2a.Event) {
	w.d.count.delivered.Add(1)
	log := w.d.opts.Log.Debug
	if w.attempts > 1 || w.refused > 0 {
		log = w.d.opts.Log.Info
	}
	log("push delivered", "task", w.task.ID(), "push", w.id, "host", w.host, "attempt", w.attempts)
	w.refused = 0
	w.deal(e)
}

// refuse drops an event that the receiver will never take.
func (w *worker) refuse(e *a2a.Event, err error) time.Duration {
	w.d.count.dropped.Add(1)
	w.d.opts.Log.Warn("push dropped", "task", w.task.ID(), "push", w.id, "host", w.host, "attempt", w.attempts, "error", err)
	w.refused++
	w.deal(e)
	if w.d.ending() {
		return 0
	}
	return delay(w.refused)
}

// retry keeps an event for another attempt or gives it up.
func (w *worker) retry(e *a2a.Event, err error, fault *a2apush.Error) time.Duration {
	wait := delay(w.attempts)
	if fault != nil && fault.RetryAfter > wait {
		wait = min(fault.RetryAfter, maxRetryAfter)
	}
	attrs := []any{"task", w.task.ID(), "push", w.id, "host", w.host, "attempt", w.attempts, "error", err}
	switch {
	case time.Since(w.since)+wait > w.d.opts.RetryFor:
		w.d.count.dropped.Add(1)
		w.d.opts.Log.Warn("push given up", attrs...)
		w.deal(e)
		w.fresh = true
		return wait
	case w.attempts == 1:
		w.d.opts.Log.Warn("push failed: it is tried again", append(attrs, "in_ms", wait.Milliseconds())...)
		w.d.behind(w)
	default:
		w.d.opts.Log.Debug("push failed again", append(attrs, "in_ms", wait.Milliseconds())...)
	}
	return wait
}

// forgotten counts and logs that the events the receiver is owed are gone with their task.
func (w *worker) forgotten() {
	w.d.count.dropped.Add(1)
	w.d.opts.Log.Warn("push given up: the task has been forgotten", "task", w.task.ID(), "push", w.id, "host", w.host, "attempt", w.attempts)
}

// deal records that an event was dealt with.
func (w *worker) deal(e *a2a.Event) {
	if w.attempts > 1 {
		w.d.caughtUp(w)
	}
	w.dealt, w.began, w.fresh, w.attempts = e.ID, true, false, 0
	if e.State() != "" || time.Since(w.notedAt) >= noteEvery {
		w.note()
	}
}

// note lets the task record how far the delivery to its receiver is.
func (w *worker) note() {
	if w.dealt > w.noted {
		w.noted, w.notedAt = w.dealt, time.Now()
		w.task.Delivered(w.id, w.dealt)
	}
}

// tryDone lets Resume start its next receiver.
func (w *worker) tryDone() {
	if w.first != nil {
		w.first()
		w.first = nil
	}
}

// sleep waits between two attempts. It returns false if there is no next attempt: the
// worker ends, or it has had its last attempt.
func (w *worker) sleep(ctx context.Context, wait time.Duration) bool {
	if wait <= 0 {
		return true
	}
	if w.last {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.d.draining:
		w.last = true
		return true
	case <-ctx.Done():
		return false
	}
}

// delay returns the wait after that many attempts. It doubles, and is up to a half shorter
// at random, so that receivers that failed together are not retried together.
func delay(attempts int) time.Duration {
	d := lastDelay
	if shift := attempts - 1; shift < 6 {
		d = min(firstDelay<<shift, lastDelay)
	}
	return d - rand.N(d/2)
}
