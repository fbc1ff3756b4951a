package approval_test

import (
	"errors"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/approval"
)

// A caller that has its share is told so, while others, those without a name together, still find
// room; whoever's approval ends may ask again.
func TestShareOfACaller(t *testing.T) {
	r := approval.NewRegistry(approval.Limits{Max: 5, Share: 2, Timeout: time.Minute})
	of := func(caller string) (*approval.Approval, error) {
		s := subject()
		s.Caller = caller
		return r.Open(approval.Request{Subject: s})
	}
	must := func(caller string) *approval.Approval {
		t.Helper()
		a, err := of(caller)
		if err != nil {
			t.Fatalf("%q: %v", caller, err)
		}
		return a
	}
	full := func(caller, says string) {
		t.Helper()
		if _, err := of(caller); !errors.Is(err, approval.ErrFull) || err.Error() != says {
			t.Errorf("%q: %v, want %s", caller, err, says)
		}
	}
	const share = "this caller has 2 calls that wait for an approval, which is the limit"
	first := must("ann")
	must("ann")
	full("ann", share)
	must("")
	must("")
	full("", share)
	must("bob")
	full("carol", "too many calls wait for an approval")
	if err := r.Answer(t.Context(), ann, first.ID(), reply(first, approval.Once)); err != nil {
		t.Fatal(err)
	}
	must("ann")
	full("ann", "too many calls wait for an approval")

	alone := approval.NewRegistry(approval.Limits{Max: 3, Timeout: time.Minute})
	for range 3 {
		if _, err := alone.Open(approval.Request{Subject: subject()}); err != nil {
			t.Errorf("without a share: %v", err)
		}
	}
}
