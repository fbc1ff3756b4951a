package stream

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// stops stops the turn and waits for Deliver, which returns without the agent.
func (u *fakeTurn) stops(t *testing.T) {
	t.Helper()
	began := time.Now()
	u.cancel(task.ErrCanceled)
	if o := <-u.outcome; o.State != a2a.StateFailed || o.Complete {
		t.Errorf("%+v", o)
	}
	if took := time.Since(began); took != 0 {
		t.Errorf("the turn stopped after %v", took)
	}
}

// idle reports whether the agent is idle a long time after.
func (r *rig) idle() bool {
	ctx, cancel := context.WithTimeout(r.t.Context(), time.Hour)
	defer cancel()
	return r.d.Interrupt(ctx) == nil
}

// goesOn checks that the next message of a context is answered by itself.
func (r *rig) goesOn(t *testing.T, contextID string) {
	t.Helper()
	u, p := r.deliver(contextID, "next")
	p.on.Say("fresh")
	p.ok()
	u.answers(t, "fresh")
}

// TestCancelBeforeTheStart: the agent knows nothing of the turn.
func TestCancelBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, start := newAgent(), make(chan struct{})
		a.start = func(context.Context) error { <-start; return nil }
		r := newRig(t, a, remember(t, "", "x"))
		u := r.turn("a", "hello")
		go func() { u.outcome <- r.d.Deliver(u.ctx, u) }()
		synctest.Wait()
		u.stops(t)
		if !r.idle() || len(a.cancels) > 0 {
			t.Error("the agent has to stop something")
		}
		close(start)
		r.goesOn(t, "a")
	})
}

// TestCancelWhileOpening: the opening ends, and there is no prompt.
func TestCancelWhileOpening(t *testing.T) {
	for name, slow := range map[string]bool{"at once": false, "after the conversation is there": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, opened := newAgent(), make(chan struct{})
				opening := func(ctx context.Context, c peer.Conversation) (string, error) {
					if <-ctx.Done(); !slow {
						return "", context.Cause(ctx)
					}
					<-opened
					return "c1", nil
				}
				a.open = opening
				r := newRig(t, a, remember(t, "", "x"))
				u := r.turn("a", "hello")
				go func() { u.outcome <- r.d.Deliver(u.ctx, u) }()
				synctest.Wait()
				u.stops(t)
				if slow {
					if r.idle() {
						t.Error("it counts as idle while it opens a conversation")
					}
					close(opened)
				}
				if !r.idle() || len(a.cancels) > 0 {
					t.Error("the agent has to stop something")
				}
				a.open = nil
				r.goesOn(t, "a")
			})
		})
	}
}

// TestCancel: the agent is asked until it has stopped, and what it says meanwhile belongs to no turn.
func TestCancel(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		p.on.Say("half")
		p.on.Think("a thought")
		p.on.Tool(peer.Tool{ID: "1", Name: "Bash", Status: peer.Running})
		u.stops(t)
		if c := <-r.agent.cancels; c != "c1" {
			t.Errorf("%s was to be stopped", c)
		}
		told := len(u.updates(t))
		p.on.Say(" and half")
		p.on.Part(a2a.Part{Kind: a2a.PartURL, URL: "https://example.com/"})
		p.on.Think("late")
		p.on.Plan([]peer.PlanEntry{{Content: "late"}})
		p.on.Tool(peer.Tool{ID: "1", Status: peer.Completed})
		p.on.Tool(peer.Tool{ID: "2", Status: peer.Running})
		p.on.Usage(peer.Usage{Model: "late"})
		p.on.Note("late", true)
		if _, err := p.on.Permit(t.Context(), peer.Action{}); !errors.Is(err, peer.ErrWithdrawn) {
			t.Error(err)
		}
		if _, err := p.on.Ask(t.Context(), peer.Question{}); !errors.Is(err, peer.ErrWithdrawn) {
			t.Error(err)
		}
		if err := p.on.Host().WriteFile(t.Context(), "/x", ""); !errors.Is(err, peer.ErrWithdrawn) {
			t.Error(err)
		}
		if string(u.out.Kept) != "half" || len(u.out.parts)+len(u.notes) > 0 || len(u.updates(t)) != told {
			t.Errorf("late: %q, %v, %v, %d updates after %d", u.out.Kept, u.out.parts, u.notes, len(u.updates(t)), told)
		}
		got := u.reports(t, driver.ToolCallURI)
		if len(got) != 2 || !has(got[1], `"status":"CANCELLED"`) || len(u.reports(t, driver.ThoughtURI)) != 1 {
			t.Errorf("%q", got)
		}

		time.Sleep(time.Second) // 0.25 and 0.75 s after the first
		if n := len(r.agent.cancels); n != 2 {
			t.Errorf("asked %d times more", n)
		}
		if r.idle() {
			t.Error("it counts as idle before it has stopped")
		}
		next := r.turn("a", "next")
		go func() { next.outcome <- r.d.Deliver(next.ctx, next) }()
		if err := r.d.Ready(t.Context(), nil, time.Second, nil); err == nil || err.Error() != "the agent has not ended the turn before this one within 1s" {
			t.Error(err)
		}
		p.ends(peer.Ending{Canceled: true})
		p = <-r.agent.prompts // it was idle: the next one begins
		p.on.Say("fresh")
		p.ok()
		next.answers(t, "fresh")
	})
}

// TestCancelDuringAPermission: it is withdrawn.
func TestCancelDuringAPermission(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		u.permit = func(context.Context, peer.Action) (peer.Answer, error) {
			<-p.on.(*events).ctx.Done()
			return peer.Answer{Allowed: true}, nil // too late
		}
		asked := make(chan error, 1)
		go func() { _, err := p.on.Permit(t.Context(), peer.Action{}); asked <- err }()
		synctest.Wait()
		u.stops(t)
		if err := <-asked; !errors.Is(err, peer.ErrWithdrawn) {
			t.Error(err)
		}
		p.ends(peer.Ending{Canceled: true})
		r.goesOn(t, "a")
	})
}

// TestAfterThePrompt: what comes when the prompt has returned is dropped, although the turn does not know yet.
func TestAfterThePrompt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tasks := task.NewRegistry(task.Options{})
		defer tasks.Close()
		k := tasks.Create("", "", &a2a.Message{Role: a2a.RoleUser}, nil)
		e := newEvents(t.Context(), &fakeTurn{task: k}, &said{})
		r := &run{on: e, result: make(chan result, 1), returned: make(chan struct{}), ended: make(chan struct{})}
		r.end(result{})
		if e.do(func() {}) {
			t.Error("it was taken")
		}
		e.stop()
	})
}

// TestCancelIsForItsTurn: while the agent is told to stop a turn, it gets no other one.
func TestCancelIsForItsTurn(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		r.agent.cancels = make(chan string)
		u, p := r.deliver("a", "hello")
		u.stops(t)
		synctest.Wait()
		p.ends(peer.Ending{Canceled: true})
		if r.idle() {
			t.Error("it counts as idle while it is told to stop")
		}
		next := r.turn("a", "next")
		go func() { next.outcome <- r.d.Deliver(next.ctx, next) }()
		synctest.Wait()
		select {
		case <-r.agent.prompts:
			t.Error("it got the next message")
		case <-r.agent.cancels:
		}
		p = <-r.agent.prompts
		p.ok()
		next.answers(t, "")
	})
}

// TestTaskStaysUntilIdle: a cancel while a question is open, of which an update was told, does not end the task
// before its owner does.
func TestTaskStaysUntilIdle(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		u.permit = func(ctx context.Context, _ peer.Action) (peer.Answer, error) {
			_, err := u.task.Ask(ctx, task.Question{Text: "may it?", State: a2a.StateAuthRequired})
			return peer.Answer{}, err
		}
		asked := make(chan error, 1)
		go func() { _, err := p.on.Permit(t.Context(), peer.Action{}); asked <- err }()
		synctest.Wait()
		p.on.Tool(peer.Tool{ID: "1", Status: peer.Running})
		if s := u.task.State(); s != a2a.StateAuthRequired {
			t.Errorf("an update made the task %s", s)
		}
		u.task.Cancel(task.ErrCanceled)
		u.stops(t)
		<-asked
		if s := u.task.State(); s.Terminal() {
			t.Errorf("the task is %s before the agent is idle", s)
		}
	})
}

// TestNeverReturns: Close ends a prompt that nothing else ends.
func TestNeverReturns(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, _ := r.deliver("a", "hello")
		u.stops(t)
		if r.idle() {
			t.Error("it counts as idle")
		}
		r.d.Close()
		if !r.idle() {
			t.Error("it is not idle without a process")
		}
		u = r.turn("a", "next")
		began := time.Now()
		if o := r.d.Deliver(u.ctx, u); o.State != a2a.StateFailed || o.Text != peer.ErrClosed.Error() || time.Since(began) != endTime {
			t.Errorf("%+v after %v", o, time.Since(began))
		}
	})
}

// TestDoneOverTheChannel ends the turn soon after; the agent goes on until it has ended its own, and an interrupt
// tells it to.
func TestDoneOverTheChannel(t *testing.T) {
	speaking(t, func(t *testing.T, r *rig) {
		u, p := r.deliver("a", "hello")
		u.done()
		time.Sleep(lateTime / 2)
		p.on.Say("last words")
		p.ok()
		u.answers(t, "last words")

		u, p = r.deliver("a", "again")
		began := time.Now()
		u.done()
		u.answers(t, "")
		if took := time.Since(began); took != lateTime {
			t.Errorf("after %v", took)
		}
		p.on.Say("dropped")
		if len(r.agent.cancels) > 0 {
			t.Error("the agent was interrupted")
		}
		stopped := make(chan bool)
		go func() { stopped <- r.idle() }()
		if <-r.agent.cancels; len(u.out.Kept) > 0 {
			t.Errorf("%q", u.out.Kept)
		}
		p.ok()
		if !<-stopped {
			t.Error("it is not idle")
		}
		r.goesOn(t, "a")
	})
}

// TestOutputClosed: a process that lives on and can answer nothing fails its turns.
func TestOutputClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, newAgent(), remember(t, "", "x"))
		closed := make(chan struct{})
		r.d.o.Closed = closed
		u, p := r.deliver("a", "hello")
		close(closed)
		began := time.Now()
		u.fails(t, "closed its output")
		if took := time.Since(began); took != endTime {
			t.Errorf("after %v", took)
		}
		p.ok()
	})
}
