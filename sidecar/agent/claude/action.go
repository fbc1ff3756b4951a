package claude

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// maxTitle is the longest title of a tool's use, in bytes.
const maxTitle = 200

// kindOf says what a tool of claude's does.
func kindOf(tool string) peer.Kind {
	switch tool {
	case "Bash", "PowerShell", "Monitor":
		return peer.Execute
	case "Read", "NotebookRead", "LS":
		return peer.Read
	case "Edit", "MultiEdit", "Write", "NotebookEdit":
		return peer.Edit
	case "Glob", "Grep":
		return peer.Search
	case "WebFetch", "WebSearch", "web_fetch", "web_search":
		return peer.Fetch
	case "Task", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskGet", "TaskList":
		return peer.Think
	case "EnterPlanMode", "ExitPlanMode":
		return peer.SwitchMode
	}
	return peer.Other
}

// arguments are a tool's, by their exact names: the model has written them, and names that differ in their
// letters' case alone are different to claude.
type arguments map[string]json.RawMessage

// text returns an argument that is a text, "" for another one.
func (a arguments) text(name string) (value string) {
	_ = json.Unmarshal(a[name], &value) // what is no text stays empty
	return value
}

// newAction says what a tool does with these arguments. dir is claude's directory.
func newAction(tool string, input json.RawMessage, dir string) peer.Action {
	a := peer.Action{Kind: kindOf(tool), Name: tool, Input: input}
	var args arguments
	_ = json.Unmarshal(input, &args) // what cannot be read says nothing
	file := cmp.Or(args.text("file_path"), args.text("notebook_path"))
	subject := file
	switch {
	case a.Kind == peer.Execute:
		a.Command = args.text("command")
		subject = cmp.Or(args.text("description"), a.Command)
	case a.Kind == peer.Edit:
		a.Writes = some(file)
		a.Diffs = diffs(tool, file, args)
	case tool == "LS":
		subject = cmp.Or(args.text("path"), dir)
		a.Reads = some(subject)
	case a.Kind == peer.Read:
		a.Reads = some(file)
	case a.Kind == peer.Search:
		a.Reads = []string{cmp.Or(args.text("path"), dir, ".")}
		subject = args.text("pattern")
	case a.Kind == peer.Fetch:
		a.Hosts = some(args.text("url"))
		subject = cmp.Or(args.text("url"), args.text("query"))
	case tool == "ExitPlanMode":
		subject = args.text("plan")
	default:
		subject = cmp.Or(args.text("description"), args.text("subject"))
	}
	a.Title = text.Line(strings.TrimSpace(tool+" "+subject), maxTitle)
	return a
}

// some returns a list of the text, nil for "".
func some(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// diffs returns the changes that a tool is asked to make. What a file holds that is written as a whole is known
// only afterwards (see changes).
func diffs(tool, file string, args arguments) []peer.Diff {
	type edit struct {
		Old string `json:"old_string"`
		New string `json:"new_string"`
	}
	switch tool {
	case "Write":
		return []peer.Diff{{Path: file, New: args.text("content")}}
	case "Edit":
		old := args.text("old_string")
		return []peer.Diff{{Path: file, Old: &old, New: args.text("new_string")}}
	case "NotebookEdit":
		return []peer.Diff{{Path: file, New: args.text("new_source")}}
	case "MultiEdit":
		var edits []edit
		_ = json.Unmarshal(args["edits"], &edits) // what cannot be read says nothing
		var all []peer.Diff
		for _, e := range edits {
			all = append(all, peer.Diff{Path: file, Old: &e.Old, New: e.New})
		}
		return all
	}
	return nil
}

// changes returns the change that a tool says to have made, nil if it says none: a file that was written as a
// whole, and what it held before.
func changes(used block, result json.RawMessage) []peer.Diff {
	var r struct {
		Path    string  `json:"filePath"`
		Content string  `json:"content"`
		Before  *string `json:"originalFile"`
	}
	if used.Name != "Write" || json.Unmarshal(result, &r) != nil || r.Path == "" {
		return nil
	}
	return []peer.Diff{{Path: r.Path, Old: r.Before, New: r.Content}}
}

// places returns the files that an action is about.
func places(a peer.Action) (all []peer.Place) {
	for _, path := range append(a.Reads, a.Writes...) {
		all = append(all, peer.Place{Path: path})
	}
	return all
}
