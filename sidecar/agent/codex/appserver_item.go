package codex

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// Limits of what is kept of a turn's items.
const (
	// maxItems is how many items may be open at once: of others nothing is kept.
	maxItems = 256
	// maxToolOutput is how much of the end of a tool's output is told, in bytes.
	maxToolOutput = 64 << 10
	// maxChanges is the most that is kept of an item's changes, in bytes: longer diffs are left out.
	maxChanges = 4 << 20
)

// item is what is kept of an item that is open.
type item struct {
	command, dir string       // commandExecution
	changes      []wireChange // fileChange
	output       []byte       // so far
	spoken       bool         // it had words already
	thinks       string       // which of its two texts is told
}

// open returns what is kept of an item, nil if too many are open. The caller holds the lock.
func (t *turn) open(id string) *item {
	it := t.items[id]
	if it == nil && len(t.items) < maxItems {
		it = &item{}
		t.items[id] = it
	}
	return it
}

// item tells an item that has begun or is complete.
func (s *server) item(t *turn, w *wireItem, complete bool) {
	s.mu.Lock()
	kept := t.open(w.ID)
	spoken := kept != nil && kept.spoken
	if kept != nil {
		kept.command, kept.dir = w.Command, w.Dir
		if size(w.Changes) <= maxChanges {
			kept.changes = w.Changes
		}
	}
	if complete {
		delete(t.items, w.ID)
	}
	for _, id := range append(w.Receivers, w.Agent) {
		if id != "" && len(t.helpers) < maxHelpers && !slices.Contains(t.helpers, id) {
			t.helpers = append(t.helpers, id)
		}
	}
	s.mu.Unlock()
	switch {
	case w.Type == "agentMessage", w.Type == "plan":
		if complete && !spoken {
			s.say(t, w.ID, w.Text)
		}
	case w.Type == "reasoning":
		if complete && !spoken {
			texts := w.Summary
			if len(texts) == 0 {
				texts = w.Content
			}
			s.think(t, w.ID, "whole", 0, strings.Join(texts, "\n\n"))
		}
	default:
		if tool, ok := asTool(w, complete); ok {
			t.on.Tool(tool)
		}
		if complete && w.Type == "imageGeneration" {
			s.image(t, w)
		}
	}
}

// say says words of an item. Those of another one begin a new paragraph.
func (s *server) say(t *turn, id, words string) {
	if words == "" {
		return
	}
	s.mu.Lock()
	if kept := t.open(id); kept != nil {
		kept.spoken = true
	}
	other := t.said != "" && t.said != id
	t.said = id
	s.mu.Unlock()
	if other {
		t.on.Paragraph()
	}
	t.on.Say(words)
}

// think tells words that the model thinks. Of an item's summary and its whole text, the one that comes first is told.
func (s *server) think(t *turn, id, which string, part int, words string) {
	if words == "" {
		return
	}
	s.mu.Lock()
	if kept := t.open(id); kept != nil {
		if kept.thinks != "" && kept.thinks != which {
			s.mu.Unlock()
			return
		}
		kept.thinks, kept.spoken = which, true
	}
	at := fmt.Sprint(id, " ", part)
	if t.thought != "" && t.thought != at {
		words = "\n\n" + words
	}
	t.thought = at
	s.mu.Unlock()
	t.on.Think(words)
}

// output tells more output of a command.
func (s *server) output(t *turn, id, more string) {
	s.mu.Lock()
	kept := t.open(id)
	if kept == nil {
		s.mu.Unlock()
		return
	}
	kept.output = text.Tail(append(kept.output, more...), maxToolOutput) // what it grows out of goes
	so := slices.Clone(kept.output)
	s.mu.Unlock()
	t.on.Tool(peer.Tool{ID: id, Status: peer.Running, Output: so})
}

// changes tells the changes that an item makes, as they are known now.
func (s *server) changes(t *turn, id string, changes []wireChange) {
	if size(changes) > maxChanges {
		return
	}
	s.mu.Lock()
	if kept := t.open(id); kept != nil {
		kept.changes = changes
	}
	s.mu.Unlock()
	tool := peer.Tool{ID: id}
	describeChanges(&tool, changes)
	t.on.Tool(tool)
}

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

// image makes a generated image a part of the answer.
func (s *server) image(t *turn, w *wireItem) {
	var encoded string
	if json.Unmarshal(w.Result, &encoded) != nil || encoded == "" {
		return
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		s.p.Log.Debug("codex has sent an image that cannot be read", "error", err)
		return
	}
	t.on.Part(a2a.Part{Kind: a2a.PartRaw, Raw: raw, MediaType: "image/png"})
}
