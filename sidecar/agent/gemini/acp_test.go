package gemini_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/gemini"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestGeminiSpeaksACP(t *testing.T) {
	a := gemini.Agent()
	for command, want := range map[string]string{
		"gemini":                    "gemini --acp",
		"gemini -m x -- y":          "gemini -m x --acp -- y",
		"gemini --acp -y":           "gemini --acp -y",
		"gemini --experimental-acp": "gemini --experimental-acp",
	} {
		plan, err := a.Start(spec.Launch{Argv: strings.Fields(command), Env: []string{"A=b"}}, a.ACP)
		if err != nil || strings.Join(plan.Argv, " ") != want || !slices.Equal(plan.Env, []string{"A=b", "GEMINI_CLI_NO_RELAUNCH=true"}) {
			t.Errorf("%s: %q with %q, %v", command, plan.Argv, plan.Env, err)
		}
	}
}
