package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// gate is two tools, go.read and go.write, that run until they are let go, and
// remember who ran beside whom.
type gate struct {
	mu      sync.Mutex
	order   []string
	running map[string]chan struct{}
	reads   int
	writes  int
	most    int
	broken  string
}

func newGate(t testing.TB) (*gate, *manifest.Registry) {
	g := &gate{running: map[string]chan struct{}{}}
	reg := manifest.NewRegistry()
	handler(t, reg, "go.read", manifest.EffectsRead, g.run(&g.reads))
	handler(t, reg, "go.write", manifest.EffectsWrite, g.run(&g.writes))
	return g, reg
}

func (g *gate) run(kind *int) manifest.Handler {
	return func(ctx context.Context, args json.RawMessage) (json.RawMessage, error) {
		var a struct{ N string }
		json.Unmarshal(args, &a)
		free := make(chan struct{})
		g.mu.Lock()
		g.order = append(g.order, a.N)
		g.running[a.N] = free
		*kind++
		g.most = max(g.most, g.reads+g.writes)
		if g.writes > 1 || g.writes == 1 && g.reads > 0 {
			g.broken = fmt.Sprintf("%d writes beside %d reads", g.writes, g.reads)
		}
		g.mu.Unlock()
		defer func() {
			g.mu.Lock()
			*kind--
			delete(g.running, a.N)
			g.mu.Unlock()
		}()
		select {
		case <-free:
			return nil, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (g *gate) now() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return fmt.Sprint(g.order)
}

func (g *gate) free(n string) {
	g.mu.Lock()
	close(g.running[n])
	g.mu.Unlock()
	synctest.Wait()
}

func (r *rig) named(tool, n string) *call.Invocation {
	inv := r.p.Start(call.Request{Tool: tool, Arguments: json.RawMessage(fmt.Sprintf(`{"n":%q}`, n))})
	synctest.Wait()
	return inv
}

func TestReadsTogetherWritesAloneInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg)
		r.named("go.read", "r1")
		r.named("go.read", "r2")
		r.named("go.write", "w1")
		r.named("go.read", "r3") // behind the write, or writes would starve
		r.named("go.write", "w2")
		r.named("go.read", "r4")
		r.named("go.read", "r5")
		for _, step := range []struct{ free, runs string }{
			{"", "[r1 r2]"},
			{"r1", "[r1 r2]"},
			{"r2", "[r1 r2 w1]"},
			{"w1", "[r1 r2 w1 r3]"},
			{"r3", "[r1 r2 w1 r3 w2]"},
			{"w2", "[r1 r2 w1 r3 w2 r4 r5]"},
		} {
			if step.free != "" {
				g.free(step.free)
			}
			got := g.now()
			if got = strings.Replace(got, "r2 r1", "r1 r2", 1); strings.HasSuffix(got, "r5 r4]") { // begun together
				got = strings.Replace(got, "r5 r4]", "r4 r5]", 1)
			}
			if got != step.runs {
				t.Errorf("after %q: %s, want %s", step.free, got, step.runs)
			}
		}
		g.free("r4")
		g.free("r5")
		if g.broken != "" {
			t.Error(g.broken)
		}
	})
}

func TestReadsRunAtMostConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, func(o *call.Options) { o.MaxConcurrency = 2 })
		for n := range 5 {
			r.named("go.read", fmt.Sprint(n))
		}
		for n := range 5 {
			g.free(fmt.Sprint(n))
		}
		if g.most != 2 || g.now() != "[0 1 2 3 4]" {
			t.Errorf("%d at once, in order %s", g.most, g.now())
		}
	})
}

func TestFullQueueIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, func(o *call.Options) { o.Queue = 2 })
		r.named("go.write", "w")
		one, two := r.named("go.read", "1"), r.named("go.read", "2")
		e := r.ended(r.named("go.read", "3")).is("busy", a2a.StateRejected, 429)
		if e.inv.Reply().RetryAfter <= 0 {
			t.Error("busy without Retry-After")
		}
		one.Task().Cancel(task.ErrCanceled)
		r.ended(one).is("canceled", a2a.StateCanceled, 409) // at once: time stands still here
		r.named("go.read", "4")                             // its place is free
		g.free("w")
		g.free("2")
		r.ended(two).is("final", a2a.StateCompleted, 200)
		g.free("4")
	})
}

// A known caller has half of the queue, so that others get into it, and callers take
// turns.
func TestOneCallersCallsKeepNobodyOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, func(o *call.Options) { o.Queue = 4 })
		start := func(caller, n string) *call.Invocation {
			inv := r.p.Start(call.Request{Tool: "go.write", Arguments: json.RawMessage(`{"n":"` + n + `"}`), Caller: caller})
			synctest.Wait()
			return inv
		}
		all := []*call.Invocation{start("alice", "1"), start("alice", "2"), start("alice", "3")} // one runs
		r.ended(start("alice", "4")).is("busy", a2a.StateRejected, 429)
		all = append(all, start("bob", "5"))
		for _, next := range []struct {
			at int
			n  string
		}{{0, "1"}, {1, "2"}, {3, "5"}, {2, "3"}} { // bob's comes before all of alice's have run
			synctest.Wait()
			g.free(next.n)
			r.ended(all[next.at]).is("final", a2a.StateCompleted, 200)
		}
	})
}

func TestWaitingCallIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg)
		r.named("go.write", "w")
		inv, f := r.follow(call.Request{Tool: "go.read", Arguments: json.RawMessage(`{"n":"r"}`)})
		if e := f.next(status(t, "PENDING")); e == nil || e.State() != a2a.StateSubmitted {
			t.Fatalf("a call that waits is pending and submitted: %+v", e)
		}
		g.free("w")
		if e := f.next(status(t, "EXECUTING")); e == nil || e.State() != a2a.StateWorking {
			t.Fatalf("then executing and working: %+v", e)
		}
		g.free("r")
		r.ended(inv).is("final", a2a.StateCompleted, 200)
	})
}

func TestTimeInTheQueueCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, func(o *call.Options) { o.Timeout = time.Minute })
		r.named("go.write", "w")
		inv := r.named("go.write", "later")
		time.Sleep(40 * time.Second)
		g.free("w")
		time.Sleep(40 * time.Second)
		g.free("later")
		e := r.ended(inv).is("final", a2a.StateCompleted, 200)
		if ms := *e.env.Metadata.DurationMS; ms != 40_000 {
			t.Errorf("duration %d ms is not the execution's", ms)
		}
		inv = r.named("go.write", "long")
		time.Sleep(time.Minute)
		synctest.Wait()
		r.ended(inv).is("timed_out", a2a.StateFailed, 504).says("1m0s")
	})
}

// A handler that ignores its context is left behind after the grace, keeps its
// turn until it returns, and is waited for by Close.
func TestHandlerThatDoesNotStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reg := manifest.NewRegistry()
		free := make(chan struct{})
		var returned atomic.Bool
		handler(t, reg, "go.deaf", manifest.EffectsWrite, func(context.Context, json.RawMessage) (json.RawMessage, error) {
			<-free
			returned.Store(true)
			return nil, nil
		})
		handler(t, reg, "go.echo", manifest.EffectsRead, func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil })
		r := newRig(t, "", reg, func(o *call.Options) { o.CancelGrace = 3 * time.Second })
		inv := r.p.Start(call.Request{Tool: "go.deaf"})
		synctest.Wait()
		began := time.Now()
		inv.Task().Cancel(task.ErrCanceled)
		r.ended(inv).is("canceled", a2a.StateCanceled, 409)
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("canceled after %s, the grace is 3s", took)
		}
		next := r.p.Start(call.Request{Tool: "go.echo"})
		synctest.Wait()
		if next.Task().State().Terminal() {
			t.Error("a read ran beside a write that still goes on")
		}
		close(free)
		r.ended(next).is("final", a2a.StateCompleted, 200)
		r.p.Close()
		if !returned.Load() {
			t.Error("Close did not wait for the handler")
		}
	})
}
