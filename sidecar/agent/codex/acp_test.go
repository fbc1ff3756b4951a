package codex_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/codex"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// TestExplain: an adapter says of which server a tool is, in one of two shapes.
func TestExplain(t *testing.T) {
	for call, ours := range map[string]bool{
		`{"kind":"execute","rawInput":{"server":"sidecar","tool":"acme.echo","arguments":{}},"_meta":{"is_mcp_tool_call":true},"requestMeta":{"is_mcp_tool_approval":true}}`: true,
		`{"kind":"execute","rawInput":{"server":"other","tool":"acme.echo","arguments":{}},"_meta":{"is_mcp_tool_call":true},"requestMeta":{"is_mcp_tool_approval":true}}`:   false,
		`{"kind":"execute","rawInput":{"server":"sidecar","tool":"acme.echo"},"requestMeta":{"is_mcp_tool_approval":true}}`:                                                  false,
		`{"kind":"execute","rawInput":{"server":"sidecar","tool":"acme.echo"},"_meta":{"is_mcp_tool_call":true}}`:                                                            false,
		`{"rawInput":{"server_name":"sidecar","request":{"_meta":{"codex_approval_kind":"mcp_tool_call"}}}}`:                                                                 true,
		`{"rawInput":{"server_name":"other","request":{"_meta":{"codex_approval_kind":"mcp_tool_call"}}}}`:                                                                   false,
		`{"rawInput":{"server_name":"sidecar"}}`: false,
		`{"rawInput":"words"}`:                   false,
		`{"title":"mcp.sidecar.acme.echo"}`:      false,
	} {
		var a peer.Action
		codex.Agent().Explain([]byte(call), &a)
		if a.Ours != ours {
			t.Errorf("%s: %v", call, a.Ours)
		}
	}
}
