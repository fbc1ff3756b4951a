package manifest

import (
	"encoding/json"
	"strconv"
	"strings"
)

// jsonKind is the type of a node.
type jsonKind uint8

const (
	kindNull jsonKind = iota + 1
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// String is the word that messages use.
func (k jsonKind) String() string {
	switch k {
	case kindNull:
		return "null"
	case kindBool:
		return "a boolean"
	case kindNumber:
		return "a number"
	case kindString:
		return "a string"
	case kindArray:
		return "an array"
	case kindObject:
		return "an object"
	}
	return "nothing"
}

// node is a JSON value that knows where it stands. Its strings share memory
// with the text it was read from: clone what outlives that.
type node struct {
	kind   jsonKind
	off    int    // of the value's first byte
	end    int    // after its last byte
	keyOff int    // of the key, for the member of an object
	key    string // decoded
	text   string // a string's decoded value; else the literal
	kids   []node
}

// get returns the member of an object, nil when it is absent or n is no object.
func (n *node) get(key string) *node {
	if n == nil || n.kind != kindObject {
		return nil
	}
	for i := range n.kids {
		if n.kids[i].key == key {
			return &n.kids[i]
		}
	}
	return nil
}

// str returns the value of a string node, "" for any other.
func (n *node) str() string {
	if n == nil || n.kind != kindString {
		return ""
	}
	return n.text
}

// at follows a JSON pointer and returns nil when nothing is there.
func (n *node) at(pointer string) *node {
	for pointer != "" && n != nil {
		token, rest := nextToken(pointer)
		switch n.kind {
		case kindObject:
			n = n.get(token)
		case kindArray:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.kids) {
				return nil
			}
			n = &n.kids[i]
		default:
			return nil
		}
		pointer = rest
	}
	return n
}

// find returns the pointer of the first member called key in an object that
// lies depth levels down, "" when there is none.
func (n *node) find(pointer string, depth int, key string) string {
	if depth == 0 {
		if n.get(key) != nil {
			return child(pointer, key)
		}
		return ""
	}
	for i := range n.kids {
		p := item(pointer, i)
		if n.kind == kindObject {
			p = child(pointer, n.kids[i].key)
		}
		if found := n.kids[i].find(p, depth-1, key); found != "" {
			return found
		}
	}
	return ""
}

// nearest follows a JSON pointer as far as it goes.
func (n *node) nearest(pointer string) *node {
	for pointer != "" {
		if found := n.at(pointer); found != nil {
			return found
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
	return n
}

// nextToken cuts the first reference token, unescaped, off a JSON pointer.
func nextToken(pointer string) (token, rest string) {
	pointer = strings.TrimPrefix(pointer, "/")
	if i := strings.IndexByte(pointer, '/'); i >= 0 {
		pointer, rest = pointer[:i], pointer[i:]
	}
	if strings.IndexByte(pointer, '~') < 0 {
		return pointer, rest
	}
	return strings.ReplaceAll(strings.ReplaceAll(pointer, "~1", "/"), "~0", "~"), rest
}

// child returns the pointer of a member.
func child(pointer, key string) string {
	if strings.ContainsAny(key, "~/") {
		key = strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
	}
	return pointer + "/" + key
}

// item returns the pointer of an element.
func item(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

// depth is how many levels the tree has below its root.
func (n *node) depth() (deepest int) {
	for i := range n.kids {
		deepest = max(deepest, 1+n.kids[i].depth())
	}
	return deepest
}

// value turns the tree into what the schema library reads: numbers stay
// json.Number, so that no digit is lost.
func (n *node) value() any {
	switch n.kind {
	case kindBool:
		return n.text == "true"
	case kindNumber:
		return json.Number(n.text)
	case kindString:
		return n.text
	case kindArray:
		list := make([]any, len(n.kids))
		for i := range n.kids {
			list[i] = n.kids[i].value()
		}
		return list
	case kindObject:
		object := make(map[string]any, len(n.kids))
		for i := range n.kids {
			object[n.kids[i].key] = n.kids[i].value()
		}
		return object
	}
	return nil
}
