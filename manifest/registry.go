package manifest

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Handler runs a tool in this process. The arguments have been checked against the
// schema. The context ends when the call is canceled or times out. A returned error is
// the tool's failure, not the sidecar's. Many goroutines may call it at once.
type Handler func(ctx context.Context, args json.RawMessage) (json.RawMessage, error)

// Definition declares a tool written in Go. Name, Description and InputSchema are
// required; the other fields are those of Tool and have the defaults of a manifest.
type Definition struct {
	Name         string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Effects      Effects
	Kind         string
	Timeout      time.Duration
	MaxOutput    int64
	Requires     *Requires
	Uses         Uses
	Limits       Limits
	Concurrency  int
	Interrupt    string
	Surface      string
	// Instead says for names of properties that InputSchema does not have what to write instead, as in
	// "cmd": "write command". A caller that uses such a name is told so. Nobody else sees it.
	Instead map[string]string
	// External and MCP are for a tool of an MCP server; see Define.
	External *External
	MCP      *MCP
	// Core is for a tool that the sidecar brings; see Define.
	Core bool
}

// Registry holds tools written in Go, in the order of their registration. Many
// goroutines may use it at once. A running Source also serves a tool that is
// registered later.
type Registry struct {
	mu      sync.Mutex
	tools   []entry
	changed chan struct{} // closed by the next Register
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry { return &Registry{changed: make(chan struct{})} }

// Register adds a tool. The error is Faults: a bad name or schema, a reserved
// namespace, a duplicate name, or no handler.
func (r *Registry) Register(def Definition, h Handler) error {
	e, faults := def.check(false)
	if h == nil {
		faults = append(faults, jsontree.Fault{Subject: def.Name, Message: "the handler is nil"})
	}
	if len(faults) > 0 {
		return faults
	}
	e.tool.Handler = h
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.tools, func(other entry) bool { return other.tool.Name == def.Name }) {
		return jsontree.Faults{{Pointer: "/" + keyName, Subject: def.Name, Message: quote(def.Name) + " is registered already", Hint: "choose another name"}}
	}
	r.tools = append(r.tools, e)
	close(r.changed)
	r.changed = make(chan struct{})
	return nil
}

// Define returns the tool of a definition that another program sent, or that the sidecar brings. It is checked like a
// tool of a file, and its Digest covers its source, with External's name and hash. The error is Faults. Names in reserved
// namespaces are not refused: whoever composes a list knows what is reserved there.
func Define(def Definition) (*Tool, error) {
	e, faults := def.check(true)
	if len(faults) > 0 {
		return nil, faults
	}
	t := e.tool
	source := SourceRegistry
	if x := def.External; x != nil {
		t.External = x
		source = t.Source() + " " + x.Name + " " + x.Hash
	}
	if def.Core {
		t.Bridge = Bridge{Kind: BridgeCore}
		t.Uses.Dir, t.Uses.Text = def.Uses.Dir, def.Uses.Text
		source = t.Source()
	}
	if def.MCP != nil {
		t.Bridge = Bridge{Kind: BridgeMCP, MCP: def.MCP}
	}
	t.Digest = digestOf(source, e.text)
	s := newSnapshot([]entry{e})
	return s.tools[0], nil
}

// check applies the checks of a file to a definition, as a file with a single tool. anywhere: in
// reserved namespaces too.
func (d Definition) check(anywhere bool) (entry, jsontree.Faults) {
	src, faults := d.source()
	if len(faults) > 0 {
		return entry{}, faults
	}
	tree, faults := jsontree.Parse(src, 0)
	c := check{Decoder: jsontree.Decoder{Faults: faults}, src: src, anywhere: anywhere}
	if tree.Kind == 0 {
		return entry{}, placeless(c.Faults)
	}
	t := c.definition(&tree, "")
	if len(c.Faults) > 0 {
		return entry{}, placeless(c.Faults)
	}
	t.Digest, t.Instead = digestOf(SourceRegistry, src), d.Instead
	return entry{tool: t, text: src, fields: wireFields(&tree)}, nil
}

// source writes the definition as a manifest would contain it. A schema that is no
// JSON is found here, while it still has a name.
func (d Definition) source() (string, jsontree.Faults) {
	b := []byte(`{"name":`)
	b = appendString(b, d.Name)
	b = append(b, `,"description":`...)
	b = appendString(b, d.Description)
	for _, schema := range []struct {
		key  string
		text json.RawMessage
	}{{keyInput, d.InputSchema}, {keyOutput, d.OutputSchema}} {
		if schema.text == nil {
			continue
		}
		if root, faults := jsontree.Parse(string(schema.text), 0); root.Kind == 0 {
			for i := range faults {
				faults[i].Pointer, faults[i].Subject = "/"+schema.key+faults[i].Pointer, d.Name
			}
			return "", placeless(faults)
		}
		b = append(append(append(b, `,"`...), schema.key...), `":`...)
		b = append(b, schema.text...)
	}
	b = append(append(append(b, `,"`+keySidecar+`":`...), d.sidecar()...), '}')
	return string(b), nil
}

// sidecar writes the other fields as x-sidecar would contain them. Fields with their
// zero value are left out.
func (d Definition) sidecar() []byte {
	doc := struct {
		Effects     Effects   `json:"effects,omitempty"`
		Kind        string    `json:"kind,omitempty"`
		Timeout     string    `json:"timeout,omitempty"`
		MaxOutput   string    `json:"maxOutput,omitempty"`
		Requires    *Requires `json:"requires,omitempty"`
		Uses        Uses      `json:"uses,omitzero"`
		Limits      Limits    `json:"limits,omitzero"`
		Concurrency int       `json:"concurrency,omitempty"`
		Interrupt   string    `json:"interrupt,omitempty"`
		Surface     string    `json:"surface,omitempty"`
	}{
		Effects: d.Effects, Kind: d.Kind, Requires: d.Requires, Uses: d.Uses, Limits: d.Limits,
		Concurrency: d.Concurrency, Interrupt: d.Interrupt, Surface: d.Surface,
	}
	if d.Timeout != 0 {
		doc.Timeout = d.Timeout.String()
	}
	if d.MaxOutput != 0 {
		doc.MaxOutput = strconv.FormatInt(d.MaxOutput, 10)
	}
	b, _ := json.Marshal(doc) // strings and numbers always have a JSON form
	return b
}

func appendString(b []byte, s string) []byte {
	quoted, _ := json.Marshal(s) // a string always has a JSON form
	return append(b, quoted...)
}

// placeless removes line and column from faults, because the faults are in Go code.
func placeless(faults jsontree.Faults) jsontree.Faults {
	out := jsontree.Locate("", "", faults)
	for i := range out {
		out[i].Line, out[i].Column = 0, 0
	}
	return out
}

// entries returns the registered tools; those in a namespace that these options
// reserve are faults. A nil registry has none.
func (r *Registry) entries(reserved []string, faults *jsontree.Faults) []entry {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.tools {
		if ns := ReservedBy(e.tool.Name, reserved); ns != "" {
			*faults = append(*faults, jsontree.Fault{Subject: e.tool.Name, Message: "the registered tool " + quote(e.tool.Name) + " is in the reserved namespace " + quote(ns)})
		}
	}
	return slices.Clone(r.tools)
}

// next returns a channel that the next registration closes. For a nil registry it is
// nil, which is never closed.
func (r *Registry) next() <-chan struct{} {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}
