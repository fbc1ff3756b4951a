package call_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// TestRulesKnowTheDirectories: a rule's {workspace} and the redirections of a command line
// mean the directories in which the call works.
func TestRulesKnowTheDirectories(t *testing.T) {
	dir := t.TempDir()
	scope, err := capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{dir}})
	if err != nil {
		t.Fatal(err)
	}
	rules, _, err := policy.Load([]policy.File{{Scope: policy.ScopeManifest, Name: "p.json", Data: []byte(`{"rules":[
		{"permission":"*","action":"ask"},
		{"permission":"acme.sh","pattern":"ls","action":"allow"},
		{"permission":"acme.sh","pattern":"{workspace}/out/**","action":"allow"}]}`)}}, policy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	definition := `{"name":"acme.sh","description":"d","inputSchema":{"type":"object","properties":{"command":{"type":"string"}}},"x-sidecar":
		{"bridge":{"exec":{"command":["true"]}},"effects":"read","uses":{"shell.run":["/command"]},"requires":{"fs":{"write":["/**"]},"shell":[{"cmd":"ls"},{"cmd":"true"}]}}}`
	for command, want := range map[string]policy.Verdict{
		"ls > out/x":    policy.Allow,
		"ls > ../out/x": policy.Ask,
		"ls > other":    policy.Ask,
	} {
		var got policy.Verdict
		r := newRig(t, definition, nil, func(o *call.Options) {
			o.Scope = scope
			o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
				got = rules.Decide(t.Context(), q).Verdict
				return policy.Decision{}
			})
		})
		r.run("acme.sh", `{"command":"`+command+`"}`)
		if got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
}
