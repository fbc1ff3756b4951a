package profile

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// written returns a tree as the text of a file. Each field of an object is on a line of its
// own. A list that holds neither objects nor lists is on one line.
func written(root *jsontree.Node) string {
	var b strings.Builder
	writeNode(&b, root, "")
	b.WriteByte('\n')
	return b.String()
}

// writeNode writes one value; indent is the indentation of its last line.
func writeNode(b *strings.Builder, n *jsontree.Node, indent string) {
	brackets, between := "[]", ", "
	switch n.Kind {
	case jsontree.Object:
		brackets = "{}"
	case jsontree.Array:
	case jsontree.String:
		b.WriteString(quoted(n.Text))
		return
	default:
		b.WriteString(n.Text)
		return
	}
	inner := indent + "  "
	lines := len(n.Children) > 0 && (n.Kind == jsontree.Object || slices.ContainsFunc(n.Children, holdsMore))
	b.WriteByte(brackets[0])
	if lines {
		between = ",\n" + inner
		b.WriteString("\n" + inner)
	}
	for i := range n.Children {
		if i > 0 {
			b.WriteString(between)
		}
		if c := &n.Children[i]; n.Kind == jsontree.Object {
			b.WriteString(quoted(c.Key) + ": ")
		}
		writeNode(b, &n.Children[i], inner)
	}
	if lines {
		b.WriteString("\n" + indent)
	}
	b.WriteByte(brackets[1])
}

// holdsMore reports whether a value can hold other values.
func holdsMore(n jsontree.Node) bool { return n.Kind == jsontree.Object || n.Kind == jsontree.Array }

// quoted returns a string as JSON. Unlike encoding/json it does not escape < and >.
func quoted(s string) string {
	b, _ := text.JSON(s) // a string can always be encoded
	return string(b)
}
