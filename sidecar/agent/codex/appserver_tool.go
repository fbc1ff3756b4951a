package codex

import (
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// asTool returns an item as a tool's use; false if it is none.
func asTool(w *wireItem, complete bool) (peer.Tool, bool) {
	tool := peer.Tool{ID: w.ID, Status: toolStatus(w.Status, complete), Kind: peer.Other}
	switch w.Type {
	case "commandExecution":
		tool.Name, tool.Kind, tool.Title = "shell", peer.Execute, unwrap(w.Command)
		tool.Input = object("command", w.Command, "cwd", w.Dir)
		if w.Output != nil {
			tool.Output = []byte(text.Tail(*w.Output, maxToolOutput))
		}
	case "fileChange":
		tool.Name = "apply_patch"
		describeChanges(&tool, w.Changes)
	case "mcpToolCall":
		tool.Name, tool.Input = w.Server+"."+w.Tool, w.Arguments
		tool.Title = tool.Name
		tool.Output = w.said()
	case "dynamicToolCall":
		tool.Name, tool.Input = strings.TrimPrefix(w.Namespace+"."+w.Tool, "."), w.Arguments
		tool.Title = tool.Name
		tool.Output = w.said()
	case "collabAgentToolCall":
		tool.Name, tool.Title, tool.Input = w.Tool, w.Tool, object("prompt", w.Prompt)
	case "webSearch":
		tool.Name, tool.Kind, tool.Title, tool.Input = "web_search", peer.Search, w.Query, object("query", w.Query, "url", w.Action.URL)
		if w.Action.URL != "" {
			tool.Kind, tool.Title = peer.Fetch, w.Action.URL
		}
	case "imageView":
		tool.Name, tool.Kind, tool.Title, tool.Input = "view_image", peer.Read, w.Path, object("path", w.Path)
		tool.Places = []peer.Place{{Path: w.Path}}
	case "imageGeneration":
		tool.Name, tool.Title = "image_generation", "image generation"
		if w.SavedPath != "" {
			tool.Places = []peer.Place{{Path: w.SavedPath}}
		}
	case "sleep":
		tool.Name, tool.Title = "sleep", "sleep"
	default: // of what is not known, all that has a status is something that is done
		if w.Status == "" {
			return tool, false
		}
		tool.Name, tool.Title = w.Type, w.Type
	}
	return tool, true
}

// toolStatus is the status of an item, in our words.
func toolStatus(status string, complete bool) peer.Status {
	switch {
	case status == "failed" || status == "declined":
		return peer.Failed
	case complete:
		return peer.Completed
	}
	return peer.Running
}

// said is what a tool said: its texts, or its error.
func (w *wireItem) said() []byte {
	if w.Error != nil {
		return []byte(w.Error.text())
	}
	contents := w.Contents
	var result struct {
		Content []wireContent `json:"content"`
	}
	if json.Unmarshal(w.Result, &result) == nil {
		contents = append(contents, result.Content...)
	}
	var texts []string
	for _, c := range contents {
		if c.Text != "" {
			texts = append(texts, c.Text)
		}
	}
	if texts == nil {
		return nil
	}
	return []byte(text.Tail(strings.Join(texts, "\n"), maxToolOutput))
}

// object is a JSON object of texts; those that are empty are left out.
func object(pairs ...string) json.RawMessage {
	fields := map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			fields[pairs[i]] = pairs[i+1]
		}
	}
	data, err := json.Marshal(fields)
	if err != nil { // it never fails: they are strings
		panic(err)
	}
	return data
}
