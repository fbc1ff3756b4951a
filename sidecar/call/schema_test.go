package call_test

import (
	"context"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// A tool that breaks its outputSchema has failed, and its output is not lost.
func TestOutputSchema(t *testing.T) {
	declared := strings.Replace(tool("acme.x", `{}`), `"x-sidecar"`,
		`"outputSchema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"x-sidecar"`, 1)
	var says string
	r := newRig(t, declared, nil, withAgent(func(context.Context, driver.Call) (driver.CallResult, error) {
		return driver.CallResult{Output: []byte(says)}, nil
	}))
	for output, want := range map[string]string{`{"n":1}`: "final", `{"n":"one"}`: "failed", `{}`: "failed", `words`: "failed"} {
		says = output
		e := r.run("acme.x", `{}`)
		if want == "final" {
			e.is("final", a2a.StateCompleted, 200).data(output)
			continue
		}
		e.is("failed", a2a.StateFailed, 502).says("outputSchema")
		if strings.Contains(output, "one") {
			e.says("/n").data(output)
		}
	}
}
