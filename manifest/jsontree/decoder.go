package jsontree

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Decoder takes values out of a tree and collects what is wrong with them. Its faults are
// not located yet. It is for one goroutine.
type Decoder struct {
	// Subject is the name of what the next faults and warnings are about, "" for none.
	Subject  string
	Faults   Faults
	Warnings Faults
}

// quoteMax bounds how much of a document a message repeats.
const quoteMax = 80

func quote(s string) string { return text.Quote(s, quoteMax) }

// Fault adds a fault.
func (d *Decoder) Fault(offset int, pointer, message, hint string) {
	d.Faults = append(d.Faults, Fault{Offset: offset, Pointer: pointer, Subject: d.Subject, Message: message, Hint: hint})
}

// Warn adds a warning.
func (d *Decoder) Warn(offset int, pointer, message, hint string) {
	d.Warnings = append(d.Warnings, Fault{Offset: offset, Pointer: pointer, Subject: d.Subject, Message: message, Hint: hint})
}

// Wrong reports a value that is not what was wanted, such as "an array of strings".
func (d *Decoder) Wrong(n *Node, pointer, want string) {
	d.Fault(n.Offset, pointer, "must be "+want+", not "+n.Kind.String(), "")
}

// Text returns the value of a string, which may outlive the tree, and reports whether it
// is one.
func (d *Decoder) Text(n *Node, pointer string) (string, bool) {
	if n.Kind != String {
		d.Wrong(n, pointer, "a string")
		return "", false
	}
	return strings.Clone(n.Text), true
}

// OneOf returns a string that must be one of a few words, "" if it is another.
func (d *Decoder) OneOf(n *Node, pointer string, words ...string) string {
	s, ok := d.Text(n, pointer)
	if !ok || slices.Contains(words, s) {
		return s
	}
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = quote(w)
	}
	d.Fault(n.Offset, pointer, "must be "+text.Enumerate(all, "or")+", not "+quote(s), meant(s, words))
	return ""
}

// Texts returns the strings of an array, "" in the place of an element that is no string,
// and calls check, if it is not nil, for each that is one.
func (d *Decoder) Texts(n *Node, pointer string, check func(s string, e *Node, pointer string)) []string {
	if n.Kind != Array {
		d.Wrong(n, pointer, "an array of strings")
		return nil
	}
	out := make([]string, len(n.Children))
	for i := range n.Children {
		e, p := &n.Children[i], Item(pointer, i)
		s, ok := d.Text(e, p)
		if out[i] = s; ok && check != nil {
			check(s, e, p)
		}
	}
	return out
}

// Members visits the members of an object whose keys are all known.
func (d *Decoder) Members(n *Node, pointer string, keys []string, visit func(m *Node, pointer string)) {
	if n.Kind != Object {
		d.Wrong(n, pointer, "an object")
		return
	}
	for i := range n.Children {
		m := &n.Children[i]
		p := Child(pointer, m.Key)
		if slices.Contains(keys, m.Key) {
			visit(m, p)
			continue
		}
		hint := meant(m.Key, keys)
		if hint == "" {
			hint = "the keys are " + text.Enumerate(keys, "and")
		}
		d.Fault(m.KeyOffset, p, "the key "+quote(m.Key)+" is unknown here", hint)
	}
}

// meant is a hint at the word that was most likely meant, "" if none is near.
func meant(word string, words []string) string {
	if near := Nearest(word, words); near != "" {
		return "write " + quote(near)
	}
	return ""
}
