package spec_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestPlainJSON(t *testing.T) {
	for from, want := range map[string]string{
		"\ufeff{\"a\": 1} // end":            `{"a": 1} `,
		"{\"a\": \"// /* ,] \\\\\", /*,}*/}": `{"a": "// /* ,] \\"}`,
		"[1, // one\n 2, ]":                  "[1, \n 2]",
		`{"a": "open`:                        `{"a": "open`,
		"{/* open":                           "{",
		"/*/ */{}":                           "{}",
		"":                                   "",
	} {
		if got := string(spec.PlainJSON([]byte(from))); got != want {
			t.Errorf("%q became %q, want %q", from, got, want)
		}
	}
}

func TestAnAgentOfWhichNothingIsKnownIsGivenNoTools(t *testing.T) {
	a := spec.Agent{Name: "x"}
	if plan, err := a.GiveTools(spec.Launch{Argv: []string{"x"}}); err == nil || len(plan.Argv) != 1 {
		t.Errorf("%+v, %v", plan, err)
	}
}
