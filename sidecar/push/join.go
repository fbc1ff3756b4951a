package push

import "github.com/a2a-sidecar/sidecar/a2a"

// joinBytes limits the text of a joined chunk, in bytes. A single event may be longer.
const joinBytes = 256 << 10

// join makes one event of neighbouring chunks of an artifact, so that a receiver that is
// behind catches up in a few notifications. The joined event has exactly the content of the
// chunks, and the ID of the last one.
func join(events []*a2a.Event) []*a2a.Event {
	var out []*a2a.Event
	var open *chunk // the last event of out, which may still grow
	for _, e := range events {
		if open != nil && open.takes(e) {
			open.add(e)
			continue
		}
		open.finish(out)
		open = begin(e)
		out = append(out, e)
	}
	open.finish(out)
	return out
}

// chunk collects artifact updates.
type chunk struct {
	update a2a.ArtifactUpdate
	id     uint64
	size   int
	joined bool
	text   []byte // the whole text of the last part, once something was joined to it
}

// begin returns a chunk that begins with e, or nil if nothing can be joined to e.
func begin(e *a2a.Event) *chunk {
	if e.Artifact == nil || e.Artifact.LastChunk {
		return nil
	}
	return &chunk{update: *e.Artifact, id: e.ID, size: contentSize(e.Artifact)}
}

// takes reports whether e only adds content to the same artifact.
func (c *chunk) takes(e *a2a.Event) bool {
	u := e.Artifact
	return u != nil && u.Append && !c.update.LastChunk && u.Artifact.ID == c.update.Artifact.ID &&
		len(u.Metadata) == 0 && len(u.Artifact.Metadata) == 0 && len(u.Artifact.Extensions) == 0 &&
		(u.Artifact.Name == "" || u.Artifact.Name == c.update.Artifact.Name) &&
		(u.Artifact.Description == "" || u.Artifact.Description == c.update.Artifact.Description) &&
		c.size+contentSize(u) <= joinBytes
}

func (c *chunk) add(e *a2a.Event) {
	if !c.joined { // the parts so far are the event's own
		c.update.Artifact.Parts = append([]a2a.Part(nil), c.update.Artifact.Parts...)
		c.joined = true
	}
	for _, p := range e.Artifact.Artifact.Parts {
		c.addPart(p)
	}
	c.update.LastChunk = e.Artifact.LastChunk
	c.id = e.ID
	c.size += contentSize(e.Artifact)
}

// addPart appends a part and joins adjacent texts, as reading the task does.
func (c *chunk) addPart(p a2a.Part) {
	parts := c.update.Artifact.Parts
	n := len(parts)
	if n == 0 || !plainText(&parts[n-1]) || !plainText(&p) || parts[n-1].MediaType != p.MediaType {
		c.flush()
		c.update.Artifact.Parts = append(parts, p)
		return
	}
	if c.text == nil {
		c.text = []byte(parts[n-1].Text)
	}
	c.text = append(c.text, p.Text...)
}

// flush writes the collected text back to the last part.
func (c *chunk) flush() {
	if c.text != nil {
		c.update.Artifact.Parts[len(c.update.Artifact.Parts)-1].Text = string(c.text)
		c.text = nil
	}
}

func plainText(p *a2a.Part) bool {
	return p.Kind == a2a.PartText && p.Filename == "" && len(p.Metadata) == 0
}

// finish replaces the last event with the joined one.
func (c *chunk) finish(out []*a2a.Event) {
	if c != nil && c.joined {
		c.flush()
		out[len(out)-1] = &a2a.Event{ID: c.id, Artifact: &c.update}
	}
}

func contentSize(u *a2a.ArtifactUpdate) int {
	n := 0
	for i := range u.Artifact.Parts {
		p := &u.Artifact.Parts[i]
		n += len(p.Text) + len(p.Raw) + len(p.Data) + len(p.URL)
	}
	return n
}

// whole returns what a receiver of 0.3 gets of a batch: the task, if the batch has one.
// again reports whether the status has changed since: then the current task is needed.
func whole(events []*a2a.Event) (tasks []*a2a.Event, again bool) {
	for _, e := range events {
		switch {
		case e.Task != nil:
			tasks, again = []*a2a.Event{e}, false
		case e.State() != "":
			again = true
		}
	}
	return tasks, again
}
