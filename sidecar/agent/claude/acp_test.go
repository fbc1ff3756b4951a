package claude_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/claude"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestExplain(t *testing.T) {
	for name, ours := range map[string]bool{"mcp__sidecar__acme_echo": true, "mcp__other__acme_echo": false, "mcp__sidecar_x__echo": false, "Bash": false, "": false} {
		a := peer.Action{Name: name, Title: "mcp__sidecar__acme_echo"}
		claude.Agent().Explain(nil, &a)
		if a.Ours != ours {
			t.Errorf("%q: %v", name, a.Ours)
		}
	}
}
