package agent_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

func TestBest(t *testing.T) {
	for command, want := range map[string]string{
		"gemini": config.ModeACP, "npx @google/gemini-cli": config.ModeACP, "opencode": config.ModeStream,
		"claude-agent-acp": config.ModeACP, "npx @agentclientprotocol/codex-acp@2.6.0": config.ModeACP, "node /x/codex-acp.js": config.ModeACP,
		"python3": "", "cat": "", "qwen": "",
	} {
		mode, why := agent.Best(strings.Fields(command))
		if mode != want || (why == "") != (want == "") {
			t.Errorf("%s: %q, because %q; want %q", command, mode, why, want)
		}
	}
}

// Ways name modes that there are, and the best of an agent that has a stream is not left to another.
func TestWays(t *testing.T) {
	for _, a := range agent.Known() {
		for _, w := range a.Ways {
			if !slices.Contains([]string{config.ModeACP, config.ModeStream, config.ModeOneshot}, w.Mode) || w.Why == "" {
				t.Errorf("%s: %+v", a.Name, w)
			}
			if w.Mode == config.ModeACP && a.ACP == nil {
				t.Errorf("%s is best spoken to by ACP, and nobody knows how it is started for that", a.Name)
			}
		}
		if s := a.Stream; s != nil && (s.Once == nil) == (s.Peer == nil) {
			t.Errorf("%s has both ways to speak its stream, or none", a.Name)
		}
	}
}
