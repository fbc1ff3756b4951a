package subagent

import (
	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// said is the text of one artifact.
type said struct {
	raw   []byte // as the agent has sent it
	clean escape.Stripper
}

// begins reports whether the text begins with, or is, another one.
func (s *said) begins(with string) bool {
	return s != nil && len(with) <= len(s.raw) && string(s.raw[:len(with)]) == with
}

// replacedLine comes before text that takes the place of what was said: that cannot be unsaid.
const replacedLine = "[the agent has replaced what it said before by this:]\n"

// anew takes the whole text of an artifact. What of it was said is not said again.
func (c *Child) anew(id, whole string) error {
	before := c.said[id]
	if before == nil || len(before.raw) == 0 {
		return c.add(id, whole)
	}
	if known := len(before.raw); len(whole) >= known && whole[:known] == string(before.raw) {
		return c.add(id, whole[known:])
	}
	delete(c.said, id)
	if err := c.put(id, replacedLine, true); err != nil {
		return err
	}
	return c.add(id, whole)
}

// add adds text to an artifact.
func (c *Child) add(id, more string) error {
	one := c.said[id]
	if one == nil {
		one = &said{}
		c.said[id] = one
	}
	if c.heard += len(more); c.heard > maxText {
		return tooMuch()
	}
	one.raw = append(one.raw, more...)
	return c.put(id, text.Strip(one.clean.Next(more)), false)
}

// put says clean text of an artifact. That of another one, and what takes the place of other text, begins on a line of its own.
func (c *Child) put(id, clean string, line bool) error {
	if clean == "" {
		return nil
	}
	if c.last != "" && (line || c.last != id) {
		clean = "\n" + clean
	}
	if c.last = id; !c.say(clean) {
		return tooMuch()
	}
	return nil
}

func tooMuch() error {
	return wrong("it has said more than %s, which is the limit", text.FormatSize(maxText))
}
