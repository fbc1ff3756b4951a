package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// nested starts a call that the call of within makes while it runs.
func (r *rig) nested(tool, n string, within *call.Invocation) *call.Invocation {
	inv := r.p.Start(call.Request{Tool: tool, Arguments: json.RawMessage(fmt.Sprintf(`{"n":%q}`, n)), Agent: true, Within: within.Task()})
	synctest.Wait()
	return inv
}

// A nested write makes the reading call that waits for it give up its read, and waits for
// the others; the reading call has its read again before it learns of the result.
func TestNestedWriteBelowRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, deciding(policy.Allow))
		outer := r.named("go.read", "outer")
		r.named("go.read", "other")
		inner := r.nested("go.write", "inner", outer)
		if g.now() != "[outer other]" {
			t.Fatalf("the write did not wait for the other read: %s", g.now())
		}
		g.free("other")
		late := r.named("go.write", "late")
		if g.now() != "[outer other inner]" {
			t.Fatalf("it did not run before its parent ended, or with a second write: %s", g.now())
		}
		deeper := r.nested("go.write", "deeper", inner)
		g.free("deeper")
		r.ended(deeper).is("final", a2a.StateCompleted, 200)
		g.free("inner")
		r.ended(inner).is("final", a2a.StateCompleted, 200)
		if g.now() != "[outer other inner deeper]" {
			t.Fatalf("a write ran beside the read that was taken back: %s", g.now())
		}
		g.free("outer")
		g.free("late")
		r.ended(late).is("final", a2a.StateCompleted, 200)
		meta := inner.Task().Snapshot(nil, true)
		if got := string(meta.Metadata["parentTask"]); got != `"`+outer.Task().ID()+`"` || len(meta.History) == 0 || fmt.Sprint(meta.History[0].ReferenceTaskIDs) != "["+outer.Task().ID()+"]" {
			t.Errorf("the nested call's task does not say what it is a part of: %s %+v", got, meta.History)
		}
	})
}

// What is canceled takes with it what it has called; what ends by itself does not. Calls
// are nested to a limit.
func TestNestedCallsFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, deciding(policy.Allow))
		chain := []*call.Invocation{r.named("go.write", "0")}
		for n := 1; n < call.Depth; n++ {
			chain = append(chain, r.nested("go.write", fmt.Sprint(n), chain[n-1]))
		}
		r.ended(r.nested("go.write", "deep", chain[call.Depth-1])).is("denied", a2a.StateRejected, 403).says("8 deep")
		if g.now() != "[0 1 2 3 4 5 6 7]" {
			t.Fatalf("ran: %s", g.now())
		}
		chain[1].Task().Cancel(task.ErrCanceled)
		for _, inv := range chain[1:] {
			r.ended(inv).is("canceled", a2a.StateCanceled, 409)
		}
		left := r.nested("go.read", "left", chain[0])
		g.free("0")
		r.ended(chain[0]).is("final", a2a.StateCompleted, 200)
		g.free("left")
		r.ended(left).is("final", a2a.StateCompleted, 200)
	})
}

// A call that the agent works for holds nothing: the agent's own calls run.
func TestAgentHoldsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		var within []string
		free := make(chan struct{})
		r := newRig(t, tool("test.agent", `{"effects":"write"}`), reg, deciding(policy.Allow), withAgent(func(ctx context.Context, c driver.Call) (driver.CallResult, error) {
			within = append(within, c.Within)
			<-free
			return driver.CallResult{Output: []byte("1")}, nil
		}))
		outer := r.named("go.write", "outer")
		agent := r.nested("test.agent", "agent", outer)
		foreign := r.named("go.write", "foreign")
		inner := r.nested("go.write", "inner", agent)
		again := r.nested("test.agent", "again", inner)
		g.free("foreign")
		g.free("inner")
		close(free)
		for _, inv := range []*call.Invocation{foreign, inner, again, agent} {
			r.ended(inv).is("final", a2a.StateCompleted, 200)
		}
		g.free("outer")
		r.ended(outer).is("final", a2a.StateCompleted, 200)
		if fmt.Sprint(within) != fmt.Sprint([]string{"", agent.Task().ID()}) {
			t.Errorf("the agent is told that it waits in %q", within)
		}
	})
}

// A call of the agent's asks in the task of its turn; without a turn nobody is asked.
func TestAgentsCallAsksInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, deciding(policy.Ask))
		turn := r.tasks.Create("ann", "c", &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("work")}}, nil)
		inv := r.p.Start(call.Request{Tool: "go.write", Arguments: json.RawMessage(`{"n":"asked"}`), Agent: true, Within: turn, Caller: "ann", ContextID: "c"})
		synctest.Wait()
		if turn.State() != a2a.StateAuthRequired || inv.Task().State().Interrupted() || g.now() != "[]" {
			t.Fatalf("the turn is %s, the call %s: %s", turn.State(), inv.Task().State(), g.now())
		}
		if err := turn.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("once")}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		g.free("asked")
		r.ended(inv).is("final", a2a.StateCompleted, 200)
		r.ended(r.p.Start(call.Request{Tool: "go.write", Agent: true})).is("denied", a2a.StateRejected, 403)
		again := r.p.Start(call.Request{Tool: "go.write", Agent: true, Within: turn, Caller: "ann", ContextID: "c"})
		synctest.Wait()
		turn.Cancel(task.ErrCanceled)
		r.ended(again).is("canceled", a2a.StateCanceled, 409)
	})
}

// The caller's own limit covers the whole call, and the smallest limit wins.
func TestCallersTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, func(o *call.Options) { o.Timeout = time.Minute })
		r.named("go.write", "w")
		began := time.Now()
		queued := r.p.Start(call.Request{Tool: "go.read", Timeout: 10 * time.Second})
		r.ended(queued).is("timed_out", a2a.StateFailed, 504).says("10s")
		g.free("w")
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("ended after %s", took)
		}
		r.ended(r.p.Start(call.Request{Tool: "go.read", Arguments: json.RawMessage(`{"n":"r"}`), Timeout: 20 * time.Second})).is("timed_out", a2a.StateFailed, 504).says("20s")
		r.ended(r.p.Start(call.Request{Tool: "go.read", Arguments: json.RawMessage(`{"n":"s"}`), Timeout: time.Hour})).is("timed_out", a2a.StateFailed, 504).says("1m0s")
	})
}

// When a call of a batch fails, those of the batch that say so are canceled, at whatever
// stage they are, and no others.
func TestBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg)
		start := func(tool, n, batch string, cancel bool) *call.Invocation {
			inv := r.p.Start(call.Request{Tool: tool, ContextID: "c", Arguments: json.RawMessage(`{"n":"` + n + `"}`), Batch: call.Batch{ID: batch, Cancel: cancel}})
			synctest.Wait()
			return inv
		}
		runs := start("go.read", "runs", "b", true)
		goesOn := start("go.read", "goes on", "b", false)
		elsewhere := start("go.read", "elsewhere", "c", true)
		waits := start("go.write", "waits", "b", true)
		r.ended(start("go.missing", "", "b", true)).is("unknown_tool", a2a.StateRejected, 404)
		r.ended(runs).is("canceled", a2a.StateCanceled, 409).says(`"go.missing"`, "batch")
		r.ended(waits).is("canceled", a2a.StateCanceled, 409)
		r.ended(start("go.read", "late", "b", true)).is("canceled", a2a.StateCanceled, 409)
		for n, inv := range map[string]*call.Invocation{"goes on": goesOn, "elsewhere": elsewhere} {
			g.free(n)
			r.ended(inv).is("final", a2a.StateCompleted, 200)
		}
		next := start("go.read", "next", "b", true) // the batch has ended: this is another
		g.free("next")
		r.ended(next).is("final", a2a.StateCompleted, 200)
	})
}

// A batch is one caller's. Those without a name, who may be anybody, are told apart by their
// contexts.
func TestBatchesAreApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			first, second call.Request
			one           bool
		}{
			"one caller":               {call.Request{Caller: "ann"}, call.Request{Caller: "ann"}, true},
			"one caller, two contexts": {call.Request{Caller: "ann", ContextID: "c1"}, call.Request{Caller: "ann", ContextID: "c2"}, true},
			"two callers":              {call.Request{Caller: "ann", ContextID: "c"}, call.Request{Caller: "bob", ContextID: "c"}, false},
			"no names, one context":    {call.Request{ContextID: "c"}, call.Request{ContextID: "c"}, true},
			"no names, two contexts":   {call.Request{ContextID: "c1"}, call.Request{ContextID: "c2"}, false},
			"no names, no contexts":    {call.Request{}, call.Request{}, false},
		} {
			g, reg := newGate(t)
			r := newRig(t, "", reg)
			batch := call.Batch{ID: "b", Cancel: true}
			c.first.Tool, c.first.Arguments, c.first.Batch = "go.read", json.RawMessage(`{"n":"runs"}`), batch
			c.second.Tool, c.second.Batch = "go.missing", batch
			runs := r.p.Start(c.first)
			synctest.Wait()
			r.ended(r.p.Start(c.second)).is("unknown_tool", a2a.StateRejected, 404)
			synctest.Wait()
			if !c.one {
				g.free("runs")
			}
			if got := r.ended(runs).inv.Outcome().String(); (got == "canceled") != c.one {
				t.Errorf("%s: %s", name, got)
			}
		}
	})
}

// A tool that must not be interrupted runs to its end when its call is canceled, and the
// task says so; its time limit and a drain stop it.
func TestInterruptFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := manifest.NewRegistry()
		free := make(chan struct{})
		err := reg.Register(manifest.Definition{
			Name: "go.finish", Description: "a test tool", InputSchema: json.RawMessage(`{"type":"object"}`), Interrupt: manifest.InterruptFinish,
		}, func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
			select {
			case <-free:
				return json.RawMessage(`1`), nil
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(t, "", reg, func(o *call.Options) { o.Timeout = time.Minute })
		inv := r.p.Start(call.Request{Tool: "go.finish"})
		synctest.Wait()
		inv.Task().Cancel(task.ErrCanceled)
		synctest.Wait()
		now := inv.Task().Snapshot(nil, false).Status
		if now.State != a2a.StateWorking || now.Message == nil || now.Message.Parts[0].Text != `canceled, but "go.finish" runs to its end: it must not be interrupted` {
			t.Fatalf("%s %+v", now.State, now.Message)
		}
		close(free)
		r.ended(inv).is("final", a2a.StateCompleted, 200)
		free = nil
		late := r.p.Start(call.Request{Tool: "go.finish"})
		synctest.Wait()
		late.Task().Cancel(task.ErrCanceled)
		r.ended(late).is("timed_out", a2a.StateFailed, 504)
		drained := r.p.Start(call.Request{Tool: "go.finish"})
		synctest.Wait()
		drained.Task().Cancel(task.ErrCanceled)
		began := time.Now()
		if err := r.p.Drain(t.Context(), 2*time.Second); err != nil || time.Since(began) != 2*time.Second {
			t.Errorf("drained after %s: %v", time.Since(began), err)
		}
		r.ended(drained).is("failed", a2a.StateFailed, 502).says("shutting down")
	})
}
