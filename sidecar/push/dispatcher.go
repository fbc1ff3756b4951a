package push

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	a2apush "github.com/a2a-sidecar/sidecar/a2a/push"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Sender makes one attempt to deliver an event. Its error is, or wraps, an *Error of
// package a2a/push.
type Sender interface {
	Send(ctx context.Context, c *a2a.PushConfig, e *a2a.Event) error
}

var _ Sender = (*a2apush.Sender)(nil)

// Options configure a Dispatcher. Sender is required.
type Options struct {
	Sender      Sender
	Concurrency int           // notifications under way at once, at least 1
	RetryFor    time.Duration // how long a notification is retried; 0: it is tried once
	Log         *slog.Logger  // hosts only: no paths, tokens or contents; nil discards
}

const (
	// The wait between attempts.
	firstDelay = time.Second
	lastDelay  = time.Minute
	// maxRetryAfter is the longest wait that a receiver may ask for.
	maxRetryAfter = 5 * time.Minute
	// maxBehind is how many receivers may be behind, waiting for a slot or for another
	// attempt. If there are more, one of the caller that has the most of them is given up.
	maxBehind = 1000
	// resumeAtOnce is how many receivers may have their first attempt at the same time
	// after a store was opened.
	resumeAtOnce = 64
	// noteEvery is how often the delivery of chunks is recorded; the delivery of a status
	// is recorded at once.
	noteEvery = time.Second
)

// Dispatcher delivers to receivers. Its methods may be called from many
// goroutines.
type Dispatcher struct {
	opts  Options
	slots *slots
	count counters

	ctx      context.Context // of all workers
	cancel   context.CancelFunc
	draining chan struct{}
	workers  sync.WaitGroup

	mu      sync.Mutex
	serving map[receiver]*worker
	late    map[*worker]time.Time // the workers that are behind, and since when
	drained bool
	closed  bool
}

// receiver names a config.
type receiver struct{ task, id string }

// New returns a dispatcher that serves nobody yet.
func New(o Options) *Dispatcher {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Dispatcher{
		opts: o, slots: newSlots(max(o.Concurrency, 1)),
		draining: make(chan struct{}), serving: make(map[receiver]*worker),
		late: make(map[*worker]time.Time),
	}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// Serve delivers events to the task's receiver with that id, from the first event that it
// is owed (task.Push). It is called after the receiver was configured, and again after it
// was changed. It does not wait.
func (d *Dispatcher) Serve(t *task.Task, id string) { d.serve(t, id, nil) }

// serve is like Serve. It calls first after the first attempt, or when there is none.
func (d *Dispatcher) serve(t *task.Task, id string, first func()) {
	w := &worker{d: d, task: t, id: id, first: first, done: make(chan struct{})}
	key := receiver{t.ID(), id}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		w.tryDone()
		return
	}
	if w.before = d.serving[key]; w.before != nil {
		w.before.cancel()
	}
	d.serving[key] = w
	ctx, cancel := context.WithCancel(d.ctx)
	w.cancel = cancel
	d.workers.Go(func() {
		defer cancel()
		w.run(ctx)
		w.tryDone()
		d.mu.Lock()
		delete(d.late, w)
		if d.serving[key] == w {
			delete(d.serving, key)
		}
		d.mu.Unlock()
		close(w.done)
	})
}

// Resume serves all receivers of tasks that still owe them events: the tasks of a store
// that was opened. It does not wait.
func (d *Dispatcher) Resume(tasks []*task.Task) {
	if len(tasks) == 0 {
		return
	}
	d.count.toCome.Add(int64(len(tasks)))
	d.workers.Go(func() {
		free := make(chan struct{}, resumeAtOnce)
		for _, t := range tasks {
			for _, p := range t.Push() {
				select {
				case free <- struct{}{}:
					d.serve(t, p.Config.ID, func() { <-free })
				case <-d.ctx.Done():
					return
				}
			}
			d.count.toCome.Add(-1)
		}
	})
}

// behind records that a receiver waits for a slot or another attempt. If there are too
// many, it gives one up.
func (d *Dispatcher) behind(w *worker) {
	d.mu.Lock()
	if _, known := d.late[w]; !known {
		d.late[w] = time.Now()
	}
	var gone *worker
	if len(d.late) > maxBehind {
		gone = d.worst()
		delete(d.late, gone)
	}
	d.mu.Unlock()
	if gone != nil {
		gone.cancel()
		d.count.dropped.Add(1)
		d.opts.Log.Warn("push given up: too many receivers are behind", "task", gone.task.ID(), "push", gone.id, "receivers", maxBehind)
	}
}

// worst returns the receiver to give up: of the caller that has the most receivers behind,
// at the host that has the most of those, the one that has been behind for longest. The
// caller holds mu.
func (d *Dispatcher) worst() (worst *worker) {
	of := make(map[share]int)
	for w := range d.late {
		of[share{caller: w.task.Owner()}]++
		of[share{w.task.Owner(), w.machine}]++
	}
	for w, since := range d.late {
		if worst == nil {
			worst = w
			continue
		}
		mine, other := w.task.Owner(), worst.task.Owner()
		if cmp.Or(
			cmp.Compare(of[share{caller: mine}], of[share{caller: other}]),
			cmp.Compare(of[share{mine, w.machine}], of[share{other, worst.machine}]),
			d.late[worst].Compare(since),
		) > 0 {
			worst = w
		}
	}
	return worst
}

// caughtUp records that a receiver is no longer behind: it was notified or given up.
func (d *Dispatcher) caughtUp(w *worker) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.late, w)
}

// Stop ends the delivery to a receiver that was deleted. After it returns, nothing more is
// sent to the receiver, unless it was configured again in the meantime.
func (d *Dispatcher) Stop(t *task.Task, id string) {
	d.mu.Lock()
	w := d.serving[receiver{t.ID(), id}]
	d.mu.Unlock()
	if w == nil {
		return
	}
	w.cancel()
	<-w.done
	if slices.ContainsFunc(t.Push(), func(p task.Push) bool { return p.Config.ID == id }) {
		d.Serve(t, id) // the stopped worker may have been the new config's
	}
}

// Drain makes a last attempt for each receiver that waits for one. It returns when every
// receiver has had the last event of its task, or when ctx ends. It is called after all
// tasks have ended.
func (d *Dispatcher) Drain(ctx context.Context) {
	d.mu.Lock()
	if !d.drained {
		d.drained = true
		close(d.draining)
	}
	all := make([]*worker, 0, len(d.serving))
	for _, w := range d.serving {
		all = append(all, w)
	}
	d.mu.Unlock()
	for _, w := range all {
		select {
		case <-w.done:
		case <-ctx.Done():
			return
		}
	}
}

// ending reports whether Drain was called.
func (d *Dispatcher) ending() bool {
	select {
	case <-d.draining:
		return true
	default:
		return false
	}
}

// Close ends all delivery and waits for it. Events that were not delivered are still owed.
func (d *Dispatcher) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.cancel()
	d.workers.Wait()
}
