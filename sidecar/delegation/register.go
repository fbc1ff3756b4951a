package delegation

import (
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Options are the limits of the settings.
type Options struct {
	// Budget is that of each task.
	Budget Budget
	// Depth is how often work may be given on, and Children how many sub-agents a task may have at once.
	Depth, Children int
	// Roots are what {workspace}, {ad-hoc} and {user-data} stand for in rules that come with a task.
	Roots policy.Roots
}

// Register knows the work that there is. Its methods may be called from many goroutines at once.
type Register struct {
	opts Options

	mu sync.Mutex // two calls of a task that has no Work yet make one
}

// New returns a register.
func New(o Options) *Register { return &Register{opts: o} }

// Accept checks the order of a message, before a task is made of it. begin makes the task's Work, and must be called before
// anything is done for it. The error is an a2a.ErrInvalidParams.
func (r *Register) Accept(m *a2a.Message) (begin func(*task.Task), err error) {
	o, err := ReadOrder(m)
	if err != nil {
		return nil, err
	}
	if o == nil {
		return func(t *task.Task) { r.Of(t) }, nil
	}
	deny, err := policy.LoadDenials(o.Deny, policy.Options{Roots: r.opts.Roots})
	if err != nil {
		return nil, a2a.ErrInvalidParams.With("%s: %s; %s", URI, err, orderShape).At("message.metadata")
	}
	return func(t *task.Task) {
		w := r.work(t)
		w.depth, w.maxDepth, w.deny, w.budget = o.Depth, min(o.MaxDepth, r.opts.Depth), deny, r.opts.Budget.within(o.Budget)
		t.Attach(w)
		w.start()
	}, nil
}

// Of returns the work that a task is, or is a part of.
func (r *Register) Of(t *task.Task) *Work {
	if w, ok := t.Attached().(*Work); ok {
		return w
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if w, ok := t.Attached().(*Work); ok {
		return w
	}
	w := r.work(t)
	t.Attach(w)
	w.start()
	return w
}

// Join makes a task a part of the work of another one.
func (r *Register) Join(part, of *task.Task) *Work {
	w := r.Of(of)
	part.Attach(w)
	return w
}

func (r *Register) work(t *task.Task) *Work {
	return &Work{task: t, maxDepth: r.opts.Depth, children: r.opts.Children, budget: r.opts.Budget, began: time.Now()}
}
