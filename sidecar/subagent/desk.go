package subagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

const (
	// maxChildren is how many children may run at once in all, and keptChildren how many that have ended can still be asked for.
	maxChildren  = 200
	keptChildren = 32
)

// DeskOptions is what a Desk is made of.
type DeskOptions struct {
	// Agents returns the agents as they are now. It must not block, or return nil.
	Agents func() *Agents
	// File is the file of agents, for messages.
	File string
	// Local speaks to the sidecar itself, for agents that are processes of the wrapped command. nil: there are none.
	Local Conn
	// Timeout is the longest that a child may work. It must be more than 0.
	Timeout time.Duration
	// Strict refuses to give work to an agent that does not know the limits that go down with it. Without it, such an agent is told of in the log.
	Strict bool
	// Log gets one line for each child that ends, and one for each agent that does not know the limits. nil: none.
	Log *slog.Logger
}

// Desk has all children of a sidecar. Its methods may be called from many goroutines at once.
type Desk struct {
	opts DeskOptions
	http *http.Client
	ctx  context.Context // ends with Close
	stop context.CancelCauseFunc
	work sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	running  int
	children []*Child // in the order in which they were begun
	cards    map[*Agent]card
	warned   map[string]bool // the agents, by address, of which it was said that they do not know the limits
}

// NewDesk returns a desk; Close releases it.
func NewDesk(o DeskOptions) *Desk {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	d := &Desk{opts: o, http: newHTTP(), cards: map[*Agent]card{}, warned: map[string]bool{}}
	d.ctx, d.stop = context.WithCancelCause(context.Background())
	return d
}

// Close cancels all children, and waits until they have ended.
func (d *Desk) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.stop(task.ErrDraining)
	d.work.Wait()
	d.http.CloseIdleConnections()
}

// Start is a piece of work for an agent.
type Start struct {
	Agent, Prompt, Description string
	// ContextID is the agent's conversation that goes on, "" for a new one.
	ContextID string
	// Work is that which it is a part of, and Rules what its policy denies: see policy.Set.Denials.
	Work  *delegation.Work
	Rules []json.RawMessage
	// Call is the task of the call that gives it.
	Call *task.Task
	// Ask is who is asked what the child asks. It must not be nil.
	Ask Asker
}

// Start gives work to an agent, and returns when the agent has taken it. The error is for the model; it is the cause of ctx's end if that came first,
// and then nothing goes on.
func (d *Desk) Start(ctx context.Context, s Start) (*Child, error) {
	agent, err := d.opts.Agents().Find(s.Agent)
	if err != nil {
		return nil, err
	}
	order, end, err := s.Work.Give(s.Rules)
	if err != nil {
		return nil, err
	}
	raw, err := order.Encode()
	if err != nil {
		end(&delegation.Used{})
		return nil, err
	}
	c := &Child{
		desk: d, agent: agent, start: s, order: raw, end: end, began: time.Now(),
		changed: make(chan struct{}), taken: make(chan struct{}), ended: make(chan struct{}), said: map[string]*said{}, given: map[string]bool{},
	}
	if err := d.add(c); err != nil {
		end(&delegation.Used{})
		return nil, err
	}
	go c.run()
	select {
	case <-c.taken:
		return c, nil
	case <-ctx.Done():
		c.cancel(context.Cause(ctx))
		<-c.ended
		return nil, context.Cause(ctx)
	case <-c.ended:
	}
	if st := c.Status(); st.ID == "" {
		return nil, errors.New(st.Fault)
	}
	return c, nil
}

// add takes a child in.
func (d *Desk) add(c *Child) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.closed:
		return errors.New("the sidecar is shutting down, and gives no work away")
	case d.running >= maxChildren:
		return fmt.Errorf("%d sub-agents run already, which is the limit of this sidecar: wait for one to end", d.running)
	}
	d.running++
	d.work.Add(1)
	d.children = append(d.children, c)
	c.ctx, c.cancel = context.WithCancelCause(d.ctx)
	return nil
}

// over notes that a child has ended, and forgets the oldest one that has if there are too many.
func (d *Desk) over() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.running--
	for len(d.children)-d.running > keptChildren {
		at := slices.IndexFunc(d.children, (*Child).isOver)
		if at < 0 {
			return
		}
		d.children = slices.Delete(d.children, at, at+1)
	}
}

// Find returns the child with a task's ID that was begun in a conversation of a caller's. The error is for the model.
func (d *Desk) Find(id, caller, contextID string) (*Child, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range slices.Backward(d.children) {
		if root := c.start.Work.Task(); c.Status().ID == id && root.Owner() == caller && root.ContextID() == contextID {
			return c, nil
		}
	}
	return nil, errors.New("no task with this id was begun in this conversation, or it was forgotten after it had ended: begin another one")
}

// Row is one child as the status of the sidecar shows it.
type Row struct {
	delegation.Child
	Parent string    // the task that it is a part of
	Began  time.Time // when it was begun
}

// Rows returns the children of a caller's tasks that have not ended, the oldest first.
func (d *Desk) Rows(caller string) []Row {
	d.mu.Lock()
	all := slices.Clone(d.children)
	d.mu.Unlock()
	var rows []Row
	for _, c := range all {
		if root := c.start.Work.Task(); root.Owner() == caller && !c.isOver() {
			rows = append(rows, Row{Child: c.Noted(), Parent: root.ID(), Began: c.began})
		}
	}
	return rows
}

// warn says once for each agent that it does not know the limits.
func (d *Desk) warn(a *Agent, parent *task.Task) {
	d.mu.Lock()
	told := d.warned[a.URL]
	if len(d.warned) < 10*MaxAgents {
		d.warned[a.URL] = true
	}
	d.mu.Unlock()
	if !told {
		d.opts.Log.Warn("an agent is given work and does not know the limits of it: the rules, the depth and the budget do not hold there",
			"agent", a.Name, "extension", delegation.URI, "task", parent.ID())
	}
}

// knownID reports whether another child has a task's ID.
func (d *Desk) knownID(c *Child, id string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.ContainsFunc(d.children, func(other *Child) bool { return other != c && other.Status().ID == id })
}
