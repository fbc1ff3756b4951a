package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"sync"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
)

// Snapshot is an immutable, fully checked list of tools. Many goroutines may call its
// methods at once.
type Snapshot struct {
	tools      []*Tool
	byName     map[string]*Tool
	validators *schema.Validators

	served   sync.Once // sets the fields below, unless newSnapshot has
	document []byte
	revision string
}

// entry is a checked tool with the text that is served for it.
type entry struct {
	tool   *Tool
	text   string
	fields []field
}

// field is a key of a tool, and the place of its value in the text.
type field struct {
	key      string
	from, to int
}

// wireFields returns the keys of a tool that are served, in their order: neither
// x-sidecar nor anything else that is not part of the wire shape.
func wireFields(n *jsontree.Node) []field {
	fields := make([]field, 0, 3)
	for i := range n.Children {
		m := &n.Children[i]
		for _, key := range [...]string{keyName, keyDescription, keyInput, keyOutput} {
			if m.Key == key {
				fields = append(fields, field{key: key, from: m.Offset, to: m.End})
			}
		}
	}
	return fields
}

// newSnapshot joins the served text to one document. The tools' schemas become parts
// of it, so that nothing else of the file is kept.
func newSnapshot(entries []entry) *Snapshot {
	s := &Snapshot{
		tools:      make([]*Tool, 0, len(entries)),
		byName:     make(map[string]*Tool, len(entries)),
		document:   make([]byte, 0, documentSize(entries)),
		validators: schema.NewValidators(),
	}
	s.document = append(s.document, '[')
	for i, e := range entries {
		if i > 0 {
			s.document = append(s.document, ',')
		}
		t := s.serve(e)
		s.tools = append(s.tools, t)
		s.byName[t.Name] = t
	}
	s.document = append(s.document, ']')
	s.revise()
	return s
}

// Compose returns a snapshot of tools that were checked before, of other snapshots or by
// Define, in this order. Of several tools with one name, the first one counts.
func Compose(tools ...*Tool) *Snapshot {
	s := &Snapshot{tools: make([]*Tool, 0, len(tools)), byName: make(map[string]*Tool, len(tools)), validators: schema.NewValidators()}
	for _, t := range tools {
		if s.byName[t.Name] == nil {
			s.tools = append(s.tools, t)
			s.byName[t.Name] = t
		}
	}
	return s
}

// serveAll writes the document of a composed list, which few ask for.
func (s *Snapshot) serveAll() {
	if s.document != nil {
		return
	}
	b := []byte{'['}
	for i, t := range s.tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = t.appendWire(b)
	}
	s.document = append(b, ']')
	s.revise()
}

// appendWire appends what is served of a tool.
func (t *Tool) appendWire(b []byte) []byte {
	b = appendString(append(b, `{"name":`...), t.Name)
	b = appendString(append(b, `,"description":`...), t.Description)
	b = append(append(b, `,"inputSchema":`...), t.InputSchema...)
	if t.OutputSchema != nil {
		b = append(append(b, `,"outputSchema":`...), t.OutputSchema...)
	}
	return append(b, '}')
}

// revise computes the revision of the document.
func (s *Snapshot) revise() {
	sum := sha256.Sum256(s.document)
	s.revision = "sha256:" + hex.EncodeToString(sum[:])
}

// documentSize returns the size that newSnapshot needs, or a byte or two more.
func documentSize(entries []entry) int {
	size := 2
	for _, e := range entries {
		size += len(`{},`)
		for _, f := range e.fields {
			size += len(`"":,`) + len(f.key) + compactSize(e.text[f.from:f.to])
		}
	}
	return size
}

// serve appends a tool to the document and returns the tool that refers to it. A
// registered tool is copied, because it is in other snapshots too.
func (s *Snapshot) serve(e entry) *Tool {
	t := e.tool
	if t.Handler != nil {
		shared := *t
		t = &shared
	}
	for i, f := range e.fields {
		s.document = append(s.document, "{,"[min(i, 1)], '"')
		s.document = append(s.document, f.key...)
		s.document = append(s.document, '"', ':')
		from := len(s.document)
		s.document = compact(s.document, e.text[f.from:f.to])
		switch value := s.document[from:len(s.document):len(s.document)]; f.key {
		case keyInput:
			t.InputSchema = value
		case keyOutput:
			t.OutputSchema = value
		}
	}
	s.document = append(s.document, '}')
	return t
}

// compact appends JSON without the white space between its tokens.
func compact(dst []byte, src string) []byte {
	quoted := false
	for i := 0; i < len(src); i++ {
		c := src[i]
		switch {
		case quoted && c == '\\':
			dst = append(dst, c)
			i++
			c = src[i]
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			continue
		}
		dst = append(dst, c)
	}
	return dst
}

// compactSize returns how many bytes compact would append.
func compactSize(src string) int {
	size, quoted := len(src), false
	for i := 0; i < len(src); i++ {
		switch c := src[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			size--
		}
	}
	return size
}

// Tools returns the tools in order. The slice must not be changed.
func (s *Snapshot) Tools() []*Tool { return s.tools }

// Lookup finds a tool by its exact name.
func (s *Snapshot) Lookup(name string) (*Tool, bool) {
	t, ok := s.byName[name]
	return t, ok
}

// Revision returns "sha256:" and the hex digest of Document, the same that anybody
// computes from the body of GET /a2a/tools. It does not cover x-sidecar.
func (s *Snapshot) Revision() string {
	s.served.Do(s.serveAll)
	return s.revision
}

// Document returns the body of GET /a2a/tools: an array of {"name", "description",
// "inputSchema"}, and "outputSchema" if it is declared, in the order of the file, as
// compact JSON. It must not be changed.
func (s *Snapshot) Document() []byte {
	s.served.Do(s.serveAll)
	return s.document
}

// Suggest returns the tool whose name is nearest to one that does not exist, "" if
// none is near.
func (s *Snapshot) Suggest(name string) string {
	if c := canonicalize(name); c != "" {
		if _, ok := s.byName[c]; ok {
			return c
		}
	}
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Name
	}
	return jsontree.Nearest(name, names)
}
