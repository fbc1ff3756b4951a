package client

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// The limits of words that servers send, in bytes.
const (
	maxVersion      = 64
	maxInstructions = 16 << 10
	maxWords        = 512 // of an error
)

// maxProblems is how many tools that were left out are told one by one.
const maxProblems = 1_000

// List is what one server offers. It is shared and must not be changed.
type List struct {
	Slug string
	// Name and Version are what the server calls itself, "" if it says nothing.
	Name, Version string
	// Instructions are the server's own, for a model; "" for none.
	Instructions string
	// Tools are in the server's order.
	Tools []*manifest.Tool
	// Problems has one error for each limit that the list was cut at, and then one for each tool
	// that was left out, up to 1,000.
	Problems []error
	// Warnings are about tools that are there: nothing is known of their definitions.
	Warnings []error
	// Revision differs between two lists that differ in anything above.
	Revision string
}

// native is a tool as its server describes it. Everything is judged by its type when it is
// used: a fault is the tool's own.
type native struct {
	name string // the native one
	here string // the name here
	raw  map[string]json.RawMessage
	hash string
}

// known is what is known of a server's tools.
type known struct {
	listing *listing
	list    *List
	tools   map[string]*manifest.Tool // of list, by their native names
}

// define makes definitions of what a server has said. A tool with a fault is left out, with a
// problem, and changes no other one.
func define(cfg *Server, reserved []string, l *listing) *known {
	list := &List{Slug: cfg.Slug, Name: l.info.name, Version: l.info.version, Instructions: l.info.instructions}
	for _, p := range l.problems { // first: they tell of more tools than any other one
		list.Problems = append(list.Problems, fmt.Errorf("MCP server %s: %w", cfg.Slug, p))
	}
	left, most := 0, maxProblems+len(list.Problems) // left: problems that are not told
	problem := func(native string, err error) {
		if len(list.Problems) == most {
			left++
			return
		}
		list.Problems = append(list.Problems, fmt.Errorf("MCP server %s: tool %s: %w", cfg.Slug, text.Quote(native, nameMax), err))
	}
	natives := make([]*native, 0, len(l.tools))
	claims := map[string]*claim{} // by the names that native names map to
	for at, raw := range l.tools {
		n, err := readNative(raw)
		if err != nil {
			problem(fmt.Sprintf("#%d", at+1), err)
			continue
		}
		name, err := toolName(cfg, reserved, n.name)
		if err != nil {
			problem(n.name, err)
			continue
		}
		if claims[name] == nil {
			claims[name] = &claim{}
		}
		claims[name].add(n.name)
		n.here = name
		natives = append(natives, n)
	}
	tools := make(map[string]*manifest.Tool, len(natives))
	for _, n := range natives {
		if c := claims[n.here]; c.total > 1 {
			problem(n.name, c.collision(n))
			continue
		}
		tool, err := n.tool(cfg, n.here, l.info.version)
		if err == nil && cfg.Verify != nil {
			err = cfg.Verify(n.name, n.hash)
			if errors.Is(err, ErrUnverified) {
				list.Warnings = append(list.Warnings, fmt.Errorf("MCP server %s: tool %s: %w", cfg.Slug, text.Quote(n.name, nameMax), err))
				err = nil
			}
		}
		if err != nil {
			problem(n.name, err)
			continue
		}
		tools[n.name] = tool
		list.Tools = append(list.Tools, tool)
	}
	if left > 0 {
		list.Problems = append(list.Problems, fmt.Errorf("MCP server %s: %d more tools were left out", cfg.Slug, left))
	}
	list.Revision = list.revise()
	return &known{listing: l, list: list, tools: tools}
}

// toolName returns the name of a tool here.
func toolName(cfg *Server, reserved []string, native string) (string, error) {
	if cfg.Platform && strings.HasPrefix(native, cfg.Slug+".") && names.MatchString(native) && len(native) <= nameMax {
		return native, nil
	}
	s, err := segment(native)
	if err != nil {
		return "", err
	}
	name := cfg.Slug + "." + s
	if len(name) > nameMax {
		return "", fmt.Errorf("its name %s would have %d bytes; at most %d are possible", name, len(name), nameMax)
	}
	if ns := manifest.ReservedBy(name, reserved); ns != "" && !cfg.Platform {
		return "", fmt.Errorf("its name %s is in the reserved namespace %q: call the server otherwise", name, ns)
	}
	return name, nil
}

// claim is the native names that map to one name.
type claim struct {
	total int
	some  []string // different ones, up to four
}

func (c *claim) add(native string) {
	c.total++
	if len(c.some) < 4 && !slices.Contains(c.some, native) {
		c.some = append(c.some, native)
	}
}

// collision says why none of several tools can have a name.
func (c *claim) collision(n *native) error {
	var others []string
	for _, s := range c.some {
		if s != n.name && len(others) < 3 {
			others = append(others, text.Quote(s, nameMax))
		}
	}
	if len(others) == 0 {
		return fmt.Errorf("the server lists it %d times: none of them is used", c.total)
	}
	return fmt.Errorf("it would be %s, and so would %s: none of them is used", n.here, text.Enumerate(others, "and"))
}

// readNative reads a definition as far as its name, and hashes it.
func readNative(raw json.RawMessage) (*native, error) {
	if len(raw) > maxToolBytes {
		return nil, fmt.Errorf("its definition is longer than %s", text.FormatSize(maxToolBytes))
	}
	n := &native{}
	if err := json.Unmarshal(raw, &n.raw); err != nil || n.raw == nil {
		return nil, errors.New("its definition is no object")
	}
	if !n.text("name", &n.name) || n.name == "" {
		return nil, errors.New(`it has no "name"`)
	}
	var err error
	n.hash, err = hash(raw)
	return n, err
}

// text reads a member that is a string. It reports false for one of another type.
func (n *native) text(key string, s *string) bool {
	raw, ok := n.raw[key]
	return !ok || string(raw) == "null" || json.Unmarshal(raw, s) == nil
}

// hash returns the hash of a definition: SHA-256 over the definition as the server sent it,
// but without "_meta", which is about the message, with the keys of its objects sorted and
// without white space.
func hash(raw json.RawMessage) (string, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return "", errors.New("its definition is no JSON")
	}
	delete(v, "_meta")
	canonical, err := text.JSON(v)
	if err != nil {
		return "", errors.New("its definition is no JSON")
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// tool makes the definition.
func (n *native) tool(cfg *Server, name, version string) (*manifest.Tool, error) {
	var description, title string
	if !n.text("description", &description) {
		return nil, errors.New(`its "description" is no text`)
	}
	n.text("title", &title)
	def := manifest.Definition{
		Name: name, Description: text.Strip(cmp.Or(description, title, "The tool "+n.name+" of the MCP server "+cfg.Slug+".")),
		InputSchema: n.raw["inputSchema"],
		Effects:     cfg.Effects, Timeout: cfg.Timeout, Requires: cfg.Requires, Limits: cfg.Limits, Concurrency: cfg.Concurrency, Surface: cfg.Surface,
		External: &manifest.External{Server: cfg.Slug, Name: n.name, Version: version, Hash: n.hash},
		MCP:      &manifest.MCP{Server: cfg.Slug, Tool: n.name},
	}
	if len(def.InputSchema) == 0 || string(def.InputSchema) == "null" {
		return nil, errors.New(`it has no "inputSchema"`)
	}
	if output := n.raw["outputSchema"]; len(output) > 0 && string(output) != "null" {
		def.OutputSchema = output
	}
	if cfg.TrustAnnotations && n.readOnly() {
		def.Effects = manifest.EffectsRead
	}
	tool, err := manifest.Define(def)
	if err != nil {
		return nil, fmt.Errorf("%s", text.Shorten(text.Line(err.Error(), 0), maxWords))
	}
	return tool, nil
}

// readOnly reports whether the server says that the tool only reads.
func (n *native) readOnly() bool {
	var annotations struct {
		ReadOnlyHint bool `json:"readOnlyHint"`
	}
	return json.Unmarshal(n.raw["annotations"], &annotations) == nil && annotations.ReadOnlyHint
}

func (l *List) revise() string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %q\n", l.Slug, l.Name, l.Version, l.Instructions)
	for _, t := range l.Tools {
		fmt.Fprintln(h, t.Digest)
	}
	for _, err := range append(slices.Clone(l.Problems), l.Warnings...) {
		fmt.Fprintln(h, err)
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}
