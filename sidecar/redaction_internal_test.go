package sidecar

import (
	"strings"
	"testing"

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

// Patterns that are good one by one may be too many together: then nothing would be hidden at all.
// The file that makes them too many is bad, be it the project's.
func TestTooManyPatternsAreAFaultOfThePolicy(t *testing.T) {
	many := `{"rules":[],"redact":{"patterns":["[a-z]{1000}"` + strings.Repeat(`,"[a-z]{1000}"`, 1099) + `]}}`
	few := `{"rules":[],"redact":{"patterns":["acme-[0-9]{4}"]}}`
	file := func(scope, data string) policy.File {
		return policy.File{Name: scope + ".json", Scope: scope, Data: []byte(data)}
	}
	o := policy.Options{Redaction: output.CheckPattern, Redactable: CheckRedaction}
	for _, files := range [][]policy.File{
		{file(policy.ScopeManifest, many)},
		{file(policy.ScopeManifest, few), file(policy.ScopeProject, many)},
	} {
		_, _, err := policy.Load(files, o)
		if want := files[len(files)-1].Name + ":1:13: /redact: cannot be used"; err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "too long together") {
			t.Errorf("%v, want %s", cut(err), want)
		}
	}
	if _, _, err := policy.Load([]policy.File{file(policy.ScopeManifest, few), file(policy.ScopeProject, few)}, o); err != nil {
		t.Error(err)
	}
}

func cut(err error) string {
	if err == nil {
		return "no error"
	}
	return err.Error()[:min(len(err.Error()), 300)]
}
