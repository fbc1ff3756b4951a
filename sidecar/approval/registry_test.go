package approval_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

func subject() approval.Subject {
	return approval.Subject{
		CallID: "c1", TaskID: "t1", Tool: "acme.deploy", Source: "manifest", Definition: "sha256:def", Effects: "write",
		Arguments: `{"env":"prod"}`, Uses: []policy.Use{{Capability: policy.FSWrite, Pointer: "/path", Value: "/srv/data"}},
		Caller: "ann", ContextID: "x1", Scope: "manifest", Rule: "acme.* ask", File: "policy.json", Line: 7, Reason: "it deploys", Revision: "sha256:rev",
	}
}

func registry() *approval.Registry {
	return approval.NewRegistry(approval.Limits{Max: 2, Remembered: 2, Timeout: time.Minute})
}

func open(t *testing.T, r *approval.Registry, q approval.Request) *approval.Approval {
	t.Helper()
	if q.Subject.Tool == "" {
		q.Subject = subject()
	}
	a, err := r.Open(q)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func reply(a *approval.Approval, o approval.Option) approval.Reply {
	return approval.Reply{ID: a.ID(), Digest: a.Digest(), Option: o}
}

// refused checks the status and the reason of a refusal.
func refused(t *testing.T, what string, err error, status int, reason string) {
	t.Helper()
	var e *a2a.Error
	if !errors.As(err, &e) || e.HTTP != status || e.Reason != reason {
		t.Errorf("%s: %v (%+v), want %d %s", what, err, e, status, reason)
	}
}

var ann = approval.By{Caller: "ann"}

// waited is what a Wait returns.
type waited struct {
	answer approval.Answer
	err    error
}

func wait(ctx context.Context, a *approval.Approval) <-chan waited {
	c := make(chan waited, 1)
	go func() {
		answer, err := a.Wait(ctx)
		c <- waited{answer, err}
	}()
	return c
}

func TestAnswers(t *testing.T) {
	for _, o := range approval.Options() {
		r := registry()
		a := open(t, r, approval.Request{})
		c := wait(t.Context(), a)
		p := reply(a, o)
		p.Reason = "because \x1b[31m"
		if err := r.Answer(t.Context(), ann, a.ID(), p); err != nil {
			t.Fatal(err)
		}
		if w := <-c; w.err != nil || w.answer != (approval.Answer{Option: o, By: "ann", Reason: `because \x1b[31m`}) {
			t.Errorf("%s: %+v", o, w)
		}
		refused(t, "the same answer again", r.Answer(t.Context(), ann, a.ID(), p), http.StatusConflict, "APPROVAL_ANSWERED")
		if len(r.List(ann)) != 0 || r.Load() != 0 {
			t.Errorf("%s: it is open still", o)
		}
	}
}

// Each way to answer what one may not, or in a way that does not count, leaves the approval
// open for who may.
func TestRefusals(t *testing.T) {
	r := registry()
	a := open(t, r, approval.Request{})
	other := subject()
	other.Arguments = `{"env":"test"}`
	for _, c := range []struct {
		what   string
		by     approval.By
		id     string
		reply  approval.Reply
		status int
		reason string
	}{
		{"another caller", approval.By{Caller: "bob"}, a.ID(), reply(a, approval.Once), 404, "APPROVAL_NOT_FOUND"},
		{"nobody known", approval.By{}, a.ID(), reply(a, approval.Once), 404, "APPROVAL_NOT_FOUND"},
		{"the person, who was not asked", approval.By{Person: true}, a.ID(), reply(a, approval.Once), 404, "APPROVAL_NOT_FOUND"},
		{"another id", ann, "nonsense", reply(a, approval.Once), 404, "APPROVAL_NOT_FOUND"},
		{"another digest", ann, a.ID(), approval.Reply{Digest: other.Digest(), Option: approval.Once}, 409, "APPROVAL_CHANGED"},
		{"no digest", ann, a.ID(), approval.Reply{Option: approval.Reject}, 409, "APPROVAL_CHANGED"},
		{"another option", ann, a.ID(), reply(a, "perhaps"), 400, "INVALID_PARAMS"},
		{"another spelling", ann, a.ID(), reply(a, "Once"), 400, "INVALID_PARAMS"},
	} {
		refused(t, c.what, r.Answer(t.Context(), c.by, c.id, c.reply), c.status, c.reason)
	}
	if _, err := r.Get(approval.By{Caller: "bob"}, a.ID()); err == nil || len(r.List(approval.By{Caller: "bob"})) != 0 {
		t.Error("another caller sees it")
	}
	if err := r.Answer(t.Context(), ann, a.ID(), reply(a, approval.Once)); err != nil {
		t.Error(err)
	}
}

// The words of earlier releases are understood.
func TestOldWords(t *testing.T) {
	for word, want := range map[approval.Option]approval.Option{"allow": approval.Once, "deny": approval.Reject} {
		r := registry()
		a := open(t, r, approval.Request{})
		c := wait(t.Context(), a)
		if err := r.Answer(t.Context(), ann, a.ID(), reply(a, word)); err != nil {
			t.Fatal(err)
		}
		if w := <-c; w.answer.Option != want {
			t.Errorf("%s is %s", word, w.answer.Option)
		}
	}
}

func TestWhoMayAnswer(t *testing.T) {
	for _, c := range []struct {
		what string
		q    approval.Request
		by   approval.By
		may  bool
	}{
		{"the task's caller", approval.Request{}, ann, true},
		{"a named approver", approval.Request{Approvers: []string{"carol", "dan"}}, approval.By{Caller: "dan"}, true},
		{"the task's caller, who is not named", approval.Request{Approvers: []string{"carol"}}, ann, false},
		{"anonymous, who is not named", approval.Request{Approvers: []string{"carol"}}, approval.By{}, false},
		{"anonymous, named", approval.Request{Approvers: []string{"anonymous"}}, approval.By{}, true},
		{"the person, asked", approval.Request{Person: true}, approval.By{Caller: "bob", Person: true}, true},
		{"another caller than the person", approval.Request{Person: true}, approval.By{Caller: "bob"}, false},
	} {
		r := registry()
		a := open(t, r, c.q)
		_, err := r.Get(c.by, a.ID())
		if listed := len(r.List(c.by)) == 1; listed != c.may || (err == nil) != c.may {
			t.Errorf("%s: listed %v, %v", c.what, listed, err)
		}
	}
}

// Time stands still here: an approval ends when its time has passed, not before.
func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := registry()
		a := open(t, r, approval.Request{})
		c := wait(t.Context(), a)
		time.Sleep(time.Minute - time.Nanosecond)
		if _, err := r.Get(ann, a.ID()); err != nil {
			t.Errorf("a nanosecond before: %v", err)
		}
		time.Sleep(time.Nanosecond)
		refused(t, "in the very moment", r.Answer(t.Context(), ann, a.ID(), reply(a, approval.Once)), http.StatusGone, "APPROVAL_EXPIRED")
		if w := <-c; !errors.Is(w.err, approval.ErrTimeout) {
			t.Errorf("%+v", w)
		}
		refused(t, "after it", r.Answer(t.Context(), ann, a.ID(), reply(a, approval.Once)), http.StatusGone, "APPROVAL_EXPIRED")
	})
}

// A yes to what is no longer what was shown ends the approval; a no counts.
func TestOvertaken(t *testing.T) {
	for _, change := range []func(*approval.Subject){
		func(s *approval.Subject) { s.Definition = "sha256:other" },
		func(s *approval.Subject) { s.Definition = "" },
		func(s *approval.Subject) { s.Revision = "sha256:other" },
	} {
		r := registry()
		now := func(context.Context) approval.Subject {
			s := subject()
			change(&s)
			return s
		}
		a := open(t, r, approval.Request{Now: now})
		c := wait(t.Context(), a)
		refused(t, "a yes", r.Answer(t.Context(), ann, a.ID(), reply(a, approval.Always)), http.StatusConflict, "APPROVAL_CHANGED")
		if w := <-c; !errors.Is(w.err, approval.ErrOvertaken) {
			t.Errorf("%+v", w)
		}
		refused(t, "a second yes", r.Answer(t.Context(), ann, a.ID(), reply(a, approval.Once)), http.StatusConflict, "APPROVAL_CHANGED")

		a = open(t, r, approval.Request{Now: now})
		c = wait(t.Context(), a)
		if err := r.Answer(t.Context(), ann, a.ID(), reply(a, approval.Reject)); err != nil || (<-c).answer.Option != approval.Reject {
			t.Errorf("a no: %v", err)
		}
	}
}

func TestWithdrawn(t *testing.T) {
	r := registry()
	a := open(t, r, approval.Request{})
	ctx, cancel := context.WithCancelCause(t.Context())
	c := wait(ctx, a)
	gone := errors.New("the call has gone")
	cancel(gone)
	if w := <-c; !errors.Is(w.err, gone) {
		t.Errorf("%+v", w)
	}
	refused(t, "an answer", r.Answer(t.Context(), ann, a.ID(), reply(a, approval.Once)), http.StatusConflict, "APPROVAL_ANSWERED")
}

func TestBounds(t *testing.T) {
	r := registry()
	var all []*approval.Approval
	for range 2 {
		all = append(all, open(t, r, approval.Request{}))
	}
	if _, err := r.Open(approval.Request{Subject: subject()}); !errors.Is(err, approval.ErrFull) {
		t.Errorf("a third: %v", err)
	}
	if list := r.List(ann); len(list) != 2 || list[0] != all[0] {
		t.Errorf("listed: %v", list)
	}
	for range 2 { // each that ends leaves room, and two of those that ended are remembered
		for _, a := range r.List(ann) {
			if err := r.Answer(t.Context(), ann, a.ID(), reply(a, approval.Reject)); err != nil {
				t.Error(err)
			}
		}
		all = append(all, open(t, r, approval.Request{}))
	}
	refused(t, "one of long ago", r.Answer(t.Context(), ann, all[0].ID(), reply(all[0], approval.Once)), http.StatusNotFound, "APPROVAL_NOT_FOUND")
	refused(t, "one of before", r.Answer(t.Context(), ann, all[2].ID(), reply(all[2], approval.Once)), http.StatusConflict, "APPROVAL_ANSWERED")
}

func TestOneWins(t *testing.T) {
	r := registry()
	a := open(t, r, approval.Request{Now: func(context.Context) approval.Subject { return subject() }})
	c := wait(t.Context(), a)
	var wins, losses sync.Map
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			p := reply(a, approval.Options()[i%3])
			p.Reason = fmt.Sprint(i)
			if err := r.Answer(t.Context(), ann, a.ID(), p); err == nil {
				wins.Store(p.Reason, p.Option)
			} else {
				losses.Store(i, err)
			}
		})
	}
	all.Wait()
	w := <-c
	n := 0
	wins.Range(func(reason, option any) bool {
		n++
		if w.answer.Reason != reason || w.answer.Option != option {
			t.Errorf("%v %v was told that it won, the call got %+v", reason, option, w.answer)
		}
		return true
	})
	if n != 1 {
		t.Errorf("%d answers won", n)
	}
	losses.Range(func(_, err any) bool {
		refused(t, "a loser", err.(error), http.StatusConflict, "APPROVAL_ANSWERED")
		return true
	})
}

// Whatever of a call is another is another digest; the rule and its words are not.
func TestDigest(t *testing.T) {
	base := subject()
	seen := map[string]string{base.Digest(): "the call itself"}
	for what, change := range map[string]func(*approval.Subject){
		"call":       func(s *approval.Subject) { s.CallID = "c2" },
		"task":       func(s *approval.Subject) { s.TaskID = "t2" },
		"tool":       func(s *approval.Subject) { s.Tool = "acme.deploy2" },
		"source":     func(s *approval.Subject) { s.Source = "registry" },
		"definition": func(s *approval.Subject) { s.Definition = "sha256:2" },
		"effects":    func(s *approval.Subject) { s.Effects = "read" },
		"arguments":  func(s *approval.Subject) { s.Arguments = `{"env":"prod" }` },
		"value": func(s *approval.Subject) {
			s.Uses = []policy.Use{{Capability: policy.FSWrite, Pointer: "/path", Value: "/srv"}}
		},
		"capability": func(s *approval.Subject) {
			s.Uses = []policy.Use{{Capability: policy.FSRead, Pointer: "/path", Value: "/srv/data"}}
		},
		"pointer": func(s *approval.Subject) { s.Uses = []policy.Use{{Capability: policy.FSWrite, Value: "/srv/data"}} },
		"declared": func(s *approval.Subject) {
			s.Uses = []policy.Use{{Capability: policy.FSWrite, Pointer: "/path", Value: "/srv/data", Declared: true}}
		},
		"argv": func(s *approval.Subject) {
			s.Uses = []policy.Use{{Capability: policy.FSWrite, Pointer: "/path", Value: "/srv/data", Argv: []string{}}}
		},
		"no uses":  func(s *approval.Subject) { s.Uses = nil },
		"caller":   func(s *approval.Subject) { s.Caller = "bob" },
		"agent":    func(s *approval.Subject) { s.Agent = true },
		"context":  func(s *approval.Subject) { s.ContextID = "x2" },
		"revision": func(s *approval.Subject) { s.Revision = "" },
		"shifted":  func(s *approval.Subject) { s.Caller, s.ContextID = "annx", "1" },
		"bytes": func(s *approval.Subject) {
			s.Uses = []policy.Use{{Capability: policy.FSWrite, Pointer: "/path", Value: "/srv/data\xff"}}
		},
	} {
		s := subject()
		change(&s)
		if other := seen[s.Digest()]; other != "" {
			t.Errorf("%s: the digest of %s", what, other)
		}
		seen[s.Digest()] = what
	}
	same := subject()
	same.Rule, same.Line, same.Reason = "*", 9, "another"
	again := base
	again.CallID, again.TaskID, again.Revision, again.Reason = "c2", "t2", "sha256:2", "another"
	if again.Key() != base.Key() || base.Key() == base.Digest() {
		t.Errorf("the same call again has the key %s, the first %s", again.Key(), base.Key())
	}
	for _, other := range []func(*approval.Subject){
		func(s *approval.Subject) { s.Caller = "bob" }, func(s *approval.Subject) { s.ContextID = "x2" }, func(s *approval.Subject) { s.Arguments = "{}" },
		func(s *approval.Subject) { s.Definition = "sha256:2" }, func(s *approval.Subject) { s.Uses = nil }, func(s *approval.Subject) { s.Agent = true },
	} {
		s := subject()
		other(&s)
		if s.Key() == base.Key() {
			t.Errorf("another call has the same key: %+v", s)
		}
	}
	if same.Digest() != base.Digest() || !strings.HasPrefix(base.Digest(), "sha256:") {
		t.Errorf("%s, %s", same.Digest(), base.Digest())
	}
}
