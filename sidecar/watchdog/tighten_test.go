package watchdog_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// The stricter one holds, and a refusal is never lifted.
func TestTighten(t *testing.T) {
	for _, rules := range []policy.Verdict{policy.Deny, policy.Ask, policy.Allow} {
		for _, said := range []policy.Verdict{policy.Deny, policy.Ask, policy.Allow} {
			before := policy.Decision{Verdict: rules, Kind: policy.KindRule, Scope: policy.ScopeManifest, Rule: "r", Reason: "theirs", Revision: "v1"}
			d := watchdog.Answer{Verdict: said, Reason: "its own"}.Tighten(before)
			if want := min(rules, said); d.Verdict != want {
				t.Errorf("rules %s, watchdog %s: %s", rules, said, d.Verdict)
			}
			if byWatchdog := said < rules; byWatchdog != (d.Kind == policy.KindWatchdog) || byWatchdog != (d.Reason == "its own") || d.Revision != "v1" {
				t.Errorf("rules %s, watchdog %s: %+v", rules, said, d)
			}
		}
	}
	if d := (watchdog.Answer{}).Tighten(policy.Decision{Verdict: policy.Allow}); d.Verdict != policy.Deny || d.Scope != policy.ScopeWatchdog {
		t.Errorf("the zero answer: %+v", d)
	}
}
