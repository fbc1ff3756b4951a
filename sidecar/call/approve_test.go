package call_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

func TestApproval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, deciding(policy.Ask), func(o *call.Options) { o.Queue = 0; o.MaxConcurrency = 2 })
		ask := func(n string) *call.Invocation {
			inv := r.named("go.write", n)
			select {
			case <-inv.Waiting():
			default:
				t.Fatalf("not waiting: %s %s", inv.Task().State(), inv.Envelope())
			}
			return inv
		}
		yes, no := ask("yes"), ask("no")
		if s := yes.Task().State(); s != a2a.StateAuthRequired {
			t.Fatalf("state %s", s)
		}
		if m := yes.Task().Snapshot(nil, false).Status.Message; m == nil || !strings.HasPrefix(m.Parts[0].Text, "May this call of go.write run?\n  arguments {\"n\":\"yes\"}\n") || !strings.Contains(m.Parts[0].Text, "the test says so") {
			t.Errorf("an explaining message: %+v", m)
		}
		if reply := yes.Reply(); reply.Status != 202 || reply.TaskID != yes.Task().ID() || !json.Valid(reply.Envelope) {
			t.Errorf("reply %d %s", reply.Status, reply.Envelope)
		}
		r.ended(r.named("go.write", "third")).is("busy", a2a.StateRejected, 429) // approvals are bounded too
		if err := yes.Task().Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("perhaps")}}); err == nil {
			t.Error("an answer that is none of the options was taken")
		}
		answer(t, no, "reject")
		r.ended(no).is("rejected", a2a.StateRejected, 403)
		if g.now() != "[]" {
			t.Fatalf("ran without an approval: %s", g.now())
		}
		answer(t, yes, "once")
		synctest.Wait()
		g.free("yes")
		r.ended(yes).is("final", a2a.StateCompleted, 200)

		gone := ask("gone")
		gone.Task().Cancel(task.ErrCanceled)
		r.ended(gone).is("canceled", a2a.StateCanceled, 409)
		if g.now() != "[yes]" {
			t.Errorf("ran: %s", g.now())
		}
	})
}

// An approved call has kept its place: it waits although the queue is full.
func TestApprovedCallIsNeverBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, reg := newGate(t)
		r := newRig(t, "", reg, func(o *call.Options) {
			o.Queue = 0
			o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
				if q.Caller == "ann" {
					return policy.Decision{Verdict: policy.Ask}
				}
				return policy.Decision{Verdict: policy.Allow}
			})
		})
		r.named("go.write", "w")
		inv := r.p.Start(call.Request{Tool: "go.write", Caller: "ann", Arguments: json.RawMessage(`{"n":"asked"}`)})
		synctest.Wait()
		answer(t, inv, "once")
		synctest.Wait()
		r.ended(r.named("go.write", "other")).is("busy", a2a.StateRejected, 429)
		g.free("w")
		g.free("asked")
		r.ended(inv).is("final", a2a.StateCompleted, 200)
	})
}

// court is a pipeline whose every call is asked for, and everything that may change
// meanwhile.
type court struct {
	*rig
	g         *gate
	approvals *approval.Registry

	mu         sync.Mutex
	surface    *manifest.Snapshot
	verdict    policy.Verdict
	revision   string
	remembered []policy.Request
}

func newCourt(t *testing.T, tweak ...func(*call.Options)) *court {
	g, reg := newGate(t)
	c := &court{g: g, verdict: policy.Ask, revision: "r1", surface: parse(t, "", reg),
		approvals: approval.NewRegistry(approval.Limits{Max: 8, Remembered: 8, Timeout: 10 * time.Minute})}
	c.rig = newRig(t, "", reg, append([]func(*call.Options){func(o *call.Options) {
		o.Approvals = c.approvals
		o.Surface = func(*call.Request) *manifest.Snapshot {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.surface
		}
		o.Decider = deciderFunc(func(policy.Request) policy.Decision {
			c.mu.Lock()
			defer c.mu.Unlock()
			return policy.Decision{Verdict: c.verdict, Rule: "test", Reason: "the test says so", Revision: c.revision}
		})
		o.Remember = func(q policy.Request) { c.remembered = append(c.remembered, q) }
	}}, tweak...)...)
	return c
}

// rules changes what the policy says.
func (c *court) rules(v policy.Verdict, revision string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.verdict, c.revision = v, revision
}

// tools changes the manifest.
func (c *court) tools(s *manifest.Snapshot) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.surface = s
}

// asked starts a call of ann's and returns it with its open approval.
func (c *court) asked(n string) (*call.Invocation, *approval.Approval) {
	c.t.Helper()
	inv := c.p.Start(call.Request{Tool: "go.write", Caller: "ann", Arguments: json.RawMessage(fmt.Sprintf(`{"n":%q}`, n))})
	synctest.Wait()
	return inv, c.open()
}

// open returns the one open approval.
func (c *court) open() *approval.Approval {
	c.t.Helper()
	open := c.approvals.List(approval.By{Caller: "ann"})
	if len(open) != 1 {
		c.t.Fatalf("%d approvals are open", len(open))
	}
	return open[0]
}

// post answers as POST /a2a/approvals/{id} does.
func (c *court) post(a *approval.Approval, o approval.Option, reason string) error {
	err := c.approvals.Answer(c.t.Context(), approval.By{Caller: "ann"}, a.ID(), approval.Reply{Digest: a.Digest(), Option: o, Reason: reason})
	synctest.Wait()
	return err
}

func isConflict(err error) bool {
	var e *a2a.Error
	return errors.As(err, &e) && e.HTTP == http.StatusConflict
}

// An answer by the way of programs ends the task's question, and the other way round.
func TestApprovalIsOneWhateverTheDoor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t)
		inv, a := c.asked("1")
		if err := c.post(a, approval.Once, ""); err != nil {
			t.Fatal(err)
		}
		if inv.Task().Asking() || inv.Task().State() != a2a.StateWorking {
			t.Errorf("the task is %s, asking: %v", inv.Task().State(), inv.Task().Asking())
		}
		c.g.free("1")
		c.ended(inv).is("final", a2a.StateCompleted, 200)

		inv, a = c.asked("2")
		m := &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.DataPart(fmt.Appendf(nil, `{%q:{"id":%q,"digest":%q,"option":"reject","reason":"not on a Friday"}}`, approval.URI, a.ID(), a.Digest()))}}
		if err := inv.Task().Answer(m); err != nil {
			t.Fatal(err)
		}
		c.ended(inv).is("rejected", a2a.StateRejected, 403).says("not on a Friday")
		if err := c.post(a, approval.Once, ""); !isConflict(err) {
			t.Errorf("a second answer: %v", err)
		}
		if got := c.g.now(); got != "[1]" {
			t.Errorf("ran: %s", got)
		}
	})
}

func TestAnswerIsBoundToTheDigest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t)
		inv, a := c.asked("1")
		m := &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.DataPart(fmt.Appendf(nil, `{%q:{"id":%q,"digest":"sha256:0","option":"once"}}`, approval.URI, a.ID()))}}
		if err := inv.Task().Answer(m); !isConflict(err) {
			t.Errorf("another digest: %v", err)
		}
		if !inv.Task().Asking() {
			t.Fatal("the question is gone")
		}
		answer(t, inv, "once")
		synctest.Wait()
		c.g.free("1")
		c.ended(inv).is("final", a2a.StateCompleted, 200)
	})
}

// Between the question and the answer the world goes on. A yes counts only for what was
// shown, and runs only what may run now.
func TestDecidedAgain(t *testing.T) {
	other := func(t *testing.T) *manifest.Snapshot { return parse(t, tool("go.write", `{}`), nil) }
	for _, tc := range []struct {
		name    string
		change  func(*court)
		refused bool   // the yes is told 409
		outcome string // "": it is asked for again
		says    string
	}{
		{"nothing", func(*court) {}, false, "final", ""},
		{"another definition", func(c *court) { c.tools(other(t)) }, true, "denied", "the definition of \"go.write\" has changed"},
		{"no such tool any more", func(c *court) { c.tools(parse(t, "", nil)) }, true, "denied", "the definition of"},
		{"the policy denies", func(c *court) { c.rules(policy.Deny, "r2") }, true, "denied", "you may not call"},
		{"the policy denies, with the same revision", func(c *court) { c.rules(policy.Deny, "r1") }, false, "denied", "you may not call"},
		{"the policy allows", func(c *court) { c.rules(policy.Allow, "r2") }, true, "final", ""},
		{"another policy asks", func(c *court) { c.rules(policy.Ask, "r2") }, true, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCourt(t)
				inv, a := c.asked("1")
				tc.change(c)
				if err := c.post(a, approval.Once, ""); isConflict(err) != tc.refused {
					t.Errorf("the yes: %v", err)
				}
				if tc.outcome == "" {
					next := c.open()
					if next == a || next.Digest() == a.Digest() || !inv.Task().Asking() {
						t.Fatal("it is not asked for again")
					}
					if err := c.post(next, approval.Once, ""); err != nil {
						t.Fatal(err)
					}
				}
				if tc.outcome == "denied" {
					c.ended(inv).is("denied", a2a.StateRejected, 403).says(tc.says)
					return
				}
				c.g.free("1")
				c.ended(inv).is("final", a2a.StateCompleted, 200)
			})
		})
	}
}

func TestNobodyAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t)
		inv, a := c.asked("1")
		time.Sleep(10*time.Minute - time.Nanosecond)
		if !inv.Task().Asking() {
			t.Fatal("it is withdrawn too early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		c.ended(inv).is("denied", a2a.StateRejected, 403).says("nobody answered within 10m0s")
		var e *a2a.Error
		if err := c.post(a, approval.Once, ""); !errors.As(err, &e) || e.HTTP != http.StatusGone {
			t.Errorf("an answer that comes too late: %v", err)
		}
	})
}

func TestOnlyAlwaysIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t)
		for i, o := range []approval.Option{approval.Once, approval.Reject, approval.Always} {
			inv, a := c.asked(fmt.Sprint(i))
			if err := c.post(a, o, ""); err != nil {
				t.Fatal(err)
			}
			if o != approval.Reject {
				c.g.free(fmt.Sprint(i))
			}
			c.ended(inv)
		}
		if len(c.remembered) != 1 || c.remembered[0].Arguments != `{"n":"2"}` || c.remembered[0].Caller != "ann" || c.remembered[0].Source != "registry" {
			t.Errorf("remembered: %+v", c.remembered)
		}
	})
}

// Only the callers that the policy names may answer, and the task's caller is told so.
func TestApproversOfThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t, func(o *call.Options) { o.Approvers = func() []string { return []string{"carol"} } })
		inv := c.p.Start(call.Request{Tool: "go.write", Caller: "ann", Arguments: json.RawMessage(`{"n":"1"}`)})
		synctest.Wait()
		err := inv.Task().Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("once")}})
		var e *a2a.Error
		if !errors.As(err, &e) || e.HTTP != http.StatusNotFound {
			t.Errorf("the task's caller answers: %v", err)
		}
		carol := approval.By{Caller: "carol"}
		open := c.approvals.List(carol)
		if len(open) != 1 {
			t.Fatalf("%d are open for carol", len(open))
		}
		if err := c.approvals.Answer(t.Context(), carol, open[0].ID(), approval.Reply{Digest: open[0].Digest(), Option: approval.Once}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.g.free("1")
		c.ended(inv).is("final", a2a.StateCompleted, 200)
	})
}

// A call that the agent makes outside of a turn is asked of the person at the terminal; if
// nobody is there, it is denied.
func TestAgentsCallOutsideOfATurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told, taken []string
		c := newCourt(t, func(o *call.Options) {
			o.Person = func(a *approval.Approval) func() {
				told = append(told, a.Subject().Tool)
				return func() { taken = append(taken, a.ID()) }
			}
		})
		inv := c.p.Start(call.Request{Tool: "go.write", Agent: true, Caller: "ann", Arguments: json.RawMessage(`{"n":"1"}`)})
		synctest.Wait()
		person := approval.By{Caller: "bob", Person: true}
		open := c.approvals.List(person)
		if len(open) != 1 || !slices.Equal(told, []string{"go.write"}) || len(taken) != 0 {
			t.Fatalf("open %v, told %v, taken back %v", open, told, taken)
		}
		if inv.Task().Asking() {
			t.Error("the agent's own task asks")
		}
		if err := c.approvals.Answer(t.Context(), person, open[0].ID(), approval.Reply{Digest: open[0].Digest(), Option: approval.Once}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.g.free("1")
		c.ended(inv).is("final", a2a.StateCompleted, 200)
		if len(taken) != 1 {
			t.Error("the notice stays")
		}

		c = newCourt(t)
		inv = c.p.Start(call.Request{Tool: "go.write", Agent: true})
		c.ended(inv).is("denied", a2a.StateRejected, 403).says("nobody can be asked", "outside of a turn")
	})
}

func TestHeadlessAsksNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t, func(o *call.Options) {
			o.Headless, o.Person = true, func(*approval.Approval) func() { return func() {} }
			o.Approvers = func() []string { return []string{"carol"} }
		})
		for _, agent := range []bool{false, true} {
			c.ended(c.p.Start(call.Request{Tool: "go.write", Agent: agent})).is("denied", a2a.StateRejected, 403).says("nobody can be asked")
		}
	})
}

// A client that has activated gemini-cli's extension is asked and answers in its shapes.
func TestConfirmationOfGeminiCLI(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t)
		inv := c.p.Start(call.Request{ID: "c1", Tool: "go.write", Caller: "ann", Arguments: json.RawMessage(`{"n":"1"}`), Extensions: []string{approval.DevelopmentToolURI}})
		synctest.Wait()
		status := inv.Task().Snapshot(nil, false).Status
		if status.State != a2a.StateInputRequired || !slices.Contains(status.Message.Extensions, approval.DevelopmentToolURI) ||
			string(status.Message.Metadata[approval.DevelopmentToolURI]) != `{"kind":"TOOL_CALL_CONFIRMATION"}` {
			t.Errorf("asked in %s by %+v", status.State, status.Message)
		}
		if !slices.ContainsFunc(status.Message.Parts, func(p a2a.Part) bool {
			return strings.Contains(string(p.Data), `"confirmation_request":{"options":[{"id":"proceed_once"`)
		}) {
			t.Errorf("no confirmation is requested: %+v", status.Message.Parts)
		}
		m := &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.DataPart([]byte(`{"tool_call_id":"c1","selected_option_id":"proceed_once"}`))}}
		if err := inv.Task().Answer(m); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		c.g.free("1")
		c.ended(inv).is("final", a2a.StateCompleted, 200)
	})
}

// The registry bounds what waits in addition to the schedule.
func TestTooManyApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := approval.NewRegistry(approval.Limits{Max: 1, Timeout: time.Minute})
		c := newCourt(t, func(o *call.Options) { o.Approvals = one })
		first := c.named("go.write", "1")
		c.ended(c.named("go.write", "2")).is("busy", a2a.StateRejected, 429).says("too many calls wait for an approval")
		first.Task().Cancel(task.ErrCanceled)
		c.ended(first).is("canceled", a2a.StateCanceled, 409)
		if one.Load() != 0 {
			t.Error("the canceled call's approval is open")
		}
	})
}
