package gemini_test

import (
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/gemini"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestGeminiIsAskedForEvents(t *testing.T) {
	a := gemini.Agent()
	for command, want := range map[string]string{
		"gemini -m x --session-id y":  "gemini -m x --session-id y -o stream-json",
		"gemini -o stream-json":       "gemini -o stream-json",
		"gemini --output-format=json": "",
		"gemini -o text":              "",
	} {
		plan, err := a.Start(spec.Launch{Argv: strings.Fields(command)}, a.Stream.Once.Plan)
		if got := strings.Join(plan.Argv, " "); got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", command, got, err)
		}
		if err == nil && strings.Join(plan.Env, " ") != "GEMINI_CLI_NO_RELAUNCH=true" {
			t.Errorf("%s: environment %q", command, plan.Env)
		}
	}
}
