package codec

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// node is one value of a JSON text that check has found right, with its path from the root.
// Reading a member copies only what is kept, and looks at it once: where a value ends is
// known when it has been read, and looked for only if it has not.
type node struct {
	text []byte // what begins with the value
	size int    // the value's length, 0 while it is not known
	up   *node
	name string // the member's name, "" for an element of a list
	at   int    // the index in the list
	kept *budget
}

// budget counts the elements of lists and maps that are kept of a whole text.
type budget struct{ used, most int }

// shapeError says what is wrong with a value and how it should look.
type shapeError struct {
	path string // as in message.parts[0].text, "" for the root
	text string
	at   *node // the value, nil if it is not known
}

func (e *shapeError) Error() string {
	if e.path == "" {
		return e.text
	}
	return e.path + ": " + e.text
}

// jsonSpace is JSON's white space, which is not Unicode's.
const jsonSpace = " \t\r\n"

// These limit how many elements of lists and maps are kept of one text: a small body of
// many empty values must not become a large heap. The limit of results is higher, since a
// server's answer may be a page of long tasks.
const (
	maxElements       = 10_000
	maxResultElements = 1_000_000
)

// maxResultDepth bounds the nesting of what is not a request. It is encoding/json's.
const maxResultDepth = 10_000

// parse checks that raw is JSON and returns its root. At most elements elements of it are
// kept. Empty raw is read as null.
func parse(raw []byte, elements int) (*node, error) {
	raw = bytes.Trim(raw, jsonSpace)
	if len(raw) == 0 {
		raw = []byte("null")
	}
	if check(raw, maxResultDepth, nil) != nil {
		return nil, a2a.ErrParse.With("invalid JSON: %w", syntaxError(raw))
	}
	return newRoot(raw, elements), nil
}

// newRoot returns the root of a text that check has found right.
func newRoot(text []byte, elements int) *node {
	return &node{text: text, size: len(text), kept: &budget{most: elements}}
}

// raw returns the value's own text.
func (n *node) raw() []byte {
	if n.size == 0 {
		n.size = valueSize(n.text)
	}
	return n.text[:n.size]
}

// syntaxError says where raw stops being JSON.
func syntaxError(raw []byte) error {
	var v json.RawMessage
	err := json.Unmarshal(raw, &v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%w (at byte %d)", err, syntax.Offset)
	}
	return err
}

// errorf returns an error about this value, with its path.
func (n *node) errorf(format string, args ...any) error {
	return &shapeError{path: n.path(), text: fmt.Sprintf(format, args...), at: n}
}

// wrongType returns the error for a value that does not have the wanted type.
func (n *node) wrongType(want string) error {
	return n.errorf("must be %s, not %s", want, n.describe())
}

func (n *node) path() string {
	if n.up == nil {
		return ""
	}
	if n.name == "" {
		return n.up.path() + "[" + strconv.Itoa(n.at) + "]"
	}
	if p := n.up.path(); p != "" {
		return p + "." + n.name
	}
	return n.name
}

// pointer returns the JSON pointer to the value (RFC 6901).
func (n *node) pointer() string {
	switch {
	case n.up == nil:
		return ""
	case n.name == "":
		return n.up.pointer() + "/" + strconv.Itoa(n.at)
	}
	return n.up.pointer() + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(n.name)
}

func (n *node) describe() string {
	switch n.text[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func (n *node) null() bool { return n.text[0] == 'n' }

// keys says how an object's keys are passed on.
type keys bool

const (
	exact  keys = false // as they are
	folded keys = true  // in camelCase, however they were written; members that are null are left out
)

// each calls member for each member of an object, in order. It does nothing if the value is
// null. A duplicate name is refused: two readers would disagree about which one counts (RFC
// 8259 §4).
func (n *node) each(as keys, member func(key string, v *node) error) error {
	if n.null() {
		return nil
	}
	if n.text[0] != '{' {
		return n.wrongType("an object")
	}
	var seen names
	rest := skipSpace(n.text[1:])
	for rest[0] != '}' {
		end := stringSize(rest)
		key := unquote(rest[:end])
		if as == folded {
			key = camelCase(key)
		}
		rest = skipSpace(rest[end:])
		rest = skipSpace(rest[1:]) // the colon
		v := &node{text: rest, up: n, name: key, kept: n.kept}
		switch {
		case !seen.add(key):
			return n.errorf("%.100q is here twice", key)
		case seen.count > n.kept.most:
			return n.tooMany()
		}
		if as == exact || !v.null() {
			if err := member(key, v); err != nil {
				return err
			}
		}
		rest = nextValue(rest[len(v.raw()):])
	}
	n.size = len(n.text) - len(rest) + 1
	return nil
}

// names is the set of the names in one object: the first few are in an array, the others in
// a map.
type names struct {
	count int
	few   [8]string
	many  map[string]struct{}
}

// add adds a name and reports whether it is new.
func (s *names) add(name string) bool {
	if slices.Contains(s.few[:min(s.count, len(s.few))], name) {
		return false
	}
	if s.count < len(s.few) {
		s.few[s.count] = name
		s.count++
		return true
	}
	if _, there := s.many[name]; there {
		return false
	}
	if s.many == nil {
		s.many = make(map[string]struct{})
	}
	s.many[name] = struct{}{}
	s.count++
	return true
}

// count counts one more element that is kept. It returns an error if there are too many.
func (n *node) count() error {
	if n.kept.used++; n.kept.used > n.kept.most {
		return n.tooMany()
	}
	return nil
}

func (n *node) tooMany() error {
	return n.errorf("has too many elements: there may be %d in all", n.kept.most)
}

// list calls element for each element. It does nothing if the value is null.
func (n *node) list(element func(v *node) error) error {
	if n.null() {
		return nil
	}
	if n.text[0] != '[' {
		return n.wrongType("a list")
	}
	rest := skipSpace(n.text[1:])
	for i := 0; rest[0] != ']'; i++ {
		if err := n.count(); err != nil {
			return err
		}
		v := &node{text: rest, up: n, at: i, kept: n.kept}
		if err := element(v); err != nil {
			return err
		}
		rest = nextValue(rest[len(v.raw()):])
	}
	n.size = len(n.text) - len(rest) + 1
	return nil
}

// str reads a string. Bytes in it that are not UTF-8 become U+FFFD.
func (n *node) str(to *string) error {
	if n.text[0] != '"' {
		return n.wrongType("a string")
	}
	*to = unquote(n.raw())
	return nil
}

func (n *node) strs(to *[]string) error {
	out := []string{}
	err := n.list(func(v *node) error {
		var s string
		if err := v.str(&s); err != nil {
			return err
		}
		out = append(out, s)
		return nil
	})
	*to = out
	return err
}

// boolean reads true or false, bare or in a string (query parameters).
func (n *node) boolean(to *bool) error {
	switch string(n.raw()) {
	case "true", `"true"`:
		*to = true
	case "false", `"false"`:
		*to = false
	default:
		return n.wrongType("true or false")
	}
	return nil
}

// integer reads a number without a fraction that fits 32 bits, or a string of
// one (proto-JSON).
func (n *node) integer(to *int) error {
	text := string(n.raw())
	switch n.text[0] {
	case '"':
		text = unquote(n.raw())
	case '{', '[', 't', 'f', 'n':
		return n.wrongType("an integer")
	}
	i, ok := parseInt32(text)
	if !ok {
		return n.errorf("must be an integer of at most 32 bits")
	}
	*to = i
	return nil
}

func (n *node) optInteger(to **int) error {
	var i int
	if err := n.integer(&i); err != nil {
		return err
	}
	*to = &i
	return nil
}

// parseInt32 reads an integer in any of JSON's notations: 10, 10.0 and 1e1.
func parseInt32(text string) (int, bool) {
	if i, err := strconv.ParseInt(text, 10, 32); err == nil {
		return int(i), true
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || f < math.MinInt32 || f > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// base64 reads bytes in any of the alphabets, padded or not (proto-JSON).
func (n *node) base64(to *[]byte) error {
	var s string
	if err := n.str(&s); err != nil {
		return err
	}
	s = strings.TrimRight(s, "=")
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(s, "-_") {
		encoding = base64.RawURLEncoding
	}
	data, err := encoding.DecodeString(s)
	if err != nil {
		return n.errorf("must be base64: %v", err)
	}
	*to = data
	return nil
}

// timestamp reads an RFC 3339 time.
func (n *node) timestamp(to *time.Time) error {
	var s string
	if err := n.str(&s); err != nil {
		return err
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return n.errorf("must be an RFC 3339 time such as 2026-01-02T15:04:05.000Z")
	}
	*to = t.UTC()
	return nil
}

// json returns a copy of the value: one line of valid UTF-8.
func (n *node) json() json.RawMessage {
	raw := n.raw()
	return appendLine(make([]byte, 0, len(raw)), raw)
}

func (n *node) metadata(to *a2a.Metadata) error {
	m := a2a.Metadata{}
	if err := n.each(exact, func(key string, v *node) error {
		m[key] = v.json()
		return n.count()
	}); err != nil {
		return err
	}
	*to = m
	return nil
}
