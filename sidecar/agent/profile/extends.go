package profile

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Known is what a profile's file may name that this package does not know.
type Known struct {
	// Hooks are the agents whose hooks a file may name.
	Hooks []string
	// Source returns the file of a built-in profile, which another may extend; nil means
	// that there is none.
	Source func(name string) (string, error)
}

// extendsMax bounds how many files may stand one upon the other.
const extendsMax = 8

// IsFile reports whether the argument names a profile's file and not a built-in profile: it
// has a slash, or ends in .json.
func IsFile(nameOrFile string) bool {
	return strings.ContainsRune(nameOrFile, '/') || strings.HasSuffix(nameOrFile, ".json")
}

// layers reads files that extend one another.
type layers struct {
	known  Known
	person bool     // the first of the files is a person's
	chain  []string // the files that are being read, the first that was asked for first
}

// read returns the tree of a file on top of what it extends, and the profile in it. The
// error is [jsontree.Faults] of the file that is wrong.
func (l *layers) read(file string, src []byte) (jsontree.Node, *Profile, error) {
	own, faults := jsontree.ParseFile(file, src)
	if own.Kind == 0 {
		return own, nil, located(file, src, faults)
	}
	extends := own.Get("extends")
	d := decoder{faults: faults, extends: extends != nil, person: l.person}
	p := d.profile(&own, file)
	if extends == nil {
		d.check(&own, p, l.known.Hooks)
	}
	if extends == nil || len(d.faults) > 0 {
		return own, p, located(file, src, d.faults)
	}
	l.chain = append(l.chain, file)
	base, err := l.base(file, p.Extends)
	l.chain = l.chain[:len(l.chain)-1]
	var theirs jsontree.Faults
	switch {
	case errors.As(err, &theirs):
		return own, nil, theirs
	case err != nil:
		d.fault(extends, "/extends", err.Error(), "give the name of a built-in profile, or a file (with a slash, or ending in .json)")
		return own, nil, located(file, src, d.faults)
	}
	whole := over(base, own)
	d.extends = false
	p = d.profile(&whole, file)
	d.check(&own, p, l.known.Hooks)
	return whole, p, located(file, src, d.faults)
}

func located(file string, src []byte, faults jsontree.Faults) error {
	if len(faults) == 0 {
		return nil
	}
	return jsontree.Locate(file, string(src), faults)
}

// base reads what a file extends. A file's name is relative to the folder of the one that
// names it.
func (l *layers) base(file, extends string) (jsontree.Node, error) {
	name, src := extends, []byte(nil)
	if IsFile(extends) {
		if name = extends; !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
	}
	chain := strings.Join(append(slices.Clone(l.chain), name), " → ")
	switch {
	case slices.ContainsFunc(l.chain, func(f string) bool { return filepath.Clean(f) == name }):
		return jsontree.Node{}, errors.New("it extends itself: " + chain)
	case len(l.chain) >= extendsMax:
		return jsontree.Node{}, errors.New("too many profiles extend one another: " + chain)
	}
	var err error
	switch {
	case IsFile(extends):
		src, err = readFile(name)
	case l.known.Source == nil:
		err = errors.New("there is no profile " + quote(extends))
	default:
		var text string
		text, err = l.known.Source(extends)
		src = []byte(text)
	}
	if err != nil {
		return jsontree.Node{}, err
	}
	whole, _, err := l.read(name, src)
	return whole, err
}

// notTaken are the fields that a profile does not take from the one that it extends: they
// are about that one.
func notTaken() []string { return []string{"name", "about", "tests", "extends"} }

// over returns a tree with another on top: objects are merged field by field, and anything
// else is replaced. A list under its name and + comes before that of the base.
func over(base, top jsontree.Node) jsontree.Node {
	base.Children = slices.DeleteFunc(slices.Clone(base.Children), func(n jsontree.Node) bool { return slices.Contains(notTaken(), n.Key) })
	top.Children = slices.DeleteFunc(slices.Clone(top.Children), func(n jsontree.Node) bool { return n.Key == "extends" })
	return merged(base, top)
}

func merged(base, top jsontree.Node) jsontree.Node {
	if base.Kind != jsontree.Object || top.Kind != jsontree.Object {
		top.Key = base.Key
		return top
	}
	children := slices.Clone(base.Children)
	for _, n := range top.Children {
		key, more := strings.CutSuffix(n.Key, "+")
		at := slices.IndexFunc(children, func(c jsontree.Node) bool { return c.Key == key })
		n.Key = key
		switch {
		case at < 0:
			children = append(children, n)
		case more:
			children[at] = before(n, children[at])
		default:
			children[at] = merged(children[at], n)
		}
	}
	top.Key, top.Children = base.Key, children
	return top
}

// before returns a list with that of the base behind it, without the rules of the base
// that have the name of a rule before them.
func before(list, base jsontree.Node) jsontree.Node {
	ruleOf := func(n jsontree.Node) string { return n.Get("rule").Str() }
	children := slices.Clone(list.Children)
	for _, n := range base.Children {
		rule := ruleOf(n)
		if rule == "" || !slices.ContainsFunc(list.Children, func(own jsontree.Node) bool { return ruleOf(own) == rule }) {
			children = append(children, n)
		}
	}
	list.Children = children
	return list
}
