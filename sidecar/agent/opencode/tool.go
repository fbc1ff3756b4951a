package opencode

import (
	"encoding/json"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// kindOf says what opencode's tools and permissions do. A tool of an MCP server is of no kind.
func kindOf(tool string) peer.Kind {
	switch tool {
	case "bash":
		return peer.Execute
	case "read", "list", "skill":
		return peer.Read
	case "edit", "write", "patch", "apply_patch", "multiedit":
		return peer.Edit
	case "glob", "grep", "codesearch", "lsp":
		return peer.Search
	case "webfetch", "websearch":
		return peer.Fetch
	case "task", "todowrite", "todoread":
		return peer.Think
	case "plan_enter", "plan_exit":
		return peer.SwitchMode
	}
	return peer.Other
}

// use is what opencode's tools have as arguments, and tell in their metadata and with their permissions.
type use struct {
	Command     string   `json:"command"`
	WorkDir     string   `json:"workdir"`
	FilePath    string   `json:"filePath"`
	Filepath    string   `json:"filepath"` // of permissions
	Path        string   `json:"path"`
	URL         string   `json:"url"`
	Description string   `json:"description"`
	Output      string   `json:"output"`
	Diff        string   `json:"diff"`
	Directories []string `json:"directories"`
	Files       []struct {
		FilePath string `json:"filePath"`
		MovePath string `json:"movePath"`
		Patch    string `json:"patch"`
	} `json:"files"`
	FileDiff struct {
		File  string `json:"file"`
		Patch string `json:"patch"`
	} `json:"filediff"`
}

// readUse reads the arguments of a tool and what else is told of it. What is of another type is passed over.
func readUse(all ...json.RawMessage) (u use) {
	for _, raw := range all {
		var members map[string]json.RawMessage
		if json.Unmarshal(raw, &members) != nil {
			continue
		}
		for name, value := range members { // each for itself: a member of a wrong type must not hide others
			one, err := json.Marshal(map[string]json.RawMessage{name: value})
			if err == nil {
				_ = json.Unmarshal(one, &u)
			}
		}
	}
	return u
}

// file returns the file that the tool is about, "" for none.
func (u *use) file() string { return spec.FirstOf(u.FilePath, u.Filepath, u.Path) }

// title says what a tool does, in one line.
func title(tool string, u *use) string {
	what := spec.FirstOf(u.Command, u.file(), u.URL, u.Description)
	if what == "" {
		return text.Line(tool, maxShown)
	}
	return text.Line(tool, maxShown) + ": " + text.Line(what, maxReason)
}

// tool takes the state of a tool. Those of subagents are only remembered while they run, for what they ask for.
func (t *turn) tool(p *part, own bool) {
	key := p.MessageID + " " + p.CallID
	switch ended := p.State.Status == "completed" || p.State.Status == "error"; {
	case ended:
		delete(t.tools, key)
	case len(t.tools) < maxTools || t.tools[key] != nil:
		t.tools[key] = p
	}
	if e := t.held[key]; e != nil && p.input() != nil {
		delete(t.held, key)
		t.permit(e)
	}
	if own && p.MessageID > t.message {
		t.on.Tool(told(p))
	}
}

// told is what is told of a tool.
func told(p *part) peer.Tool {
	u := readUse(p.input(), p.State.Metadata)
	tool := peer.Tool{
		ID: spec.FirstOf(p.CallID, p.ID), Name: text.Line(p.Tool, maxShown), Kind: kindOf(p.Tool), Input: p.input(), Diffs: u.diffs(),
	}
	if tool.Title = text.Line(p.State.Title, maxReason); tool.Title == "" && tool.Input != nil {
		tool.Title = title(p.Tool, &u)
	}
	if file := u.file(); filepath.IsAbs(file) {
		tool.Places = []peer.Place{{Path: file}}
	}
	switch p.State.Status {
	case "completed":
		tool.Status, tool.Output = peer.Completed, []byte(p.State.Output)
	case "error":
		tool.Status, tool.Output = peer.Failed, []byte(p.State.Error)
	case "running":
		tool.Status = peer.Running
		if u.Output != "" {
			tool.Output = []byte(u.Output)
		}
	default:
		tool.Status = peer.Pending
	}
	return tool
}
