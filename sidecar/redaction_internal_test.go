package sidecar

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/output"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

func policyOf(t *testing.T, data string) *policy.Set {
	t.Helper()
	s, _, err := policy.Load([]policy.File{{Name: "policy.json", Scope: policy.ScopeManifest, Data: []byte(data)}}, policy.Options{Redaction: output.CheckPattern})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRedactionOfThePolicy(t *testing.T) {
	var warned []string
	current := policyOf(t, `{"rules":[],"redact":{"patterns":["acme-[0-9]{4}"],"environment":["DB","PIN"],"secrets":true}}`)
	r := &redaction{
		policy: func() *policy.Set { return current }, env: []string{"DB=correct horse", "PIN=1234", "OTHER=is-not-named"},
		warn: func(msg string, args ...any) { warned = append(warned, msg) },
	}
	const said = "acme-1234, correct horse, 1234, is-not-named, AKIAIOSFODNN7EXAMPLE"
	if got, _ := r.redactor().Text(said); got != "[redacted], [redacted], 1234, is-not-named, [redacted]" {
		t.Errorf("%q", got)
	}
	if first := r.redactor(); first != r.redactor() || len(warned) != 1 || !strings.Contains(warned[0], "is not taken out") {
		t.Errorf("it is made again for each call, or did not warn once: %q", warned)
	}
	current = policyOf(t, `{"rules":[]}`)
	if r.redactor() != nil {
		t.Error("a policy that names nothing takes something out")
	}
}

func TestPatternWithoutABoundIsAFaultOfThePolicy(t *testing.T) {
	_, _, err := policy.Load([]policy.File{{Name: "policy.json", Scope: policy.ScopeManifest, Data: []byte(`{"rules":[],"redact":{"patterns":["a+b"]}}`)}},
		policy.Options{Redaction: output.CheckPattern})
	if err == nil || !strings.Contains(err.Error(), "{1,256}") {
		t.Errorf("%v", err)
	}
}

// What cannot be built would hide nothing: a file that wants it is bad.
func TestRulesAreCheckedTogether(t *testing.T) {
	check := policyOptions(&config.Config{}, nil, &capability.Scope{}).Redactable
	if err := check(policy.Redact{Patterns: []string{"acme-[0-9]{4}"}, Secrets: true}); err != nil {
		t.Error(err)
	}
	if check(policy.Redact{Patterns: []string{"acme-[0-9]{4}", "a+b"}}) == nil {
		t.Error("a pattern without a bound is good")
	}
}
