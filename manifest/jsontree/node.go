package jsontree

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Kind is the type of a node. A node without a kind was not read.
type Kind uint8

// The types of JSON.
const (
	Null Kind = iota + 1
	Bool
	Number
	String
	Array
	Object
)

// String returns the kind as messages name it, with its article.
func (k Kind) String() string {
	switch k {
	case Null:
		return "null"
	case Bool:
		return "a boolean"
	case Number:
		return "a number"
	case String:
		return "a string"
	case Array:
		return "an array"
	case Object:
		return "an object"
	}
	return "nothing"
}

// Node is a JSON value with its position. Its strings share memory with the text that
// it was read from: clone those that must outlive that text.
type Node struct {
	Kind      Kind
	Offset    int    // of the value's first byte
	End       int    // after its last byte
	KeyOffset int    // of the key, for the member of an object
	Key       string // decoded
	Text      string // a string's decoded value; else the literal
	Children  []Node
}

// Get returns the member of an object, nil if it is absent or n is no object.
func (n *Node) Get(key string) *Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	for i := range n.Children {
		if n.Children[i].Key == key {
			return &n.Children[i]
		}
	}
	return nil
}

// Str returns the value of a string node, "" for any other node.
func (n *Node) Str() string {
	if n == nil || n.Kind != String {
		return ""
	}
	return n.Text
}

// At follows a JSON pointer and returns nil if nothing is there.
func (n *Node) At(pointer string) *Node {
	for pointer != "" && n != nil {
		token, rest := nextToken(pointer)
		switch n.Kind {
		case Object:
			n = n.Get(token)
		case Array:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(n.Children) {
				return nil
			}
			n = &n.Children[i]
		default:
			return nil
		}
		pointer = rest
	}
	return n
}

// Closest follows a JSON pointer as far as it goes and returns the last node that
// exists: n itself if none of them does.
func (n *Node) Closest(pointer string) *Node {
	for pointer != "" {
		if found := n.At(pointer); found != nil {
			return found
		}
		pointer = pointer[:max(strings.LastIndexByte(pointer, '/'), 0)]
	}
	return n
}

// nextToken cuts the first reference token off a JSON pointer and unescapes it.
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

// Child returns the pointer of a member.
func Child(pointer, key string) string {
	if strings.ContainsAny(key, "~/") {
		key = strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
	}
	return pointer + "/" + key
}

// Item returns the pointer of an element.
func Item(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

// Value returns what encoding/json would decode: maps, slices, strings, booleans and
// nil. Numbers are json.Number, so that no digit is lost.
func (n *Node) Value() any {
	switch n.Kind {
	case Bool:
		return n.Text == "true"
	case Number:
		return json.Number(n.Text)
	case String:
		return n.Text
	case Array:
		list := make([]any, len(n.Children))
		for i := range n.Children {
			list[i] = n.Children[i].Value()
		}
		return list
	case Object:
		object := make(map[string]any, len(n.Children))
		for i := range n.Children {
			object[n.Children[i].Key] = n.Children[i].Value()
		}
		return object
	}
	return nil
}
