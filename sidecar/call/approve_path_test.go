package call_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// A path that leads elsewhere when the yes comes is not what was allowed.
func TestApprovedPathLeadsElsewhere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	for _, err := range []error{os.Mkdir(filepath.Join(dir, "one"), 0o700), os.Mkdir(filepath.Join(dir, "two"), 0o700), os.Symlink("one", link)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	approvals := approval.NewRegistry(approval.Limits{Max: 8, Remembered: 8, Timeout: time.Minute})
	r := newRig(t, inputTool(t, `"path":{"type":"string"}`, ""), nil, withHost(t), deciding(policy.Ask), func(o *call.Options) {
		o.Approvals, o.Workspace = approvals, dir
	})
	inv := r.p.Start(call.Request{Tool: "acme.in", Arguments: json.RawMessage(`{"path":"link/x"}`)})
	next := func(want string) *approval.Approval {
		t.Helper()
		var a *approval.Approval
		await.True(t, "an approval of "+want, func() bool {
			open := approvals.List(approval.By{})
			if len(open) != 1 {
				return false
			}
			a = open[0]
			return slices.ContainsFunc(a.Subject().Uses, func(u policy.Use) bool { return u.Value == filepath.Join(dir, want) })
		})
		return a
	}
	yes := func(a *approval.Approval) {
		t.Helper()
		if err := approvals.Answer(t.Context(), approval.By{}, a.ID(), approval.Reply{Digest: a.Digest(), Option: approval.Once}); err != nil {
			t.Fatal(err)
		}
	}
	first := next("one/x")
	if err := errors.Join(os.Remove(link), os.Symlink("two", link)); err != nil {
		t.Fatal(err)
	}
	yes(first)
	second := next("two/x") // it is asked for again
	if err := errors.Join(os.Remove(link), os.Symlink("/etc", link)); err != nil {
		t.Fatal(err)
	}
	yes(second)
	r.ended(inv).is("denied", a2a.StateRejected, 403).says("you may not call")
}

// Of two answers that come at the same time one counts, and the call that goes on is not read
// by the other one any more (the race detector sees to that).
func TestAnswersAtOnce(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			c := newCourt(t)
			inv, a := c.asked("1")
			replies := make(chan error, 2)
			for range 2 {
				go func() {
					replies <- c.approvals.Answer(t.Context(), approval.By{Caller: "ann"}, a.ID(), approval.Reply{Digest: a.Digest(), Option: approval.Once})
				}()
			}
			first, second := <-replies, <-replies
			if (first == nil) == (second == nil) || first != nil && !isConflict(first) || second != nil && !isConflict(second) {
				t.Errorf("the answers: %v and %v", first, second)
			}
			synctest.Wait()
			c.g.free("1")
			c.ended(inv).is("final", a2a.StateCompleted, 200)
		})
	}
}

// Nobody is asked about a call of a tool whose definition is not the one that would run.
func TestRedefinedBeforeItIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCourt(t)
		inv := c.p.Admit(call.Request{Tool: "go.write", Caller: "ann", Arguments: json.RawMessage(`{"n":"1"}`)})
		c.tools(parse(t, tool("go.write", `{}`), nil))
		inv.Start()
		synctest.Wait()
		if open := c.approvals.List(approval.By{Caller: "ann"}); len(open) != 0 {
			t.Errorf("%d approvals are open", len(open))
		}
		c.ended(inv).is("denied", a2a.StateRejected, 403).says("the definition of \"go.write\" has changed")
	})
}
