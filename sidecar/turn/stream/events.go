package stream

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// events takes what the agent says in one turn, and has the turn's goroutine write it into the task.
type events struct {
	t driver.Turn

	// ctx ends, with peer.ErrWithdrawn as its cause, when the turn was stopped.
	ctx    context.Context
	cancel context.CancelCauseFunc

	work  chan func()   // what the turn's goroutine is to do
	taken chan struct{} // gets a value when it is done
	over  atomic.Bool   // the agent has ended the turn
	late  atomic.Int64  // what came too late

	used func(tool string) // see Options.Used

	refused atomic.Bool // something that the agent asked for was not allowed

	mu      sync.Mutex
	stopped bool
	waiting sync.WaitGroup // what waits in the turn's name; added to only while it is not stopped
	asked   int            // permissions and questions that are open
	using   int            // uses of the machine that are under way

	// The rest belongs to the turn's goroutine.
	answer answer
	report report
	notes  int
}

var _ peer.Events = (*events)(nil)

func newEvents(life context.Context, t driver.Turn, out driver.Out) *events {
	e := &events{t: t, work: make(chan func()), taken: make(chan struct{})}
	e.ctx, e.cancel = context.WithCancelCause(life)
	e.answer.out = out
	e.report.begin(t.Task())
	return e
}

// do has the turn's goroutine do something, and returns when that is done. It returns false if the turn
// was stopped or has ended.
func (e *events) do(f func()) bool {
	if e.over.Load() {
		e.late.Add(1)
		return false
	}
	select {
	case e.work <- f:
		<-e.taken
		return true
	case <-e.ctx.Done():
		e.late.Add(1)
		return false
	}
}

// stop ends the agent's part in the turn: what it asks for is withdrawn, and what it says is dropped.
func (e *events) stop() {
	e.mu.Lock()
	e.stopped = true
	e.mu.Unlock()
	e.cancel(peer.ErrWithdrawn)
	e.waiting.Wait()
}

// end tells what is left to be told when a turn has ended.
func (e *events) end(u peer.Usage, failed bool) {
	e.report.usage(u)
	e.report.end(failed)
	for key, n := range map[string]int{
		"partsDropped": e.answer.dropped, "toolsDropped": e.report.tools.dropped, "reportsDropped": e.report.dropped, "notesDropped": e.notes - maxNotes,
	} {
		if n > 0 {
			e.t.Note(key, n)
		}
	}
}

// Say implements peer.Events.
func (e *events) Say(words string) {
	e.do(func() {
		e.report.flushThoughts()
		e.answer.say(words)
	})
}

// Paragraph implements peer.Events.
func (e *events) Paragraph() { e.do(func() { e.answer.paragraph() }) }

// Part implements peer.Events.
func (e *events) Part(p a2a.Part) {
	e.do(func() {
		e.report.flushThoughts()
		e.answer.part(p)
	})
}

// Think implements peer.Events.
func (e *events) Think(words string) { e.do(func() { e.report.think(words) }) }

// Plan implements peer.Events.
func (e *events) Plan(entries []peer.PlanEntry) { e.do(func() { e.report.plan(entries) }) }

// Tool implements peer.Events.
func (e *events) Tool(t peer.Tool) {
	used := ""
	e.do(func() { used = e.report.tool(t) })
	if used != "" && e.used != nil {
		e.used(used)
	}
}

// Usage implements peer.Events.
func (e *events) Usage(u peer.Usage) { e.do(func() { e.report.usage(u) }) }

const (
	// maxNotes is how many notes a turn takes from its agent.
	maxNotes = 64
	// maxNote is how long a note's name and its value may be, in bytes.
	maxNote = 4 << 10
)

// Note implements peer.Events.
func (e *events) Note(key string, value any) {
	e.do(func() {
		if e.notes++; e.notes > maxNotes {
			return
		}
		if s, ok := value.(string); ok {
			value = clean(s, maxNote)
		}
		if len(driver.JSON(value)) > 2*maxNote {
			value = "(too long)"
		}
		e.t.Note(clean(key, maxNote), value)
	})
}
