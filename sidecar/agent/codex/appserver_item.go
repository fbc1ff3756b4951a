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
