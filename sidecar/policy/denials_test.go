package policy_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

func loaded(t *testing.T, scope, rules string) *policy.Set {
	t.Helper()
	s, _, err := policy.Load([]policy.File{{Scope: scope, Name: "p.json", Data: []byte(`{"rules":` + rules + `}`)}}, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a policy denies is denied where its denials went, with the same exceptions, and nothing is allowed by them.
func TestDenials(t *testing.T) {
	parent := loaded(t, policy.ScopeManifest, `[
		{"permission":"shell.run","action":"deny","reason":"no commands"},
		{"permission":"shell.run","pattern":"git *","action":"allow"},
		{"permission":"acme.wipe","action":"deny","callers":["alice"]},
		{"permission":"acme.pay","action":"deny","callers":["bob"]},
		{"permission":"acme.echo","action":"allow"}]`)
	d, err := policy.LoadDenials(parent.Denials("alice", true), policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	allows := policy.Decision{Verdict: policy.Allow, Kind: policy.KindRule, Revision: "own"}
	run := func(line string) []policy.Use { return []policy.Use{{Capability: policy.ShellRun, Value: line}} }
	for _, c := range []struct {
		tool string
		uses []policy.Use
		own  policy.Decision
		want policy.Verdict
	}{
		{"core.bash", run("rm -r x"), allows, policy.Deny},
		{"core.bash", run("git status"), allows, policy.Allow},
		{"core.bash", run("git status; rm x"), allows, policy.Deny},
		{"acme.wipe", nil, allows, policy.Deny},
		{"acme.pay", nil, allows, policy.Allow}, // it is denied to another caller
		{"acme.echo", nil, allows, policy.Allow},
		{"acme.other", nil, policy.Decision{Verdict: policy.Ask}, policy.Ask},
		{"acme.echo", nil, policy.Decision{Verdict: policy.Deny}, policy.Deny},
		{"acme.echo", nil, policy.Decision{Verdict: policy.Ask}, policy.Ask}, // what it allows is no yes here
	} {
		got := d.Tighten(context.Background(), policy.Request{Tool: &manifest.Tool{Name: c.tool}, Arguments: "{}", Uses: c.uses, Caller: "carol"}, c.own)
		if got.Verdict != c.want {
			t.Errorf("%s %v: %s, want %s", c.tool, c.uses, got.Verdict, c.want)
		}
		if got.Verdict == policy.Deny && c.own.Verdict != policy.Deny && (got.Scope != policy.ScopeTask || got.File != "" || !strings.HasSuffix(got.Reason, ", by the rules that came with the task")) {
			t.Errorf("%s is denied by %+v", c.tool, got)
		}
	}
	if all := loaded(t, policy.ScopeManifest, `[{"permission":"*","action":"ask"}]`).Denials("", true); all != nil {
		t.Errorf("a policy that denies nothing sends %s", all)
	}
}

func TestLoadDenialsRefuses(t *testing.T) {
	good := json.RawMessage(`{"rules":[{"permission":"*","action":"deny"}]}`)
	many := make([]json.RawMessage, policy.MaxDenials+1)
	for i := range many {
		many[i] = good
	}
	for _, c := range []struct {
		files []json.RawMessage
		want  string
	}{
		{many, "there are 17 lists of rules, and 16 at most can come with a task"},
		{[]json.RawMessage{json.RawMessage(`{"rules":"` + strings.Repeat("x", policy.MaxDenialBytes) + `"}`)}, "the rules are longer than 256KiB, which is the most that can come with a task"},
		{[]json.RawMessage{good, json.RawMessage(`{"rules":[{"permission":"*"}]}`)}, `"action" is missing`},
		{[]json.RawMessage{json.RawMessage(`{}`)}, `"rules" is missing`},
	} {
		if _, err := policy.LoadDenials(c.files, policy.Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: %v, want %s", c.files, err, c.want)
		}
	}
}
