package call_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, func(o *call.Options) {
			o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
				if q.Caller == "ann" {
					return policy.Decision{Verdict: policy.Ask}
				}
				return policy.Decision{Verdict: policy.Allow}
			})
		})
		good, slow := r.named("go.read", "good"), r.named("go.read", "slow")
		queued := r.named("go.write", "queued")
		asked := r.p.Start(call.Request{Tool: "go.read", Caller: "ann"})
		early := r.p.Admit(call.Request{Tool: "go.read"})
		synctest.Wait()

		drained := make(chan error, 1)
		began := time.Now()
		go func() { drained <- r.p.Drain(t.Context(), 2*time.Second) }()
		synctest.Wait()
		r.ended(queued).is("busy", a2a.StateRejected, 429).says("not started")
		r.ended(asked).is("busy", a2a.StateRejected, 429).says("not started")
		r.ended(r.named("go.read", "new")).is("unavailable", a2a.StateFailed, 503)
		early.Start()
		r.ended(early).is("unavailable", a2a.StateFailed, 503)
		g.free("good")
		r.ended(good).is("final", a2a.StateCompleted, 200)
		if err := <-drained; err != nil || time.Since(began) != 2*time.Second {
			t.Errorf("drained after %s: %v", time.Since(began), err)
		}
		r.ended(slow).is("failed", a2a.StateFailed, 502).says("shutting down")
	})
}

func TestDrainWithNothingToDoIsInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "", nil)
		began := time.Now()
		if err := r.p.Drain(t.Context(), time.Hour); err != nil || time.Since(began) != 0 {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

func TestDrainThatIsCutShort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, reg := newGate(t)
		r := newRig(t, "", reg)
		inv := r.named("go.read", "slow")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		r.p.Drain(ctx, time.Hour)
		if took := time.Since(began); took != time.Second {
			t.Errorf("took %s", took)
		}
		r.ended(inv).is("failed", a2a.StateFailed, 502).says("shutting down")
	})
}

func TestCloseStopsAllAndWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, reg := newGate(t)
		r := newRig(t, "", reg)
		running, queued := r.named("go.write", "running"), r.named("go.write", "queued")
		r.p.Close()
		for _, inv := range []*call.Invocation{running, queued} {
			select {
			case <-inv.Done():
			default:
				t.Error("Close returned before a call had ended")
			}
		}
		r.ended(running).is("failed", a2a.StateFailed, 502)
		r.p.Close()
	})
}

// 1,000 calls while the manifest is replaced all the time: each keeps what it
// was admitted with, and each ends.
func TestReloadUnderLoad(t *testing.T) {
	old, renamed := manifest.NewRegistry(), manifest.NewRegistry()
	echo := func(says string) manifest.Handler {
		return func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(says), nil }
	}
	handler(t, old, "go.one", manifest.EffectsRead, echo(`"old"`))
	handler(t, old, "go.two", manifest.EffectsWrite, echo(`"old"`))
	handler(t, renamed, "go.one", manifest.EffectsRead, echo(`"new"`))
	snaps := make(chan *manifest.Snapshot, 1)
	a, b := parse(t, "", old), parse(t, "", renamed)
	current := a
	surface := func(*call.Request) *manifest.Snapshot { // another one for each call
		snaps <- current
		defer func() { <-snaps }()
		if current == a {
			current = b
		} else {
			current = a
		}
		return current
	}
	r := newRig(t, "", nil, func(o *call.Options) { o.Surface = surface; o.Queue = 2000 })
	calls := make([]*call.Invocation, 1000)
	for n := range calls {
		calls[n] = r.p.Start(call.Request{Tool: []string{"go.one", "go.two"}[n/2%2]})
	}
	for n, inv := range calls {
		e := r.ended(inv)
		pinned, two := []string{`"new"`, `"old"`}[n%2], n/2%2 == 1
		switch {
		case two && pinned == `"new"`:
			e.is("unknown_tool", a2a.StateRejected, 404)
		default:
			e.is("final", a2a.StateCompleted, 200).data(pinned)
		}
	}
}

// A call may be canceled in each stage, also before it has begun.
func TestCanceledBeforeItStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tweak := range []func(*call.Options){deciding(policy.Allow), deciding(policy.Ask), func(*call.Options) {}} {
			g, reg := newGate(t)
			r := newRig(t, "", reg, tweak)
			for range 20 { // its turn and its end are there at once
				inv := r.p.Admit(call.Request{Tool: "go.write"})
				inv.Task().Cancel(task.ErrCanceled)
				inv.Start()
				r.ended(inv).is("canceled", a2a.StateCanceled, 409)
			}
			if g.now() != "[]" {
				t.Errorf("ran: %s", g.now())
			}
		}
	})
}

func TestPanicInARuleFailsTheCall(t *testing.T) {
	r := newRig(t, tool("acme.x", `{}`), nil, func(o *call.Options) {
		o.Decider = deciderFunc(func(policy.Request) policy.Decision { panic("secret") })
	})
	for range 2 {
		r.run("acme.x", `{}`).is("failed", a2a.StateFailed, 502)
	}
}
