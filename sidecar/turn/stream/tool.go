package stream

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const (
	// maxInput is the longest input that is read, in bytes; of a longer one only the length is told.
	maxInput = 1 << 20
	// maxOutput is how much of a tool's output is told, in bytes.
	maxOutput = 128 << 10
	// tailBytes is how much of what was told of an output is kept, to find what is new in the next one.
	tailBytes = 256
)

// status is where a tool is in its life; a later one is greater.
type status int

const (
	unknown status = iota
	pending
	executing
	succeeded
	failed
	canceled
)

func (s status) String() string {
	return [...]string{"", "PENDING", "EXECUTING", "SUCCEEDED", "FAILED", "CANCELLED"}[s]
}

func (s status) ended() bool { return s >= succeeded }

func (s status) open() bool { return s == pending || s == executing }

// statusOf returns the status of that name, unknown for any other.
func statusOf(s peer.Status) status {
	switch s {
	case peer.Pending:
		return pending
	case peer.Running:
		return executing
	case peer.Completed:
		return succeeded
	case peer.Failed:
		return failed
	}
	return unknown
}

// tool is one use of a tool: what is known of it and what was told.
type tool struct {
	key string // the agent's id
	use int    // how many uses had that id, this one included
	id  string // as clients see it

	status   status
	name     string
	title    string
	kind     peer.Kind
	input    json.RawMessage
	places   []peer.Place
	content  []driver.Content // the changes
	terminal string

	changed  bool // something is to be told
	replaced bool // places or content are to be told

	live  []byte // output that is to be told
	seen  int    // how long the output was that was taken
	tail  []byte // its end
	taken int    // how many bytes of output were taken
	cut   bool   // there was more
}

// merge takes what an update says.
func (t *tool) merge(u peer.Tool) {
	set := func(was *string, now string) {
		if now != "" && now != *was {
			*was, t.changed = now, true
		}
	}
	set(&t.name, driver.ShownLine(u.Name))
	set(&t.title, driver.ShownLine(u.Title))
	if u.Kind != "" {
		set((*string)(&t.kind), string(peer.ParseKind(string(u.Kind))))
	}
	if in := shownInput(u.Input); in != nil && !bytes.Equal(in, t.input) {
		t.input, t.changed = in, true
	}
	if u.Places != nil {
		t.place(u.Places)
	}
	if u.Diffs != nil {
		t.diff(u.Diffs)
	}
	if id := text.Line(u.Terminal, maxID); id != "" && id != t.terminal {
		t.terminal, t.changed, t.replaced = id, true, true
	}
	if u.Output != nil {
		t.output(u.Output)
	}
}

// shownInput returns what clients see of a tool's arguments, nil if there are none.
func shownInput(input json.RawMessage) json.RawMessage {
	input = bytes.TrimSpace(input)
	switch {
	case len(input) == 0:
		return nil
	case len(input) <= maxInput && !json.Valid(input):
		return json.RawMessage("{}")
	}
	shown := driver.Observable(text.Shared(input))
	return json.RawMessage(text.Strip(shown))
}

// place takes the files that the tool is about.
func (t *tool) place(places []peer.Place) {
	if now := driver.ShownPlaces(places); !slices.Equal(now, t.places) {
		t.places, t.changed, t.replaced = now, true, true
	}
}

// diff takes the changes that the tool makes.
func (t *tool) diff(diffs []peer.Diff) {
	changes := make([]driver.Change, len(diffs))
	for i := range diffs {
		changes[i] = driver.Change{Path: diffs[i].Path, Old: diffs[i].Old, New: &diffs[i].New}
	}
	if now := driver.ShownChanges(changes); !slices.EqualFunc(now, t.content, sameContent) {
		t.content, t.changed, t.replaced = now, true, true
	}
}

func sameContent(a, b driver.Content) bool {
	same := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
	return a.Path == b.Path && same(a.Old, b.Old) && same(a.New, b.New) && a.Truncated == b.Truncated
}

// output takes all that the tool has said so far, and keeps what is new.
func (t *tool) output(all []byte) {
	all = all[:len(all)-text.Unfinished(all)]
	fresh := t.fresh(all)
	t.seen = len(all)
	t.tail = append(t.tail[:0], all[max(0, len(all)-tailBytes):]...)
	if len(fresh) == 0 {
		return
	}
	room := maxOutput - t.taken
	kept := text.Cut(fresh, room)
	if len(kept) < len(fresh) && !t.cut {
		t.cut, t.changed = true, true
		t.taken = maxOutput
	}
	if len(kept) > 0 {
		t.live, t.changed = append(t.live, kept...), true
		t.taken += len(kept)
	}
}

// fresh returns what of an output was not seen before: what comes after the output as it was, or after the
// end of it if the agent has dropped its beginning, or all of it if it is another one.
func (t *tool) fresh(all []byte) []byte {
	if t.seen <= len(all) && bytes.HasSuffix(all[:t.seen], t.tail) {
		return all[t.seen:]
	}
	if at := bytes.LastIndex(all, t.tail); at >= 0 {
		return all[at+len(t.tail):]
	}
	return all
}

// news returns what is to be told of the tool, in updates of a bounded size.
func (t *tool) news() []update {
	u := update{
		ID: t.id, Status: t.status.String(), Name: cmp.Or(t.name, "agent."+string(cmp.Or(t.kind, peer.Other))), Input: t.input,
		Kind: cmp.Or(t.kind, peer.Other), Title: t.title, Truncated: t.cut,
	}
	if u.Input == nil {
		u.Input = json.RawMessage("{}")
	}
	first := u
	if t.replaced {
		first.Places, first.Content = t.places, slices.Clone(t.content)
		if t.terminal != "" {
			first.Content = append(first.Content, driver.TerminalContent(t.terminal))
		}
	}
	var all []update
	for said := t.live; ; {
		piece := text.Cut(said, maxPiece)
		said = said[len(piece):]
		first.Live = text.Strip(escape.Strip(string(piece)))
		if len(said) > 0 && t.status.ended() {
			first.Status = executing.String() // the last one says how it ended
		}
		all = append(all, first)
		if len(said) == 0 {
			break
		}
		first = u
	}
	t.changed, t.replaced, t.live = false, false, nil
	return all
}
