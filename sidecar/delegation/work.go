package delegation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// noted is how many children the metadata of a task lists.
const noted = 50

// Work is one task that is no part of another, with all that belongs to it. Its methods may be called from many
// goroutines at once.
type Work struct {
	task     *task.Task
	depth    int
	maxDepth int
	children int // the most at once
	deny     *policy.Denials
	budget   Budget
	began    time.Time

	notes sync.Mutex // held by whoever writes a note: the newest one is written last

	mu      sync.Mutex // guards the fields below
	used    Used       // of its calls, and of what its children have told
	running int        // children
	kids    []Child
}

// Task returns the task. It does not change.
func (w *Work) Task() *task.Task { return w.task }

// Depth returns how many agents have given it on before.
func (w *Work) Depth() int { return w.depth }

// Denials returns the rules that came with it, nil for none.
func (w *Work) Denials() *policy.Denials { return w.deny }

// Spent returns which budget is used up, in words for the model; nil if none is.
func (w *Work) Spent() error {
	u := w.Used()
	return w.budget.spent(u)
}

// Take counts one tool call. The error says which budget is used up, and then nothing is counted.
func (w *Work) Take() error {
	if err := w.take(w.cost()); err != nil {
		return err
	}
	w.note()
	return nil
}

func (w *Work) take(cost float64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	u := w.used
	u.CostUSD += cost
	if err := w.budget.spent(u); err != nil {
		return err
	}
	w.used.Calls++
	return nil
}

// Used returns what it and its children have used until now.
func (w *Work) Used() Used {
	cost := w.cost()
	w.mu.Lock()
	defer w.mu.Unlock()
	u := w.used
	u.CostUSD += cost
	return u
}

// cost returns what the task's own agent has cost.
func (w *Work) cost() float64 {
	if w.budget.CostUSD == nil {
		return 0
	}
	none := 0
	return CostOf(w.task.Snapshot(&none, false).Metadata)
}

// Left returns what is left of the budget.
func (w *Work) Left() Budget {
	u := w.Used()
	return w.budget.left(u, time.Since(w.began))
}

// Order returns what goes down with a part of the work. rules are those of the sidecar's own policy that hold
// for it. The error, in words for the model, says why no part can be given away.
func (w *Work) Order(rules []json.RawMessage) (*Order, error) {
	if w.depth >= w.maxDepth {
		return nil, fmt.Errorf("this task was given on %s, which is as deep as it goes: do the work yourself", text.CountOf(w.depth, "time", "times"))
	}
	return &Order{
		Depth: w.depth + 1, MaxDepth: w.maxDepth, Deny: slices.Concat(w.deny.Files(), rules), Budget: w.Left(),
		Parent: Parent{Task: w.task.ID(), TraceParent: w.task.TraceParent()},
	}, nil
}

// Begin counts a child that begins, if there may be one more. end must be called once, when it has ended, with what it
// has used.
func (w *Work) Begin() (end func(Used), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running >= w.children {
		return nil, fmt.Errorf("%s of this task run already, which is the limit: wait for one to end, or cancel one", text.CountOf(w.running, "sub-agent", "sub-agents"))
	}
	w.running++
	return func(u Used) {
		w.mu.Lock()
		w.running--
		w.used = w.used.plus(u)
		w.mu.Unlock()
		w.note()
	}, nil
}

// Tell puts what is known of a child into the task's metadata.
func (w *Work) Tell(c Child) {
	w.list(c)
	w.note()
}

func (w *Work) list(c Child) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at := slices.IndexFunc(w.kids, func(k Child) bool { return k.ID == c.ID }); at >= 0 {
		w.kids[at] = c
	} else {
		w.kids = append(w.kids, c)
	}
	if len(w.kids) > noted {
		over := slices.IndexFunc(w.kids, func(k Child) bool { return k.State.Terminal() })
		w.kids = slices.Delete(w.kids, max(over, 0), max(over, 0)+1)
	}
}

// note writes the Note into the task's metadata.
func (w *Work) note() {
	w.notes.Lock()
	defer w.notes.Unlock()
	w.mu.Lock()
	n := Note{Calls: w.used.Calls, CostUSD: w.used.CostUSD, Children: slices.Clone(w.kids)}
	w.mu.Unlock()
	if w.budget == (Budget{}) && w.depth == 0 && len(n.Children) == 0 {
		return // nobody wants to know
	}
	if b, err := text.JSON(n); err == nil {
		w.task.SetMetadata(URI, b)
	}
}

// start begins the time of the budget.
func (w *Work) start() {
	limit, ok := w.budget.time()
	if !ok {
		return
	}
	timer := time.AfterFunc(limit, func() { w.task.Cancel(TimeUp(limit)) })
	context.AfterFunc(w.task.Context(), func() { timer.Stop() })
}
