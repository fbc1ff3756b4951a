package manifest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// check collects what is found about one tool.
type check struct {
	tool     string // the tool's name, once it is known to be valid
	reserved []string
	src      string                      // the text to which the offsets of the nodes refer
	known    *schema.Known               // nil for none
	card     func(json.RawMessage) error // nil if any object is valid
	programs *programs                   // nil for none
	faults   jsontree.Faults
	warnings jsontree.Faults
}

func (c *check) fault(off int, pointer, message, hint string) {
	c.faults = append(c.faults, jsontree.Fault{Offset: off, Pointer: pointer, Subject: c.tool, Message: message, Hint: hint})
}

func (c *check) warn(off int, pointer, message, hint string) {
	c.warnings = append(c.warnings, jsontree.Fault{Offset: off, Pointer: pointer, Subject: c.tool, Message: message, Hint: hint})
}

// review adds the remarks about a tool without faults.
func (c *check) review(review func(*Tool) []Remark, t *Tool, n *jsontree.Node, pointer string) {
	if review == nil {
		return
	}
	for _, r := range review(t) {
		c.warn(n.Closest(r.Pointer).Offset, pointer+r.Pointer, r.Message, r.Hint)
	}
}

// schema checks a schema of the tool.
func (c *check) schema(root *jsontree.Node, pointer string) {
	faults, warnings := schema.Check(root, pointer, c.src, c.known)
	for i := range faults {
		faults[i].Subject = c.tool
	}
	for i := range warnings {
		warnings[i].Subject = c.tool
	}
	c.faults, c.warnings = append(c.faults, faults...), append(c.warnings, warnings...)
}

// wrong reports a value that has the wrong type.
func (c *check) wrong(n *jsontree.Node, pointer, want string) {
	c.fault(n.Offset, pointer, "must be "+want+", not "+n.Kind.String(), "")
}

// text returns the value of a string, and reports whether it is one.
func (c *check) text(n *jsontree.Node, pointer string) (string, bool) {
	if n.Kind != jsontree.String {
		c.wrong(n, pointer, "a string")
		return "", false
	}
	return strings.Clone(n.Text), true
}

// texts returns the values of an array of strings, "" for an element that is no
// string.
func (c *check) texts(n *jsontree.Node, pointer string) []string {
	if n.Kind != jsontree.Array {
		c.wrong(n, pointer, "an array of strings")
		return nil
	}
	out := make([]string, len(n.Children))
	for i := range n.Children {
		out[i], _ = c.text(&n.Children[i], jsontree.Item(pointer, i))
	}
	return out
}

// oneOf returns a string that must be one of a few words.
func (c *check) oneOf(n *jsontree.Node, pointer string, words ...string) string {
	s, ok := c.text(n, pointer)
	if !ok || slices.Contains(words, s) {
		return s
	}
	hint := ""
	if guess := jsontree.Nearest(s, words); guess != "" {
		hint = "write " + quote(guess)
	}
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = quote(w)
	}
	c.fault(n.Offset, pointer, "must be "+text.Enumerate(all, "or")+", not "+quote(s), hint)
	return ""
}

// fields visits an object whose keys are all known.
func (c *check) fields(n *jsontree.Node, pointer string, keys []string, visit func(key string, m *jsontree.Node, pointer string)) {
	if n.Kind != jsontree.Object {
		c.wrong(n, pointer, "an object")
		return
	}
	for i := range n.Children {
		m := &n.Children[i]
		p := jsontree.Child(pointer, m.Key)
		if !slices.Contains(keys, m.Key) {
			c.fault(m.KeyOffset, p, "the key "+quote(m.Key)+" is unknown here", keyHint(m.Key, keys))
			continue
		}
		visit(m.Key, m, p)
	}
}

func keyHint(key string, keys []string) string {
	if guess := jsontree.Nearest(key, keys); guess != "" {
		return "write " + quote(guess)
	}
	return "the keys are " + text.Enumerate(keys, "and")
}
