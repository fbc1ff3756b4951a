package acp

import (
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// The limits of what is told of one tool, in bytes and in numbers, and of what is kept of all tools of a
// turn, for the permissions that name them.
const (
	maxTitle     = 4 << 10
	maxInput     = 256 << 10
	maxOutput    = 256 << 10
	maxDiff      = 1 << 20 // all diffs of one update
	maxDiffs     = 64
	maxPlaces    = 256
	maxTools     = 256
	maxToolsKept = 4 << 20
)

// tools are what is known of the tools of a turn, by their ids.
type tools struct {
	known map[string]fields
	order []string // the oldest first
	size  int      // bytes
}

// merge adds what an update says of a tool to what is known of it, and returns all of it. What does not fit is
// forgotten, the oldest first.
func (k *tools) merge(id string, u fields) fields {
	all := fields{}
	for name, v := range k.known[id] {
		all[name] = v
	}
	for name, v := range u {
		if present(v) {
			all[name] = v
		}
	}
	if id == "" {
		return all
	}
	k.forget(id)
	if k.known == nil {
		k.known = map[string]fields{}
	}
	kept := all.only("toolCallId", "name", "title", "kind", "rawInput", "locations", "content", "_meta")
	k.known[id], k.order, k.size = kept, append(k.order, id), k.size+kept.size()
	for len(k.order) > maxTools || k.size > maxToolsKept && len(k.order) > 0 {
		k.forget(k.order[0])
	}
	return all
}

func (k *tools) forget(id string) {
	known, ok := k.known[id]
	if !ok {
		return
	}
	k.size -= known.size()
	delete(k.known, id)
	for i, other := range k.order {
		if other == id {
			k.order = append(k.order[:i], k.order[i+1:]...)
			return
		}
	}
}

// only returns the members of these names.
func (f fields) only(names ...string) fields {
	kept := fields{}
	for _, name := range names {
		if v, ok := f[name]; ok {
			kept[name] = v
		}
	}
	return kept
}

// size is how much the values take, in bytes.
func (f fields) size() (n int) {
	for _, v := range f {
		n += len(v)
	}
	return n
}

// known returns all that is known of the tool of a permission.
func (t *turn) known(call fields) fields {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tools.merge(text.Cut(call.text("toolCallId"), maxName), call)
}

// tell passes on what an update says of a tool.
func (t *turn) tell(u fields) {
	id := text.Cut(u.text("toolCallId"), maxName)
	t.mu.Lock()
	t.tools.merge(id, u)
	t.mu.Unlock()
	tool := peer.Tool{
		ID: id, Name: toolName(u), Title: text.Shorten(u.text("title"), maxTitle),
		Status: status(u.text("status")), Places: places(u), Diffs: diffs(u),
		Terminal: terminalOf(u), Output: output(u),
	}
	if u.has("kind") {
		tool.Kind = peer.ParseKind(u.text("kind"))
	}
	if v := u["rawInput"]; present(v) && len(v) <= maxInput && string(v) != "{}" {
		tool.Input = v
	}
	t.on.Tool(tool)
}

// toolName returns the agent's own name of a tool: a member of the update, or of something in its _meta.
func toolName(u fields) string {
	if s := u.text("name", "toolName"); s != "" {
		return name(s)
	}
	for _, v := range u.object("_meta") {
		if s := object(v).text("toolName"); s != "" {
			return name(s)
		}
	}
	return ""
}

func status(s string) peer.Status {
	switch known := peer.Status(s); known {
	case peer.Pending, peer.Running, peer.Completed, peer.Failed:
		return known
	}
	return ""
}

func places(u fields) (all []peer.Place) {
	for _, v := range u.list("locations") {
		f := object(v)
		line, _ := f.count("line")
		if path := f.text("path"); path != "" && len(all) < maxPlaces {
			all = append(all, peer.Place{Path: path, Line: int(line)})
		}
	}
	return all
}

// diffs returns the changes in a tool's content, as many as fit.
func diffs(u fields) (all []peer.Diff) {
	size := 0
	for _, v := range u.list("content") {
		f := object(v)
		if f.text("type") != "diff" {
			continue
		}
		d := peer.Diff{Path: f.text("path"), New: f.text("newText")}
		if f.has("oldText") {
			old := f.text("oldText")
			d.Old = &old
		}
		size += len(f["oldText"]) + len(f["newText"])
		if len(all) == maxDiffs || size > maxDiff {
			break
		}
		all = append(all, d)
	}
	return all
}

func terminalOf(u fields) string {
	for _, v := range u.list("content") {
		if f := object(v); f.text("type") == "terminal" {
			return text.Cut(f.text("terminalId"), maxName)
		}
	}
	return ""
}

// output returns what a tool said: the words of its content, or else of its raw output; nil if the update
// says nothing of that.
func output(u fields) []byte {
	var said []string
	for _, v := range u.list("content") {
		if f := object(v); f.text("type") == "content" {
			if s := described(f["content"]); s != "" {
				said = append(said, s)
			}
		}
	}
	if len(said) > 0 {
		return []byte(text.Shorten(strings.Join(said, "\n"), maxOutput))
	}
	if v := u["rawOutput"]; present(v) {
		return []byte(text.Shorten(raw(v), maxOutput))
	}
	return nil
}

// raw returns a tool's raw output in words if it has any, else as JSON.
func raw(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	f := object(v)
	if s := f.text("output", "stdout", "aggregated_output", "formatted_output", "error"); s != "" {
		return s
	}
	if s := f.object("error").text("message"); s != "" {
		return s
	}
	return string(v)
}
