package subagent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// The bounds of what a child may say.
const (
	maxText   = 4 << 20  // bytes of text
	maxFiles  = 64       // files
	maxSize   = 16 << 20 // bytes of files
	maxEvents = 200_000
	maxID     = 128 // bytes of a task's ID, and of a context's

	maxArtifacts  = 10_000 // of which it is known how much was said
	maxArtifactID = 512    // bytes of an artifact's ID
)

// fault is something that an agent must not say. The child ends with it.
type fault struct{ words string }

func (f *fault) Error() string { return f.words }

func wrong(format string, a ...any) error { return &fault{fmt.Sprintf(format, a...)} }

// take takes one event.
func (c *Child) take(e *a2a.Event) error {
	if c.events++; c.events > maxEvents {
		return wrong("it has sent more than %d events, which is the limit", maxEvents)
	}
	if e.ID != 0 {
		c.after = e.ID
	}
	switch {
	case e.Task != nil:
		return c.takeTask(e.Task)
	case e.Message != nil:
		return c.takeMessage(e.Message)
	case c.Status().ID == "":
		return wrong("it has sent an event before the task")
	case e.Status != nil:
		if err := c.mine(e.Status.TaskID); err != nil {
			return err
		}
		c.takeStatus(&e.Status.Status)
	case e.Artifact != nil:
		if err := c.mine(e.Artifact.TaskID); err != nil {
			return err
		}
		return c.takeArtifact(&e.Artifact.Artifact, e.Artifact.Append)
	}
	return nil
}

// mine refuses what is about another task.
func (c *Child) mine(id string) error {
	if id != c.Status().ID {
		return wrong("it speaks of another task")
	}
	return nil
}

// takeTask takes the task, which the agent may send more than once.
func (c *Child) takeTask(t *a2a.Task) error {
	if c.Status().ID == "" {
		if err := c.begin(t.ID, t.ContextID); err != nil {
			return err
		}
	} else if err := c.mine(t.ID); err != nil {
		return err
	}
	for i := range t.Artifacts {
		if err := c.takeWhole(&t.Artifacts[i]); err != nil {
			return err
		}
	}
	c.takeStatus(&t.Status)
	return nil
}

// begin notes the task's ID.
func (c *Child) begin(id, contextID string) error {
	switch {
	case id == "" || len(id) > maxID || !text.VisibleASCII(id) || len(contextID) > maxID || !text.VisibleASCII(contextID):
		return wrong("it gives the task an id that is none")
	case c.desk.knownID(c, id):
		return wrong("it gives the task an id that another task has")
	}
	c.change(func(st *tool.SubStatus) { st.ID, st.ContextID = id, contextID })
	c.start.Work.Tell(c.Noted())
	close(c.taken)
	return nil
}

// takeMessage takes an answer that is no task.
func (c *Child) takeMessage(m *a2a.Message) error {
	if c.Status().ID == "" {
		if err := c.begin(a2a.NewID(), m.ContextID); err != nil {
			return err
		}
	}
	c.outcome, c.message = tool.SubCompleted, true
	return c.takeWhole(&a2a.Artifact{ID: "message", Parts: m.Parts})
}

// takeStatus takes a state.
func (c *Child) takeStatus(s *a2a.Status) {
	if s.Message != nil {
		c.words = words(s.Message.Parts)
	}
	c.asks = nil
	if c.waits != nil && s.State != a2a.StateSubmitted {
		c.waits.Stop()
	}
	switch s.State {
	case a2a.StateCompleted:
		c.outcome = tool.SubCompleted
	case a2a.StateFailed:
		c.outcome = tool.SubFailed
	case a2a.StateRejected:
		c.outcome = tool.SubRejected
	case a2a.StateCanceled:
		c.outcome = tool.SubCanceled
	case a2a.StateInputRequired, a2a.StateAuthRequired:
		c.asks = s
	default:
		if s.Message != nil {
			line := text.Line(c.words, maxWords)
			c.change(func(st *tool.SubStatus) { st.Said = line })
		}
	}
}

// words returns the text of parts, clean.
func words(parts []a2a.Part) string {
	var b strings.Builder
	for i := range parts {
		if parts[i].Kind == a2a.PartText && b.Len() < maxText {
			b.WriteString(text.Cut(text.Strip(escape.Strip(parts[i].Text)), maxText))
		}
	}
	return b.String()
}

// takeArtifact takes an artifact, or more of one.
func (c *Child) takeArtifact(a *a2a.Artifact, more bool) error {
	if err := c.known(a.ID); err != nil {
		return err
	}
	said, err := c.takeParts(a)
	switch {
	case err != nil:
		return err
	case more:
		return c.add(a.ID, said)
	default:
		return c.anew(a.ID, said)
	}
}

// takeWhole takes an artifact of which a part may be known, or more than this: what the agent keeps of it may be older.
func (c *Child) takeWhole(a *a2a.Artifact) error {
	if err := c.known(a.ID); err != nil {
		return err
	}
	said, err := c.takeParts(a)
	if err != nil || c.said[a.ID].begins(said) {
		return err
	}
	return c.anew(a.ID, said)
}

// known refuses an artifact for which there is no place: each is remembered by its ID, also one that says nothing.
func (c *Child) known(id string) error {
	_, there := c.said[id]
	switch {
	case len(id) > maxArtifactID:
		return wrong("it gives an artifact an id of more than %d bytes", maxArtifactID)
	case !there && len(c.said) >= maxArtifacts:
		return wrong("it has made more than %d artifacts, which is the limit", maxArtifacts)
	}
	return nil
}

// takeParts takes the files among the parts of an artifact, and returns the others as text.
func (c *Child) takeParts(a *a2a.Artifact) (string, error) {
	var b strings.Builder
	for i := range a.Parts {
		switch p := &a.Parts[i]; p.Kind {
		case a2a.PartText:
			b.WriteString(p.Text)
		case a2a.PartData:
			b.Write(p.Data)
			b.WriteByte('\n')
		case a2a.PartURL:
			b.WriteString(p.URL + "\n")
		case a2a.PartRaw:
			if err := c.takeFile(a, p); err != nil {
				return "", err
			}
		}
	}
	return b.String(), nil
}

// takeFile takes a file, once.
func (c *Child) takeFile(a *a2a.Artifact, p *a2a.Part) error {
	sum := sha256.Sum256(p.Raw)
	key := a.ID + "\x00" + p.Filename + "\x00" + hex.EncodeToString(sum[:])
	if c.given[key] {
		return nil
	}
	c.given[key] = true
	if c.size += len(p.Raw); c.size > maxSize || len(c.given) > maxFiles {
		return wrong("it has given more than %d files or %s, which is the limit", maxFiles, text.FormatSize(maxSize))
	}
	name := p.Filename
	if name == "" {
		name = a.Name
	}
	f := tool.File{Name: text.Name(name), MediaType: text.Line(p.MediaType, maxID), Content: p.Raw}
	c.change(func(st *tool.SubStatus) { st.Files = append(st.Files[:len(st.Files):len(st.Files)], f) })
	return nil
}
