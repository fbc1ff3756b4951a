package manifest

import (
	"encoding/json"
	"slices"
	"strings"
)

// check gathers what is said about one tool.
type check struct {
	tool     string // its name, once that is known to be good
	reserved []string
	src      string                      // the text that the nodes stand in
	known    *knownSchemas               // nil for none
	card     func(json.RawMessage) error // nil: any object is good
	programs *programs                   // nil for none
	faults   []fault
	warnings []fault
}

func (c *check) fault(off int, pointer, message, hint string) {
	c.faults = append(c.faults, fault{off: off, pointer: pointer, tool: c.tool, message: message, hint: hint})
}

func (c *check) warn(off int, pointer, message, hint string) {
	c.warnings = append(c.warnings, fault{off: off, pointer: pointer, tool: c.tool, message: message, hint: hint})
}

// wrong reports a value of another type than it must have.
func (c *check) wrong(n *node, pointer, want string) {
	c.fault(n.off, pointer, "must be "+want+", not "+n.kind.String(), "")
}

// text returns the value of a string, and whether it is one.
func (c *check) text(n *node, pointer string) (string, bool) {
	if n.kind != kindString {
		c.wrong(n, pointer, "a string")
		return "", false
	}
	return strings.Clone(n.text), true
}

// texts returns the values of an array of strings, "" for what is none.
func (c *check) texts(n *node, pointer string) []string {
	if n.kind != kindArray {
		c.wrong(n, pointer, "an array of strings")
		return nil
	}
	out := make([]string, len(n.kids))
	for i := range n.kids {
		out[i], _ = c.text(&n.kids[i], item(pointer, i))
	}
	return out
}

// oneOf returns a string that must be one of a few words.
func (c *check) oneOf(n *node, pointer string, words ...string) string {
	s, ok := c.text(n, pointer)
	if !ok || slices.Contains(words, s) {
		return s
	}
	hint := ""
	if guess := near(s, words); guess != "" {
		hint = "write " + quote(guess)
	}
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = quote(w)
	}
	c.fault(n.off, pointer, "must be "+enumerate(all, "or")+", not "+quote(s), hint)
	return ""
}

// fields visits an object whose keys are all known.
func (c *check) fields(n *node, pointer string, keys []string, visit func(key string, m *node, pointer string)) {
	if n.kind != kindObject {
		c.wrong(n, pointer, "an object")
		return
	}
	for i := range n.kids {
		m := &n.kids[i]
		p := child(pointer, m.key)
		if !slices.Contains(keys, m.key) {
			c.fault(m.keyOff, p, "the key "+quote(m.key)+" is unknown here", keyHint(m.key, keys))
			continue
		}
		visit(m.key, m, p)
	}
}

func keyHint(key string, keys []string) string {
	if guess := near(key, keys); guess != "" {
		return "write " + quote(guess)
	}
	return "the keys are " + enumerate(keys, "and")
}
