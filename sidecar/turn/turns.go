package turn

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// TurnStatus is the state of a turn that runs or waits, at one moment.
type TurnStatus struct {
	// Task and Context say what the turn is for. Owner is its caller, "" if callers
	// are not known. Tool is the tool's name, "" for a message.
	Task, Context, Owner, Tool string
	// Entered is when the turn came.
	Entered time.Time
	// Running is false while the turn is in the queue.
	Running bool
	// PID is the process that serves the turn, 0 while there is none.
	PID int
	// WaitsFor says in words what has to happen before the turn goes on.
	WaitsFor string
}

// turnTable lists the turns that run and wait, in the order in which they came. All
// methods may be called from many goroutines.
type turnTable struct {
	mu  sync.Mutex
	all []*entry
}

// entry is one turn in the table of turns.
type entry struct {
	place *place
	task  *task.Task
	tool  string
	pid   atomic.Int64
	waits atomic.Pointer[string] // what the turn itself waits for; nil and "": nothing
}

func (l *turnTable) add(p *place, t *task.Task, tool string) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &entry{place: p, task: t, tool: tool}
	l.all = append(l.all, e)
	return e
}

func (l *turnTable) remove(e *entry) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(o *entry) bool { return o == e })
}

func (l *turnTable) listed() []*entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.all)
}

// said returns what the turn itself says that it waits for, "" if nothing.
func (e *entry) said() string {
	if what := e.waits.Load(); what != nil {
		return *what
	}
	return ""
}

// Turns returns every turn that runs or waits, in the order in which they came.
func (r *Runner) Turns() []TurnStatus {
	listed := r.turns.listed()
	all := make([]TurnStatus, len(listed))
	for i, e := range listed {
		all[i] = TurnStatus{
			Task: e.task.ID(), Context: e.task.ContextID(), Owner: e.task.Owner(), Tool: e.tool,
			Entered: e.place.entered, PID: int(e.pid.Load()),
		}
		all[i].Running, all[i].WaitsFor = r.waitsFor(e)
	}
	return all
}

// waitsFor reports whether a turn runs, and returns what it waits for.
func (r *Runner) waitsFor(e *entry) (running bool, what string) {
	running, busy, taken := r.queue.look(e.place)
	switch state := e.task.State(); {
	case state == a2a.StateAuthRequired && e.task.Asking():
		return running, "a permission, or the secret that it asks for"
	case e.task.Asking():
		return running, "an answer to its question"
	case running && e.said() != "":
		return running, e.said()
	case running && e.pid.Load() == 0:
		return running, "its process to start"
	case running:
		return running, "the agent"
	case busy && e.place.lane == "":
		return running, "the turn before it: the agent takes one at a time (--sessions)"
	case busy:
		return running, "the turn before it in its context"
	}
	return running, fmt.Sprintf("a free place: %d of %d in use (--max-concurrency)", taken, r.queue.limit)
}
