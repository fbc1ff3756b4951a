package gemini_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/gemini"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestExplain(t *testing.T) {
	for _, test := range []struct {
		name    string
		action  peer.Action
		command string
		ours    bool
	}{
		{"a command", peer.Action{ID: "run_shell_command__call1", Kind: peer.Execute, Title: "touch a && b"}, "touch a && b", false},
		{"another tool that executes", peer.Action{ID: "other__call1", Kind: peer.Execute, Title: "touch a"}, "", false},
		{"another kind", peer.Action{ID: "run_shell_command__call1", Kind: peer.Other, Title: "touch a"}, "", false},
		{"a tool of ours", peer.Action{ID: "mcp_sidecar_acme.echo__call2", Kind: peer.Other, Title: "acme.echo (sidecar MCP Server)"}, "", true},
		{"of a server whose name begins like ours", peer.Action{ID: "mcp_sidecar_x_echo__call2", Kind: peer.Other, Title: "echo (sidecar_x MCP Server)"}, "", false},
		{"of another server", peer.Action{ID: "mcp_other_echo__call2", Kind: peer.Other, Title: "echo (sidecar MCP Server)"}, "", false},
	} {
		a := test.action
		gemini.Agent().Explain(nil, &a)
		if a.Command != test.command || a.Ours != test.ours {
			t.Errorf("%s: %+v", test.name, a)
		}
	}
}
