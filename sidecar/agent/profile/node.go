package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
)

// node is a JSON value that knows where it stands.
type node struct {
	off     int
	pointer string
	value   any // string, json.Number, bool, nil, []node, []member
}

type member struct {
	key string
	off int
	node
}

// depthMax is deeper than any profile goes.
const depthMax = 16

// treeReader builds the tree of one document.
type treeReader struct {
	src    []byte
	dec    *json.Decoder
	faults *[]fault
}

// parseTree reads one JSON document and nothing after it. A document that is
// no JSON is one fault.
func parseTree(src []byte, faults *[]fault) (node, bool) {
	r := treeReader{src: src, dec: json.NewDecoder(bytes.NewReader(src)), faults: faults}
	r.dec.UseNumber()
	root, err := r.read("", depthMax)
	if err == nil {
		end := r.dec.InputOffset()
		if _, err = r.dec.Token(); errors.Is(err, io.EOF) {
			return root, true
		}
		*faults = append(*faults, fault{off: r.after(int(end)), message: "something follows the profile", hint: "one file holds one JSON object"})
		return node{}, false
	}
	f := fault{off: int(r.dec.InputOffset()), message: "this is not JSON: " + err.Error(), hint: "check for a missing comma, quote or bracket here"}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		f.off = int(syntax.Offset) // of the byte, or behind it when a value was being read
		if syntax.Offset > r.dec.InputOffset() {
			f.off--
		}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		f.off, f.message, f.hint = len(src), "the file ends too early", "close every bracket"
	}
	*faults = append(*faults, f)
	return node{}, false
}

// after is the offset of the next value: the decoder stands behind the last
// token, and blanks, a comma or a colon lie between.
func (r *treeReader) after(off int) int {
	for off < len(r.src) && strings.IndexByte(" \t\r\n,:", r.src[off]) >= 0 {
		off++
	}
	return off
}

var errDeep = errors.New("it is nested too deeply")

func (r *treeReader) read(pointer string, depth int) (node, error) {
	n := node{off: r.after(int(r.dec.InputOffset())), pointer: pointer}
	token, err := r.dec.Token()
	if err != nil {
		return n, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		n.value = token
		return n, nil
	}
	if depth == 0 {
		return n, errDeep
	}
	if delim == '[' {
		return r.array(n, depth-1)
	}
	return r.object(n, depth-1)
}

// escape makes a key a part of a pointer, unescape the other way round (RFC 6901).
func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

func (r *treeReader) array(n node, depth int) (node, error) {
	items := []node{}
	for r.dec.More() {
		item, err := r.read(n.pointer+"/"+strconv.Itoa(len(items)), depth)
		if err != nil {
			return n, err
		}
		items = append(items, item)
	}
	n.value = items
	_, err := r.dec.Token()
	return n, err
}

func (r *treeReader) object(n node, depth int) (node, error) {
	members := []member{}
	seen := map[string]bool{}
	for r.dec.More() {
		off := r.after(int(r.dec.InputOffset()))
		token, err := r.dec.Token()
		if err != nil {
			return n, err
		}
		key := token.(string) // the decoder lets nothing else be a key
		pointer := n.pointer + "/" + escape(key)
		if seen[key] {
			*r.faults = append(*r.faults, fault{off: off, pointer: pointer, message: "this field was given before", hint: "keep one of them"})
		}
		seen[key] = true
		value, err := r.read(pointer, depth)
		if err != nil {
			return n, err
		}
		members = append(members, member{key: key, off: off, node: value})
	}
	n.value = members
	_, err := r.dec.Token()
	return n, err
}
