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
	given   Used       // to children that run
	running int        // children
	kids    []Child
}

// Task returns the task. It does not change.
func (w *Work) Task() *task.Task { return w.task }

// Depth returns how many agents have given it on before.
func (w *Work) Depth() int { return w.depth }

// Denials returns the rules that came with it, nil for none.
func (w *Work) Denials() *policy.Denials { return w.deny }

// Spent returns which budget is used up, or with children, in words for the model; nil if none is.
func (w *Work) Spent() error {
	cost := w.cost()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spent(cost)
}

// spent is Spent. The lock is held; cost is what the task's own agent has cost.
func (w *Work) spent(cost float64) error {
	return w.budget.spent(w.used.plus(Used{CostUSD: cost}), w.given)
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
	if err := w.spent(cost); err != nil {
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

// Left returns what is left of the budget: neither used, nor given to children that run.
func (w *Work) Left() Budget {
	cost := w.cost()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.left(cost)
}

// left is Left. The lock is held; cost is what the task's own agent has cost.
func (w *Work) left(cost float64) Budget {
	return w.budget.left(w.used.plus(Used{CostUSD: cost}).plus(w.given), time.Since(w.began))
}

// Give begins a part of the work, if there may be one more. Order is what goes down with it, with a share of the budget that nobody
// else can use as long as the part goes on. rules are those of the sidecar's own policy that hold for it. The error says in words
// for the model why no part can be given away. end must be called once, when the part has ended, with what it has used: what is
// left of its share comes back. nil: that is not known, and the share counts as used.
func (w *Work) Give(rules []json.RawMessage) (order *Order, end func(*Used), err error) {
	if w.depth >= w.maxDepth {
		return nil, nil, fmt.Errorf("this task was given on %s, which is as deep as it goes: do the work yourself", text.CountOf(w.depth, "time", "times"))
	}
	share, err := w.begin(w.cost())
	if err != nil {
		return nil, nil, err
	}
	order = &Order{
		Depth: w.depth + 1, MaxDepth: w.maxDepth, Deny: slices.Concat(w.deny.Files(), rules), Budget: share,
		Parent: Parent{Task: w.task.ID(), TraceParent: w.task.TraceParent()},
	}
	return order, func(u *Used) { w.end(share.most(), u) }, nil
}

// begin counts a child that begins, and takes its share of the budget.
func (w *Work) begin(cost float64) (share Budget, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running >= w.children {
		return Budget{}, fmt.Errorf("%s of this task run already, which is the limit: wait for one to end, or cancel one", text.CountOf(w.running, "sub-agent", "sub-agents"))
	}
	if err := w.spent(cost); err != nil {
		return Budget{}, err
	}
	w.running++
	left := w.left(cost)
	share = left.share()
	w.given = w.given.plus(share.most())
	return share, nil
}

// end counts what a child has used, and takes back its share.
func (w *Work) end(share Used, u *Used) {
	if u == nil {
		u = &share
	}
	w.mu.Lock()
	w.running--
	w.given.Calls -= share.Calls
	if w.given.CostUSD -= share.CostUSD; w.running == 0 {
		w.given.CostUSD = 0 // what rounding has left
	}
	w.used = w.used.plus(*u)
	w.mu.Unlock()
	w.note()
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
