package opencode

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// partUpdated takes a part in its present state. With a gap, what comes of it piece by piece does not
// continue what we know.
func (t *turn) partUpdated(raw json.RawMessage, own, gap bool) {
	var p part
	if json.Unmarshal(raw, &p) != nil {
		return
	}
	if p.Type == "tool" {
		t.tool(&p, own)
		return
	}
	if !own || p.MessageID <= t.message {
		return
	}
	a := t.find(p.MessageID)
	switch {
	case a == nil: // of another message of the user's, or of one that we have not heard of
		return
	case a.summary || p.Synthetic || p.Ignored:
	case p.Type == "text":
		t.snapshot(&p, gap, t.say)
	case p.Type == "reasoning":
		t.snapshot(&p, gap, t.think)
	case p.Type == "file":
		t.file(&p)
	}
}

// snapshot passes on what is new in a text.
func (t *turn) snapshot(p *part, gap bool, pass func(id, words string)) {
	w := t.pieces[p.ID]
	if w == nil {
		if len(t.pieces) >= maxPieces {
			return
		}
		w = &piece{}
		t.pieces[p.ID] = w
	}
	w.gap = p.Time.End == 0 && (gap || w.gap)
	w.reasoning = p.Type == "reasoning"
	if len(p.Text) > w.sent {
		words := p.Text[w.sent:]
		w.sent = len(p.Text)
		pass(p.ID, words)
	}
}

// delta passes on what a text has grown by.
func (t *turn) delta(message, id, field, words string) {
	w := t.pieces[id]
	switch {
	case w == nil || w.gap || field != "text" || words == "":
	case w.reasoning:
		w.sent += len(words)
		t.think(id, words)
	default:
		w.sent += len(words)
		t.say(id, words)
	}
}

// say passes words of the answer on. Each text is a paragraph.
func (t *turn) say(id, words string) {
	if t.last != "" && t.last != id {
		t.on.Paragraph()
	}
	t.last = id
	t.on.Say(words)
}

// think passes on what the model thinks.
func (t *turn) think(id, words string) {
	if t.thought != "" && t.thought != id {
		words = "\n\n" + words
	}
	t.thought = id
	t.on.Think(words)
}

// file passes on a file that the model has made, once.
func (t *turn) file(p *part) {
	if t.pieces[p.ID] != nil || len(t.pieces) >= maxPieces {
		return
	}
	t.pieces[p.ID] = &piece{}
	_, encoded, ok := strings.Cut(p.URL, ";base64,")
	if !ok || !strings.HasPrefix(p.URL, "data:") {
		return
	}
	if data, err := base64.StdEncoding.DecodeString(encoded); err == nil {
		t.on.Part(a2a.Part{Kind: a2a.PartRaw, Raw: data, MediaType: p.Mime, Filename: p.Filename})
	}
}
