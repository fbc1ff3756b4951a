package subagent

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Child is a task of another agent. Its exported methods may be called from many goroutines at once.
type Child struct {
	desk   *Desk
	agent  *Agent
	start  Start
	order  json.RawMessage
	end    func(*delegation.Used)
	began  time.Time
	ctx    context.Context // ends when it has to stop
	cancel context.CancelCauseFunc
	taken  chan struct{} // closed when the agent has taken the work
	ended  chan struct{} // closed when nothing of it runs any more

	// These belong to the goroutine of run.
	conn      Conn
	said      map[string]*said // of each artifact
	heard     int              // bytes of text, as they were sent
	given     map[string]bool  // the files that have come
	last      string           // the artifact that text came of last
	after     uint64           // the ID of the newest event
	events    int
	questions int
	size      int         // bytes of files
	asks      *a2a.Status // the open question, nil for none
	message   bool        // it has answered by a message: there is no task
	outcome   string      // how the agent says that it has ended, "" as long as it has not
	words     string      // of the last status
	waits     *time.Timer // for a process that is free, nil if it needs none

	mu      sync.Mutex // guards the fields below
	changed chan struct{}
	text    []byte
	status  tool.SubStatus
}

var _ tool.SubTask = (*Child)(nil)

// Status implements tool.SubTask.
func (c *Child) Status() tool.SubStatus {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// Text implements tool.SubTask.
func (c *Child) Text(from int) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from >= len(c.text) {
		return ""
	}
	return string(c.text[from:])
}

// Changed implements tool.SubTask.
func (c *Child) Changed() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changed
}

// Cancel implements tool.SubTask.
func (c *Child) Cancel(ctx context.Context) {
	c.cancel(errCanceled)
	select {
	case <-c.ended:
	case <-ctx.Done():
	}
}

func (c *Child) isOver() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status.Ended
}

// change changes what others see.
func (c *Child) change(f func(st *tool.SubStatus)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.status)
	close(c.changed)
	c.changed = make(chan struct{})
}

// say adds to what the child has said. It reports false if that would be too much.
func (c *Child) say(words string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.text)+len(words) > maxText {
		return false
	}
	c.text = append(c.text, words...)
	close(c.changed)
	c.changed = make(chan struct{})
	return true
}

// Noted returns the child as the metadata of its parent's task lists it.
func (c *Child) Noted() delegation.Child {
	st := c.Status()
	state := a2a.StateWorking
	switch st.State {
	case tool.SubAsking:
		state = a2a.StateInputRequired
	case tool.SubCompleted:
		state = a2a.StateCompleted
	case tool.SubFailed:
		state = a2a.StateFailed
	case tool.SubRejected:
		state = a2a.StateRejected
	case tool.SubCanceled:
		state = a2a.StateCanceled
	}
	return delegation.Child{ID: st.ID, Agent: c.agent.Name, Description: c.start.Description, State: state, Unheld: st.Unheld}
}
