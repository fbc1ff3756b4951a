package tui

import (
	"context"
	"fmt"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// action is something that the machine wants done before the next step.
type action interface{ do(*run) error }

type (
	// typeKeys types bytes in one write.
	typeKeys string
	// submitted says that the Enter of this message comes next.
	submitted string
	// replying says that the Enter of an answer comes next.
	replying struct{}
	// holdKeys asks for the terminal. line reports how far a person's line has come;
	// any goroutine may call it.
	holdKeys struct{ line func(view) tty.Line }
	// releaseKeys gives the terminal back, or no longer waits for it.
	releaseKeys struct{}
	// dropKeys drops people's keys that come within that time.
	dropKeys time.Duration
	// shrink makes the terminal a little smaller; restore ends that.
	shrink  struct{}
	restore struct{}
	// putQuestion asks the caller; withdraw takes the question back.
	putQuestion struct{ task.Question }
	withdraw    struct{}
	// writeText passes a further part of the answer on, replaceText all of it.
	writeText   string
	replaceText string
	// note is a fact for the task's metadata: the text, else the count, else true.
	note struct {
		key, text string
		count     int
	}
	// say sets the status of the task.
	say string
	// waitFor says what only a person can end, "" for nothing.
	waitFor string
	// tellState keeps the agent's state in the task's metadata.
	tellState console.AgentState
	// rested says that the agent is ready, as only the machine can see; relearn that this is
	// its profile from now on.
	rested  console.AgentState
	relearn struct{ *profile.Profile }
	// info is a line of the log.
	info struct{ text, key, value string }
)

// holding is a claim to the terminal.
type holding struct {
	granted  chan struct{} // closed when nobody else types
	released chan struct{}
	ended    chan struct{} // closed when others may type again
	cancel   context.CancelFunc
}

// do asks for the terminal.
func (a holdKeys) do(r *run) error {
	ctx, cancel := context.WithCancel(r.ctx)
	h := &holding{granted: make(chan struct{}), released: make(chan struct{}), ended: make(chan struct{}), cancel: cancel}
	r.holding = h
	if r.people == nil {
		close(h.granted)
		close(h.ended)
		return nil
	}
	line := func() (tty.Line, time.Time, <-chan struct{}) {
		v := r.view()
		return a.line(v), v.Screen.Output, v.Changed
	}
	go func() { // release waits for it
		defer close(h.ended)
		_ = console.Alone(ctx, r.people, r.turn, line, func() error { // it only fails if ctx ends
			close(h.granted)
			<-h.released
			return nil
		})
	}()
	return nil
}

func (replying) do(r *run) error {
	r.console.Replied()
	return nil
}

func (releaseKeys) do(r *run) error {
	r.release()
	return nil
}

// release gives the terminal back.
func (r *run) release() {
	if h := r.holding; h != nil {
		r.holding = nil
		close(h.released)
		h.cancel()
		<-h.ended
	}
}

// question is a question to the caller.
type question struct {
	answer answered
	ended  chan struct{} // closed when answer is set
	cancel context.CancelCauseFunc
}

func (a putQuestion) do(r *run) error {
	ctx, cancel := context.WithCancelCause(r.ctx)
	q := &question{ended: make(chan struct{}), cancel: cancel}
	r.question = q
	go func() { // close waits for it
		defer close(q.ended)
		defer cancel(nil)
		q.answer.Answer, q.answer.err = r.turn.Task().Ask(ctx, a.Question)
	}()
	return nil
}

func (withdraw) do(r *run) error {
	if r.question != nil {
		r.question.cancel(errVanished)
	}
	return nil
}

// do types bytes.
func (a typeKeys) do(r *run) error {
	_, err := r.console.Type(r.ctx, string(a))
	if err == nil {
		return nil
	}
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return fmt.Errorf("the terminal takes no more input: %w", err)
}

func (a dropKeys) do(r *run) error {
	if r.people != nil {
		r.people.DropStale(time.Duration(a), r.console.Dropped)
	}
	return nil
}

// do makes the terminal a little smaller.
func (shrink) do(r *run) error {
	size, err := r.console.TTY.Size()
	if err == nil {
		r.size, r.smaller = size, size
		r.smaller.Cols, r.smaller.Rows = max(size.Cols-1, 1), max(size.Rows-1, 1)
		err = r.console.TTY.Resize(r.smaller)
	}
	r.warn(err)
	return nil
}

// do gives the terminal its size again. If somebody has resized it meanwhile, that size
// stays.
func (restore) do(r *run) error {
	if now, err := r.console.TTY.Size(); err != nil || now != r.smaller {
		r.warn(err)
		return nil
	}
	r.warn(r.console.TTY.Resize(r.size))
	return nil
}

// warn logs that the terminal's size cannot be changed. The turn goes on.
func (r *run) warn(err error) {
	if err != nil {
		r.console.Log.Warn("the terminal's size cannot be changed", "error", err)
	}
}

func (a rested) do(r *run) error      { r.console.Ended(console.AgentState(a)); return nil }
func (a relearn) do(r *run) error     { r.console.Relearn(a.Profile); return nil }
func (a submitted) do(r *run) error   { r.console.Submitted(string(a)); return nil }
func (a writeText) do(r *run) error   { r.out.Write([]byte(a)); return nil }
func (a replaceText) do(r *run) error { r.out.Replace([]byte(a)); return nil }
func (a say) do(r *run) error         { r.turn.Say(string(a)); return nil }
func (a waitFor) do(r *run) error     { r.waits(string(a)); return nil }

func (a note) do(r *run) error {
	switch {
	case a.text != "":
		r.turn.Note(a.key, a.text)
	case a.count != 0:
		r.turn.Note(a.key, a.count)
	default:
		r.turn.Note(a.key, true)
	}
	return nil
}

func (a tellState) do(r *run) error {
	r.turn.Task().SetMetadata("agentState", driver.JSON(console.AgentState(a)))
	return nil
}

func (a info) do(r *run) error {
	if a.key == "" {
		r.console.Log.Info(a.text)
		return nil
	}
	r.console.Log.Info(a.text, a.key, a.value)
	return nil
}
