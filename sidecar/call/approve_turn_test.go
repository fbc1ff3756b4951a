package call_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Calls that the agent makes at once in one turn are asked for in its task, one after the
// other, and all of them are open for programs.
func TestCallsOfOneTurnAskOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t)
		m := &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("go")}}
		work := c.tasks.Create("ann", "x", m, nil)
		var calls []*call.Invocation
		for n := range 3 {
			calls = append(calls, c.p.Start(call.Request{Tool: "go.read", Agent: true, Within: work, Caller: "ann", ContextID: "x", Arguments: json.RawMessage(fmt.Sprintf(`{"n":"%d"}`, n))}))
			synctest.Wait()
		}
		if n := len(c.approvals.List(approval.By{Caller: "ann"})); n != 3 || work.State() != a2a.StateAuthRequired {
			t.Fatalf("%d are open, the turn's task is %s", n, work.State())
		}
		for _, inv := range calls {
			if s := inv.Task().State(); s.Interrupted() || s.Terminal() {
				t.Errorf("the call's own task is %s", s)
			}
		}
		var asked []string
		for range 3 {
			id := asking(t, work)
			asked = append(asked, id)
			if err := work.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("once")}}); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		slices.Sort(asked)
		if len(slices.Compact(asked)) != 3 || work.Asking() {
			t.Errorf("asked for %v, asking still: %v", asked, work.Asking())
		}
		for n, inv := range calls {
			c.g.free(fmt.Sprint(n))
			c.ended(inv).is("final", a2a.StateCompleted, 200)
		}
	})
}

// asking returns the id of the approval that a task asks for.
func asking(t *testing.T, k *task.Task) string {
	t.Helper()
	for _, p := range k.Snapshot(nil, false).Status.Message.Parts {
		var part map[string]approval.Document
		if p.Kind == a2a.PartData && json.Unmarshal(p.Data, &part) == nil && part[approval.URI].ID != "" {
			return part[approval.URI].ID
		}
	}
	t.Fatal("the task asks for no approval")
	return ""
}

// A turn that ends takes its question along: nobody is left who could be asked.
func TestTurnEndsWhileItsCallWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t)
		m := &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("go")}}
		work := c.tasks.Create("ann", "x", m, nil)
		inv := c.p.Start(call.Request{Tool: "go.read", Agent: true, Within: work, Caller: "ann", ContextID: "x"})
		synctest.Wait()
		a := c.open()
		if err := work.Finish(a2a.StateCompleted, nil, nil); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.ended(inv).is("denied", a2a.StateRejected, 403).says("nobody could be asked")
		if err := c.post(a, approval.Once, ""); !isConflict(err) {
			t.Errorf("an answer after that: %v", err)
		}
	})
}

// What was answered "always" is not asked for again, until the session has forgotten it.
func TestAlwaysUntilForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session := policy.NewSession(10)
		rules, _, err := policy.Load([]policy.File{{Scope: policy.ScopeManifest, Name: "p", Data: []byte(`{"rules":[{"permission":"*","action":"ask"}]}`)}}, policy.Options{Session: session})
		if err != nil {
			t.Fatal(err)
		}
		c := newCourt(t, func(o *call.Options) {
			o.Decider, o.Remember = rules, func(q policy.Request) { session.Remember(q.ContextID, q.Key) }
		})
		start := func(caller, contextID string) *call.Invocation {
			inv := c.p.Start(call.Request{Tool: "go.read", Caller: caller, ContextID: contextID, Arguments: json.RawMessage(`{"n":"1"}`)})
			synctest.Wait()
			return inv
		}
		first := start("ann", "x")
		if err := c.post(c.open(), approval.Always, ""); err != nil {
			t.Fatal(err)
		}
		c.g.free("1")
		c.ended(first).is("final", a2a.StateCompleted, 200)
		again := start("ann", "x")
		c.g.free("1")
		c.ended(again).is("final", a2a.StateCompleted, 200)
		for what, inv := range map[string]*call.Invocation{"another caller": start("bob", "x"), "another context": start("ann", "y")} {
			if !inv.Task().Asking() {
				t.Errorf("%s is not asked", what)
			}
			inv.Task().Cancel(task.ErrCanceled)
			c.ended(inv)
		}
		session.ForgetAll()
		if inv := start("ann", "x"); !inv.Task().Asking() {
			t.Error("it is not asked for after the session has forgotten it")
		}
	})
}
