package manifest

import (
	"maps"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Uses say which arguments hold what a call uses: JSON pointers into the arguments. An
// argument that is an array holds one value in each item.
type Uses struct {
	FSRead   []string `json:"fs.read,omitempty"`   // paths that are read
	FSWrite  []string `json:"fs.write,omitempty"`  // paths that are written
	NetFetch []string `json:"net.fetch,omitempty"` // hosts or URLs
	ShellRun []string `json:"shell.run,omitempty"` // command lines for a shell
	// Dir is the pointer of the argument that says in which directory command lines run; "": in that
	// of the tool. Only a tool of the sidecar's own has one.
	Dir string `json:"-"`
	// Text is the argument that is a text which names files, nil for none. Only a tool of the sidecar's own has one.
	Text *UsesText `json:"-"`
}

// UsesText is an argument that names files in its text, as a patch does.
type UsesText struct {
	Pointer string // of the argument
	// Paths returns the paths that the text names, each once: the call reads and writes them. It returns the same for
	// the same text, so that what is judged is what is used. The error is a clause after the argument's name.
	Paths func(text string) ([]string, error)
}

// uses decodes {"fs.read":["/path"],…}. input is the tool's schema or nil.
func (c *check) uses(n *jsontree.Node, pointer string, input *jsontree.Node) Uses {
	var u Uses
	places := map[string]*[]string{"fs.read": &u.FSRead, "fs.write": &u.FSWrite, "net.fetch": &u.NetFetch, "shell.run": &u.ShellRun}
	c.Members(n, pointer, slices.Sorted(maps.Keys(places)), func(m *jsontree.Node, p string) {
		*places[m.Key] = c.Texts(m, p, func(s string, e *jsontree.Node, p string) { c.argumentPointer(s, e, p, input) })
	})
	return u
}

// argumentPointer checks a pointer against the schema, as far as it can be told.
func (c *check) argumentPointer(s string, n *jsontree.Node, pointer string, input *jsontree.Node) {
	if !strings.HasPrefix(s, "/") || badEscape(s) {
		c.Fault(n.Offset, pointer, quote(s)+" is not a JSON pointer to an argument", `write "/path" for the argument "path"`)
		return
	}
	found := lookup{root: input, steps: map[step]bool{}}
	types, known := found.at(input, s)
	switch {
	case known == unknown:
	case known == absent:
		hint := "add it to inputSchema"
		if guess := jsontree.Nearest(s[1:], slices.Sorted(maps.Keys(properties(input)))); guess != "" {
			hint = "write " + quote(jsontree.Child("", guess))
		}
		c.Fault(n.Offset, pointer, quote(s)+" is not an argument of inputSchema", hint)
	case types != 0 && !types.has(jsontree.String) && !types.has(jsontree.Array):
		c.Fault(n.Offset, pointer, quote(s)+" is neither a string nor an array of strings", "point to the argument that holds the value")
	}
}

// badEscape reports whether a "~" of a JSON pointer is not followed by 0 or 1.
func badEscape(s string) bool {
	for i := range len(s) {
		if s[i] == '~' && (i+1 == len(s) || s[i+1] != '0' && s[i+1] != '1') {
			return true
		}
	}
	return false
}

// presence says whether a schema has something at a pointer.
type presence uint8

const (
	absent  presence = iota // an argument there is misspelled, or is never sent
	unknown                 // it cannot be told
	present
)

// lookup follows a pointer into what a schema describes.
type lookup struct {
	root  *jsontree.Node
	steps map[step]bool // guards against circular references
}

type step struct {
	n       *jsontree.Node
	pointer string
}

// at returns the types at a pointer below schema n, and whether it has one there.
func (l *lookup) at(n *jsontree.Node, pointer string) (kinds, presence) {
	d := declarations{root: l.root, types: map[*jsontree.Node]kinds{}}
	switch {
	case n == nil || n.Kind != jsontree.Object:
		return 0, unknown
	case pointer == "":
		return d.typesOf(n), present
	case l.steps[step{n, pointer}]:
		return 0, absent
	}
	l.steps[step{n, pointer}] = true
	types, best := l.below(n, pointer)
	for _, other := range l.alternatives(&d, n) {
		t, p := l.at(other, pointer)
		types, best = types|t, max(best, p)
	}
	return types, best
}

// below follows the first token of a pointer.
func (l *lookup) below(n *jsontree.Node, pointer string) (kinds, presence) {
	token, rest, deeper := strings.Cut(pointer[1:], "/")
	if deeper {
		rest = "/" + rest
	}
	token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
	if m := n.Get("properties").Get(token); m != nil {
		return l.at(m, rest)
	}
	if n.Get("patternProperties") != nil || n.Get("items") != nil || n.Get("prefixItems") != nil {
		return 0, unknown
	}
	if more := n.Get("additionalProperties"); more != nil && more.Kind == jsontree.Object {
		return l.at(more, rest)
	}
	return 0, absent
}

// alternatives returns the schemas that describe the same value as n.
func (l *lookup) alternatives(d *declarations, n *jsontree.Node) []*jsontree.Node {
	var all []*jsontree.Node
	if ref := n.Get("$ref").Str(); ref != "" {
		all = append(all, d.local(n)) // nil, which is unknown, if it is not in the document
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		subs := elementsOf(n.Get(keyword))
		for i := range subs {
			all = append(all, &subs[i])
		}
	}
	for _, keyword := range []string{"then", "else"} {
		if m := n.Get(keyword); m != nil {
			all = append(all, m)
		}
	}
	return all
}
