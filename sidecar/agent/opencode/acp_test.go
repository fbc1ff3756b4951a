package opencode_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/opencode"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestOpencodeSpeaksACP(t *testing.T) {
	a := opencode.Agent()
	for command, want := range map[string]string{
		"opencode":                     "opencode acp",
		"opencode --log-level DEBUG":   "opencode --log-level DEBUG acp",
		"opencode acp --cwd /x":        "opencode acp --cwd /x",
		"npx opencode-ai --print-logs": "npx opencode-ai --print-logs acp",
		"opencode run hello":           "",
	} {
		plan, err := a.Start(spec.Launch{Argv: strings.Fields(command)}, a.ACP)
		if got := strings.Join(plan.Argv, " "); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", command, got, err)
		}
	}
}
