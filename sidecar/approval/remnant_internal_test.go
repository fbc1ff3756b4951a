package approval

import (
	"context"
	"testing"
	"time"
)

// Of an approval that has ended only what a late answer needs is kept.
func TestEndedApprovalsKeepNoCall(t *testing.T) {
	for name, end := range map[string]func(r *Registry, a *Approval) error{
		"answered": func(r *Registry, a *Approval) error {
			return r.Answer(t.Context(), By{Caller: "ann"}, a.ID(), Reply{Digest: a.Digest(), Option: Once})
		},
		"withdrawn": func(_ *Registry, a *Approval) error {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if _, err := a.Wait(ctx); err == nil {
				t.Error("an answer came")
			}
			return nil
		},
	} {
		r := NewRegistry(Limits{Max: 1, Remembered: 1, Timeout: time.Hour})
		subject := Subject{Tool: "acme.x", Arguments: `{"large":true}`, Caller: "ann"}
		a, err := r.Open(Request{Subject: subject, Approvers: []string{"ann"}, Now: func(context.Context) Subject { return subject }})
		if err != nil {
			t.Fatal(err)
		}
		if err := end(r, a); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		kept := r.byID[a.ID()]
		if kept == nil || kept.q.Now != nil || kept.q.Subject.Arguments != "" || len(r.ended) != 1 || r.ended[0] != kept {
			t.Errorf("%s: kept %+v", name, kept)
		}
		if a.Subject().Arguments != subject.Arguments {
			t.Errorf("%s: who has the approval has lost its subject", name)
		}
	}
}
