package codex

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// permissions are what the sandbox is to let through.
type permissions struct {
	Network *struct {
		Enabled *bool `json:"enabled"`
	} `json:"network"`
	Files *struct {
		Read    []string `json:"read"`
		Write   []string `json:"write"`
		Entries []struct {
			Path struct {
				Type    string `json:"type"` // path, glob_pattern, special
				Path    string `json:"path"`
				Pattern string `json:"pattern"`
			} `json:"path"`
			Access string `json:"access"` // read, write, deny
		} `json:"entries"`
	} `json:"fileSystem"`
}

// anyHost stands for the whole network.
const anyHost = "*"

// approvePermissions is item/permissions/requestApproval: codex wants its sandbox to let more through. It is
// granted as a whole and for the turn, or not at all.
func (s *server) approvePermissions(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p struct {
		approval
		Wanted json.RawMessage `json:"permissions"`
	}
	var wanted permissions
	err := json.Unmarshal(params, &p)
	if err == nil {
		err = json.Unmarshal(p.Wanted, &wanted)
	}
	if err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "the permissions cannot be read: %v", err)
	}
	a := peer.Action{ID: p.ItemID, Kind: peer.Other, Name: "request_permissions", Title: "more permissions in this turn", Dir: p.Dir, Input: p.Wanted}
	if p.Reason != "" {
		a.Title += ": " + p.Reason
	}
	wanted.uses(&a)
	granted := json.RawMessage("{}")
	if v, _ := permit(ctx, t, a); v == accepted {
		granted = p.Wanted
	}
	return map[string]any{"permissions": granted, "scope": "turn"}, nil
}

// uses writes what permissions let through into an action. A place that has no path may be anywhere.
func (p *permissions) uses(a *peer.Action) {
	if p.Network != nil && p.Network.Enabled != nil && *p.Network.Enabled {
		a.Hosts = []string{anyHost}
	}
	if p.Files == nil {
		return
	}
	a.Reads, a.Writes = slices.Clone(p.Files.Read), slices.Clone(p.Files.Write)
	for _, e := range p.Files.Entries {
		path := e.Path.Path
		if e.Path.Type != "path" || path == "" {
			path = everywhere
		}
		switch list := &a.Writes; e.Access {
		case "deny":
		case "read":
			list = &a.Reads
			fallthrough
		default:
			if !slices.Contains(*list, path) {
				*list = append(*list, path)
			}
		}
	}
}
