package opencode

import (
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// action says what a permission is for. p is the tool's part, nil if it is not known.
func action(r *request, p *part) peer.Action {
	tool := r.Permission
	var input json.RawMessage
	if p != nil {
		tool, input = p.Tool, p.input()
	}
	kind := kindOf(r.Permission)
	if kind == peer.Other { // it is for what is common to many tools, or for a tool of somebody else's
		kind = kindOf(tool)
	}
	u := readUse(input, r.Metadata)
	a := peer.Action{
		ID: r.Tool.CallID, Kind: kind, Name: tool, Input: input, NoAlways: true,
		Command: u.Command, Dir: u.WorkDir, Diffs: u.diffs(),
	}
	switch kind {
	case peer.Read:
		a.Reads = paths(u.file())
	case peer.Search:
		a.Reads = paths(spec.FirstOf(u.file(), "."))
	case peer.Edit:
		a.Writes = u.writes()
	case peer.Fetch:
		a.Hosts = paths(u.URL)
	}
	a.Title = title(tool, &u)
	switch r.Permission {
	case "external_directory":
		a.Title = "use what is outside of the project: " + text.Line(strings.Join(r.Patterns, " "), maxReason)
		a.Reads = append(a.Reads, u.Directories...)
		if kind == peer.Other {
			a.Reads, a.Writes = append(a.Reads, paths(u.file())...), paths(u.file())
		}
	case "doom_loop":
		a.Title = "go on, though it has made the same call three times: " + a.Title
	}
	return a
}

// writes returns the files that are changed.
func (u *use) writes() []string {
	var all []string
	for _, f := range u.Files {
		all = append(all, paths(f.FilePath, f.MovePath)...)
	}
	if len(all) == 0 {
		all = paths(u.file())
	}
	return all
}

// paths returns the texts that are not empty.
func paths(all ...string) (some []string) {
	for _, s := range all {
		if s != "" {
			some = append(some, s)
		}
	}
	return some
}
