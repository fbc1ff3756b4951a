package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// schemaURL names a schema inside the library. Nothing can be fetched from it.
const schemaURL = "schema:///"

// closedLoader refuses every document that is not the schema itself.
type closedLoader struct{}

var _ jsonschema.URLLoader = closedLoader{}

var errClosed = errors.New("schemas are not fetched")

func (closedLoader) Load(string) (any, error) { return nil, errClosed }

// newCompiler returns a compiler of validators: draft 2020-12 unless $schema says
// otherwise, formats are asserted, nothing is fetched.
func newCompiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(closedLoader{})
	return c
}

// compile makes a validator. A panic of the library is returned as an error like any
// other, because schemas are foreign text.
func compile(c *jsonschema.Compiler, doc any) (sch *jsonschema.Schema, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the schema cannot be compiled: %v", r)
		}
	}()
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

// check finds the faults of one schema. It looks itself for the faults that have an
// exact place (references, expressions, types) and leaves the rest to the library,
// which stops at its first such fault and does not know lines.
type check struct {
	src       string // the text to which the offsets of the nodes refer
	cache     *Known // nil for none
	faults    jsontree.Faults
	warnings  jsontree.Faults
	root      *jsontree.Node
	pointer   string // the pointer of root in the file
	resources map[string]*resource
	refs      []reference
	reported  map[string]bool // pointers with a fault

	depth      int // the depth of the schema that is being looked at
	complexity int // the complexity of all schemas up to it
}

// maxSchema bounds the size of one schema in bytes: the library's cost to compile it
// grows with the square.
const maxSchema = 256 << 10

// Check finds what is wrong with a schema, at its root and everywhere below it.
// pointer is its place in the file, src the text of the whole file. A schema that has
// compiled before, according to cache, is not compiled again.
func Check(root *jsontree.Node, pointer, src string, cache *Known) (faults, warnings jsontree.Faults) {
	s := &check{src: src, cache: cache, root: root, pointer: pointer, reported: map[string]bool{}}
	s.all()
	return s.faults, s.warnings
}

func (s *check) all() {
	if s.root.Kind != jsontree.Object {
		s.fault(s.root, s.pointer, "a schema must be an object, not "+s.root.Kind.String(), `write {"type":"object"} for a tool without arguments`)
		return
	}
	if s.root.End-s.root.Offset > maxSchema {
		s.fault(s.root, s.pointer, "the schema is larger than "+strconv.Itoa(maxSchema>>10)+" KiB", "")
		return
	}
	s.object()
	top := s.resource(schemaURL, s.root, s.pointer)
	s.walk(s.root, s.pointer, top)
	if s.tooComplex() {
		return
	}
	for _, r := range s.refs {
		s.resolve(r)
	}
	s.library()
}

// object checks that the root has the one type that arguments have.
func (s *check) object() {
	t := s.root.Get("type")
	if t == nil {
		s.fault(s.root, s.pointer, `the schema does not say "type": "object"`, `add "type":"object"`)
		return
	}
	if t.Str() != "object" {
		s.fault(t, jsontree.Child(s.pointer, "type"), `the type of the schema must be "object"`, `write "type":"object"`)
	}
}

func (s *check) fault(at *jsontree.Node, pointer, message, hint string) {
	s.reported[pointer] = true
	s.faults = append(s.faults, jsontree.Fault{Offset: at.Offset, Pointer: pointer, Message: message, Hint: hint})
}

func (s *check) warn(offset int, pointer, message, hint string) {
	s.warnings = append(s.warnings, jsontree.Fault{Offset: offset, Pointer: pointer, Message: message, Hint: hint})
}

// walk visits every schema below n in the order of the file.
func (s *check) walk(n *jsontree.Node, pointer string, in *resource) {
	s.depth++
	defer func() { s.depth-- }()
	if s.weigh(n, pointer, 1+s.depth/depthSteps); s.tooComplex() || n.Kind != jsontree.Object {
		return // it is true or false, or the library refuses it
	}
	if n.Get("$id") != nil || n.Get("id") != nil {
		s.weigh(n, pointer, identifierFee)
	}
	in = s.identify(n, pointer, in)
	for i := range n.Children {
		m := &n.Children[i]
		p := jsontree.Child(pointer, m.Key)
		switch shape := shapeOf(m.Key); shape {
		case shapeNone:
			s.keyword(m, p, in)
		case shapeUnknown:
			s.unknown(m, p)
		default:
			s.descend(m, p, in, shape)
		}
	}
}

func (s *check) descend(m *jsontree.Node, pointer string, in *resource, shape shape) {
	switch {
	case shape == shapeOne, shape == shapeEither && m.Kind != jsontree.Array:
		s.walk(m, pointer, in)
	case m.Kind == jsontree.Array && (shape == shapeList || shape == shapeEither):
		for i := range m.Children {
			s.walk(&m.Children[i], jsontree.Item(pointer, i), in)
		}
	case m.Kind == jsontree.Object && (shape == shapeMap || shape == shapeMapMixed):
		for i := range m.Children {
			if m.Key == "patternProperties" {
				s.expression(&m.Children[i], m.Children[i].Key, jsontree.Child(pointer, m.Children[i].Key))
			}
			s.walk(&m.Children[i], jsontree.Child(pointer, m.Children[i].Key), in)
		}
	}
}

// keyword checks the values that have an exact place.
func (s *check) keyword(m *jsontree.Node, pointer string, in *resource) {
	switch m.Key {
	case "$ref", "$dynamicRef":
		if m.Kind == jsontree.String {
			s.refs = append(s.refs, reference{at: m, pointer: pointer, from: in})
		}
	case "pattern":
		if m.Kind == jsontree.String {
			s.expression(m, m.Text, pointer)
		}
	case "type":
		s.types(m, pointer)
	case "$schema":
		if m.Kind == jsontree.String && !knownDraft(m.Text) {
			s.fault(m, pointer, "the draft "+quoted(m.Text)+" is unknown", draftHint)
		}
	case "format":
		if m.Kind == jsontree.String && !asserted(m.Text) {
			s.warn(m.Offset, pointer, "the format "+quoted(m.Text)+" is unknown here: its values are not checked", "")
		}
	}
}

// unknown warns about a keyword that looks misspelled: the specification allows
// unknown keywords, but a misspelled one would silently check nothing.
func (s *check) unknown(m *jsontree.Node, pointer string) {
	if strings.HasPrefix(m.Key, "x-") {
		return // an extension, on purpose
	}
	if guess := misspelled(m.Key); guess != "" {
		s.warn(m.KeyOffset, pointer, quoted(m.Key)+" is not a keyword of JSON Schema and checks nothing", "write "+quoted(guess))
	}
}

func (s *check) types(m *jsontree.Node, pointer string) {
	if m.Kind == jsontree.String {
		s.typeName(m, pointer)
	}
	if m.Kind == jsontree.Array {
		for i := range m.Children {
			if m.Children[i].Kind == jsontree.String {
				s.typeName(&m.Children[i], jsontree.Item(pointer, i))
			}
		}
	}
}

func (s *check) typeName(m *jsontree.Node, pointer string) {
	names := jsonTypes()
	for _, t := range names {
		if m.Text == t {
			return
		}
	}
	hint := "the types are " + text.Enumerate(names, "and")
	if guess := jsontree.Nearest(m.Text, names); guess != "" {
		hint = "write " + quoted(guess)
	}
	if s.reported[pointer] {
		return // the fault of the root has been reported
	}
	s.fault(m, pointer, quoted(m.Text)+" is not a type of JSON Schema", hint)
}

func (s *check) expression(at *jsontree.Node, expression, pointer string) {
	size, err := expressionSize(expression)
	if s.weigh(at, pointer, size/programSteps); err != nil {
		hint := ""
		if strings.Contains(expression, "(?") {
			hint = "expressions are RE2: without look-ahead, look-behind and back-references"
		}
		reason := err.Error()
		_, reason, _ = strings.Cut(reason, "error parsing regexp: ")
		s.fault(at, pointer, "the expression does not compile: "+text.Show(text.Cut(reason, 200)), hint)
	}
}
