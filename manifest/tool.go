package manifest

import (
	"strconv"
	"strings"
)

// The keys of a tool.
const (
	keyName        = "name"
	keyDescription = "description"
	keyInput       = "inputSchema"
	keyOutput      = "outputSchema"
	keySidecar     = "x-sidecar"
)

// nameMax is what MCP clients accept.
const nameMax = 128

// definition checks one element of the manifest. The tool is of use only when
// no fault was found.
func (c *check) definition(n *node, pointer string) *Tool {
	if n.kind != kindObject {
		c.wrong(n, pointer, `an object with "name", "description" and "inputSchema"`)
		return nil
	}
	t := &Tool{Bridge: Bridge{Kind: BridgeAgent}, Effects: EffectsWrite, Kind: "other", Surface: SurfaceAlways}
	t.Name = c.name(n, pointer)
	t.Description = c.description(n, pointer)
	if input := c.required(n, pointer, keyInput); input != nil {
		c.schema(input, child(pointer, keyInput))
	}
	if output := n.get(keyOutput); output != nil {
		c.schema(output, child(pointer, keyOutput))
	}
	if x := n.get(keySidecar); x != nil {
		c.sidecar(t, x, child(pointer, keySidecar), n.get(keyInput))
	}
	c.others(n, pointer)
	return t
}

func (c *check) name(n *node, pointer string) string {
	m := c.required(n, pointer, keyName)
	if m == nil {
		return ""
	}
	p := child(pointer, keyName)
	name, ok := c.text(m, p)
	if !ok {
		return ""
	}
	if !canonical(name) {
		c.fault(m.off, p, quote(name)+" is not a tool name", nameHint(name))
		return ""
	}
	c.tool = name
	if ns := reservedBy(name, c.reserved); ns != "" {
		c.fault(m.off, p, quote(name)+" is in the reserved namespace "+quote(ns), "choose a namespace of your own")
	}
	if len(name) > nameMax {
		c.warn(m.off, p, "a name of more than "+strconv.Itoa(nameMax)+" characters is refused by MCP clients", "shorten it")
	}
	return name
}

func (c *check) description(n *node, pointer string) string {
	m := c.required(n, pointer, keyDescription)
	if m == nil {
		return ""
	}
	p := child(pointer, keyDescription)
	s, ok := c.text(m, p)
	if ok && strings.TrimSpace(s) == "" {
		c.warn(m.off, p, "the description is empty: nobody can tell when to call the tool", "say what it does")
	}
	return s
}

// required returns a member that must be there.
func (c *check) required(n *node, pointer, key string) *node {
	if m := n.get(key); m != nil {
		return m
	}
	hint := "add " + quote(key)
	for i := range n.kids {
		if other := n.kids[i].key; meant(other) == key {
			hint = "rename " + quote(other) + " to " + quote(key)
		}
	}
	c.fault(n.off, pointer, quote(key)+" is missing", hint)
	return nil
}

// meant returns the key of a tool that another one stands for: a slip of the
// pen, or the word of a neighbouring format.
func meant(key string) string {
	flat := strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(key))
	switch flat {
	case "name", "id", "toolname":
		return keyName
	case "description", "desc":
		return keyDescription
	case "inputschema", "parameters", "schema", "input", "arguments":
		return keyInput
	case "outputschema":
		return keyOutput
	case "xsidecar":
		return keySidecar
	}
	return near(key, toolKeys())
}

func toolKeys() []string {
	return []string{keyName, keyDescription, keyInput, keyOutput, keySidecar}
}

// others warns about keys that nothing reads.
func (c *check) others(n *node, pointer string) {
	for i := range n.kids {
		m := &n.kids[i]
		switch m.key {
		case keyName, keyDescription, keyInput, keyOutput, keySidecar:
			continue
		}
		hint := ""
		if key := meant(m.key); key != "" && n.get(key) == nil {
			hint = "write " + quote(key)
		}
		c.warn(m.keyOff, child(pointer, m.key), "the key "+quote(m.key)+" is not read and not served", hint)
	}
}
