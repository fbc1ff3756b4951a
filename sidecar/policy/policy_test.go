package policy_test

import (
	"context"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

func TestBuiltIn(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	tool := &manifest.Tool{Name: "acme.echo"}
	for _, tc := range []struct {
		name string
		ctx  context.Context
		req  policy.Request
		want policy.Verdict
	}{
		{"a client's direct call is allowed", t.Context(), policy.Request{Tool: tool}, policy.Allow},
		{"a named client's direct call is allowed", t.Context(), policy.Request{Tool: tool, Caller: "ann"}, policy.Allow},
		{"the agent's own call is ask", t.Context(), policy.Request{Tool: tool, Agent: true}, policy.Ask},
		{"no tool is denied", t.Context(), policy.Request{}, policy.Deny},
		{"an ended context is denied", ended, policy.Request{Tool: tool}, policy.Deny},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := policy.BuiltIn().Decide(tc.ctx, tc.req)
			if d.Verdict != tc.want {
				t.Fatalf("verdict %s, want %s", d.Verdict, tc.want)
			}
			if d.Rule == "" || d.Reason == "" {
				t.Fatalf("a decision names its rule and reason: %+v", d)
			}
		})
	}
}

func TestZeroDecisionDenies(t *testing.T) {
	if v := (policy.Decision{}).Verdict; v != policy.Deny || v.String() != "deny" {
		t.Fatalf("the zero decision says %s", v)
	}
}
