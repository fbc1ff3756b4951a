package audit

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Prune returns the arguments at some JSON pointers, each in its place, as one line of
// JSON: what a rule finds at a pointer is there, or not there, as in the whole arguments.
// Members of objects are left out; items of lists become null, because the others keep
// their numbers. It is "" if nothing is at any of the pointers.
func Prune(arguments string, pointers []string) string {
	if len(pointers) == 0 {
		return ""
	}
	root, faults := jsontree.Parse(arguments, 0)
	if len(faults) > 0 {
		return ""
	}
	p := pruning{src: arguments}
	for _, pointer := range pointers {
		if n := root.At(pointer); n != nil {
			p.kept = append(p.kept, n)
		}
	}
	if len(p.kept) == 0 {
		return ""
	}
	p.write(&root)
	return p.out.String()
}

type pruning struct {
	src  string
	kept []*jsontree.Node
	out  strings.Builder
}

// write writes a node that is kept, or that has one that is.
func (p *pruning) write(n *jsontree.Node) {
	switch {
	case slices.Contains(p.kept, n):
		p.out.WriteString(p.src[n.Offset:n.End])
	case n.Kind == jsontree.Array:
		p.list(n)
	default:
		p.object(n)
	}
}

func (p *pruning) list(n *jsontree.Node) {
	p.out.WriteByte('[')
	last := len(n.Children) - 1
	for ; !p.needs(&n.Children[last]); last-- {
		continue // there is one that it needs
	}
	for i := range n.Children[:last+1] {
		if i > 0 {
			p.out.WriteByte(',')
		}
		if item := &n.Children[i]; p.needs(item) {
			p.write(item)
		} else {
			p.out.WriteString("null")
		}
	}
	p.out.WriteByte(']')
}

func (p *pruning) object(n *jsontree.Node) {
	p.out.WriteByte('{')
	first := true
	for i := range n.Children {
		member := &n.Children[i]
		if !p.needs(member) {
			continue
		}
		if !first {
			p.out.WriteByte(',')
		}
		first = false
		key, _ := text.JSON(member.Key) // a string always encodes
		p.out.Write(key)
		p.out.WriteByte(':')
		p.write(member)
	}
	p.out.WriteByte('}')
}

// needs reports whether a node is kept, or has one that is.
func (p *pruning) needs(n *jsontree.Node) bool {
	return slices.ContainsFunc(p.kept, func(k *jsontree.Node) bool { return n.Offset <= k.Offset && k.End <= n.End })
}
