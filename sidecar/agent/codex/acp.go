package codex

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// mcpCall is what an adapter says of a call of a server's tool. Newer ones mark the call and its permission; older
// ones give the question that codex asks.
type mcpCall struct {
	RawInput struct {
		Server, Tool string
		ServerName   string `json:"server_name"`
		Request      struct {
			Meta struct {
				Kind string `json:"codex_approval_kind"`
			} `json:"_meta"`
		}
	} `json:"rawInput"`
	Meta struct {
		Call bool `json:"is_mcp_tool_call"`
	} `json:"_meta"`
	RequestMeta struct {
		Approval bool `json:"is_mcp_tool_approval"`
	} `json:"requestMeta"`
}

// explain knows our tools by their server when codex is spoken to by an adapter.
func explain(call json.RawMessage, a *peer.Action) {
	var c mcpCall
	if json.Unmarshal(call, &c) != nil {
		return
	}
	in := c.RawInput
	a.Ours = c.Meta.Call && c.RequestMeta.Approval && in.Server == spec.ServerName && in.Tool != "" ||
		in.Request.Meta.Kind == "mcp_tool_call" && in.ServerName == spec.ServerName
}
