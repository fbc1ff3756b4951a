package codex

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// earlier is the answer to an approval of the first version of the protocol.
func (v verdict) earlier(reason string) any {
	switch v {
	case accepted:
		return map[string]string{"decision": "approved"}
	case withdrawn:
		return map[string]string{"decision": "abort"}
	}
	return map[string]any{"decision": map[string]any{"denied": map[string]string{"rejection": reason}}}
}

// approveEarlierCommand is execCommandApproval.
func (s *server) approveEarlierCommand(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p struct {
		ID      string   `json:"callId"`
		Command []string `json:"command"`
		Dir     string   `json:"cwd"`
		Reason  string   `json:"reason"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "the approval cannot be read: %v", err)
	}
	a := peer.Action{ID: p.ID, Kind: peer.Execute, Name: "shell", Title: strings.Join(p.Command, " "), Argv: p.Command, Dir: p.Dir}
	if script, ok := scriptOf(p.Command); ok {
		a.Title, a.Command, a.Argv = script, script, nil
	}
	a.Input = object("command", a.Title, "cwd", p.Dir, "reason", p.Reason)
	v, reason := permit(ctx, t, a)
	return v.earlier(reason), nil
}

// approveEarlierChanges is applyPatchApproval, which says itself what would be changed.
func (s *server) approveEarlierChanges(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p struct {
		ID      string `json:"callId"`
		Changes map[string]struct {
			Type    string `json:"type"`
			Content string `json:"content"`
			Diff    string `json:"unified_diff"`
			Move    string `json:"move_path"`
		} `json:"fileChanges"`
		Root   string `json:"grantRoot"`
		Reason string `json:"reason"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "the approval cannot be read: %v", err)
	}
	var changes []wireChange
	for _, path := range slices.Sorted(maps.Keys(p.Changes)) {
		c := p.Changes[path]
		change := wireChange{Path: path, Diff: c.Content + c.Diff}
		change.Kind.Type, change.Kind.Move = c.Type, c.Move
		changes = append(changes, change)
	}
	v, reason := permit(ctx, t, changeAction(p.ID, p.Root, p.Reason, changes))
	return v.earlier(reason), nil
}
