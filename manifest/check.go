package manifest

import (
	"encoding/json"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// check collects what is found about one tool.
type check struct {
	jsontree.Decoder // its subject is the tool's name, once that is known to be valid

	reserved []string
	anywhere bool                        // a tool may be in a reserved namespace
	src      string                      // the text to which the offsets of the nodes refer
	known    *schema.Known               // nil for none
	card     func(json.RawMessage) error // nil if any object is valid
	programs *programs                   // nil for none
}

// review adds the remarks about a tool without faults.
func (c *check) review(review func(*Tool) []Remark, t *Tool, n *jsontree.Node, pointer string) {
	if review == nil {
		return
	}
	for _, r := range review(t) {
		c.Warn(n.Closest(r.Pointer).Offset, pointer+r.Pointer, r.Message, r.Hint)
	}
}

// schema checks a schema of the tool.
func (c *check) schema(root *jsontree.Node, pointer string) {
	faults, warnings := schema.Check(root, pointer, c.src, c.known)
	for i := range faults {
		faults[i].Subject = c.Subject
	}
	for i := range warnings {
		warnings[i].Subject = c.Subject
	}
	c.Faults, c.Warnings = append(c.Faults, faults...), append(c.Warnings, warnings...)
}
