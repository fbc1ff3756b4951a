package cli

import (
	"context"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// rehearsal is the turn of a message that no client has sent: nobody reads its answer, and nobody
// answers a question.
type rehearsal struct {
	task *task.Task
	text string
	over context.Context // never ends
}

var _ driver.Turn = (*rehearsal)(nil)

func (r *rehearsal) Task() *task.Task      { return r.task }
func (*rehearsal) Message() *a2a.Message   { return nil }
func (r *rehearsal) Text() string          { return r.text }
func (*rehearsal) Call() *driver.Call      { return nil }
func (*rehearsal) Files() map[int]string   { return nil }
func (r *rehearsal) Judge() driver.Judge   { return driver.NoJudge(r.task) }
func (*rehearsal) TraceParent() string     { return "" }
func (*rehearsal) Out() driver.Out         { return unread{} }
func (r *rehearsal) Over() context.Context { return r.over }
func (*rehearsal) Speaks() bool            { return false }
func (*rehearsal) Note(string, any)        {}
func (*rehearsal) Say(string)              {}
func (*rehearsal) WaitFor(string)          {}

func (*rehearsal) Ask(context.Context, channel.Question) (channel.Answer, error) {
	return channel.Answer{}, channel.ErrNobody
}

// unread is an answer that nobody reads.
type unread struct{}

func (unread) Write([]byte)   {}
func (unread) Part(a2a.Part)  {}
func (unread) Replace([]byte) {}
