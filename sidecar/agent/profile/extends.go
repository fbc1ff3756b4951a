package profile

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Known is what a profile's file may refer to and this package does not know.
type Known struct {
	// Hooks are the names that a file may have in its field "hook".
	Hooks []string
	// Source returns the file of a built-in profile, which other files may extend. If Source
	// is nil, there are no built-in profiles.
	Source func(name string) (string, error)
}

// extendsMax is how many profiles a chain of profiles that extend one another may have.
const extendsMax = 8

// IsFile reports whether the argument is the name of a file and not of a built-in profile. A
// file's name has a slash, or ends in .json.
func IsFile(nameOrFile string) bool {
	return strings.ContainsRune(nameOrFile, '/') || strings.HasSuffix(nameOrFile, ".json")
}

// layers reads profiles that extend one another.
type layers struct {
	known  Known
	person bool     // the first profile is a file of the user
	chain  []string // the profiles that are being read, each followed by the one that it extends
}

// read returns a file merged with what it extends, as a tree and as a profile. The error is
// [jsontree.Faults] of the file that is wrong.
func (l *layers) read(file string, src []byte) (jsontree.Node, *Profile, error) {
	own, faults := jsontree.ParseFile(file, src)
	if own.Kind == 0 {
		return own, nil, located(file, src, faults)
	}
	extends := own.Get("extends")
	d := decoder{faults: faults, extends: extends != nil, person: l.person}
	p := d.profile(&own, file)
	if extends == nil {
		p.GenericAsks = p.Name == GenericName
		d.check(&own, p, l.known.Hooks)
	}
	if extends == nil || len(d.faults) > 0 {
		return own, p, located(file, src, d.faults)
	}
	l.chain = append(l.chain, file)
	base, beneath, err := l.base(file, p.Extends)
	l.chain = l.chain[:len(l.chain)-1]
	var theirs jsontree.Faults
	switch {
	case errors.As(err, &theirs):
		return own, nil, theirs
	case err != nil:
		d.fault(extends, "/extends", err.Error(), extendsHint(err))
		return own, nil, located(file, src, d.faults)
	}
	whole := over(base, own)
	d.extends = false
	p = d.profile(&whole, file)
	p.GenericAsks = beneath.GenericAsks && own.Get("questions") == nil && own.Get("questions+") == nil
	d.check(&own, p, l.known.Hooks)
	return whole, p, located(file, src, d.faults)
}

func located(file string, src []byte, faults jsontree.Faults) error {
	if len(faults) == 0 {
		return nil
	}
	return jsontree.Locate(file, string(src), faults)
}

// errCircle and errDeep say why profiles cannot extend one another.
var (
	errCircle = errors.New("the profiles extend one another in a circle")
	errDeep   = fmt.Errorf("more than %d profiles extend one another", extendsMax)
)

// extendsHint says what to do about an "extends" that cannot be followed.
func extendsHint(err error) string {
	switch {
	case errors.Is(err, errCircle):
		return "let one of them extend a built-in profile, or nothing"
	case errors.Is(err, errDeep):
		return "merge some of them: sidecar profile show --resolved FILE prints a profile with all that it extends"
	}
	return "give the name of a built-in profile, or a file (with a slash, or ending in .json) relative to the folder of this one"
}

// base reads the profile that a file extends. The name of a file is relative to the folder
// of the file that extends it.
func (l *layers) base(file, extends string) (jsontree.Node, *Profile, error) {
	name, src := extends, []byte(nil)
	if IsFile(extends) {
		if name = extends; !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(file), name)
		}
	}
	chain := strings.Join(append(slices.Clone(l.chain), name), " → ")
	switch {
	case slices.ContainsFunc(l.chain, func(f string) bool { return filepath.Clean(f) == name }):
		return jsontree.Node{}, nil, fmt.Errorf("%w: %s", errCircle, chain)
	case len(l.chain) >= extendsMax:
		return jsontree.Node{}, nil, fmt.Errorf("%w: %s", errDeep, chain)
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
		return jsontree.Node{}, nil, err
	}
	return l.read(name, src)
}

// notInherited returns the fields that a profile does not inherit, because they are about the
// profile that it extends.
func notInherited() []string { return []string{"name", "about", "tests", "extends"} }

// over returns the base with the fields of top in it. Objects are merged field by field, and
// other values are replaced. A list whose name ends in + is put before the list of the base.
func over(base, top jsontree.Node) jsontree.Node {
	base.Children = slices.DeleteFunc(slices.Clone(base.Children), func(n jsontree.Node) bool { return slices.Contains(notInherited(), n.Key) })
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

// before returns a list followed by that of the base. It leaves out the rules of the base
// whose names the list has too.
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
