package call_test

import (
	"context"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/audit"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
)

// faultyAudit panics when it is told of a call's end.
type faultyAudit struct{}

func (faultyAudit) Before(context.Context, *audit.Record) error { return nil }
func (faultyAudit) After(*audit.Record)                         { panic("the audit has a bug") }
func (faultyAudit) Stand(string) *audit.Arguments               { return &audit.Arguments{} }

// A call ends, and nothing else crashes, even if what writes its end down panics.
func TestPanicAtTheEnd(t *testing.T) {
	r := newRig(t, tool("acme.cat", `{"bridge":{"exec":{"command":["cat"]}}}`), nil, withHost(t), func(o *call.Options) { o.Audit = faultyAudit{} })
	inv := r.p.Start(call.Request{Tool: "acme.cat"})
	await.One(t, inv.Done(), "the end of the call")
	if s := inv.Task().State(); s != a2a.StateFailed || inv.Outcome().Case != call.Failed {
		t.Errorf("the task is %s, the call %s: %s", s, inv.Outcome(), inv.Envelope())
	}
}
