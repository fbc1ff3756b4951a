package codex

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// size is how long changes are, in bytes.
func size(changes []wireChange) (n int) {
	for _, c := range changes {
		n += len(c.Path) + len(c.Kind.Move) + len(c.Diff)
	}
	return n
}

// describeChanges writes what is known of changes into a tool's use.
func describeChanges(tool *peer.Tool, changes []wireChange) {
	type change struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
		Move string `json:"move_path,omitempty"`
	}
	listed := make([]change, 0, len(changes))
	for _, c := range changes {
		listed = append(listed, change{c.Path, c.Kind.Type, c.Kind.Move})
		tool.Places = append(tool.Places, peer.Place{Path: c.Path})
	}
	tool.Kind, tool.Title = changeKind(changes), changeTitle(changes)
	tool.Diffs = diffs(changes)
	if data, err := json.Marshal(map[string]any{"changes": listed}); err == nil {
		tool.Input = data
	}
}

// changeKind is what changes do: they delete or move if all of them do, and edit otherwise.
func changeKind(changes []wireChange) peer.Kind {
	kind := peer.Kind("")
	for _, c := range changes {
		of := peer.Edit
		switch {
		case c.Kind.Type == "delete":
			of = peer.Delete
		case c.Kind.Move != "":
			of = peer.Move
		}
		if kind != "" && kind != of {
			return peer.Edit
		}
		kind = of
	}
	if kind == "" {
		return peer.Edit
	}
	return kind
}

// maxTitled is how many files a title names.
const maxTitled = 3

// changeTitle says in words what changes do.
func changeTitle(changes []wireChange) string {
	var names []string
	for _, c := range changes {
		if len(names) == maxTitled {
			names = append(names, "…")
			break
		}
		names = append(names, filepath.Base(c.Path))
	}
	return strings.TrimSpace(string(changeKind(changes)) + " " + strings.Join(names, ", "))
}

// diffs returns changes as texts before and after. Of a file that is updated only the parts that
// change are known, each of which is a diff; never nil.
func diffs(changes []wireChange) []peer.Diff {
	all := []peer.Diff{}
	for _, c := range changes {
		path := c.Path
		switch c.Kind.Type {
		case "add":
			all = append(all, peer.Diff{Path: path, New: c.Diff})
		case "delete":
			old := c.Diff
			all = append(all, peer.Diff{Path: path, Old: &old})
		default:
			if c.Kind.Move != "" {
				path = c.Kind.Move
			}
			all = append(all, spec.Hunks(path, c.Diff)...)
		}
	}
	return all
}

// paths are the files that changes write.
func paths(changes []wireChange) (all []string) {
	for _, c := range changes {
		all = append(all, c.Path)
		if c.Kind.Move != "" {
			all = append(all, c.Kind.Move)
		}
	}
	return all
}
