package manifest

import (
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// The keys of a tool.
const (
	keyName        = "name"
	keyDescription = "description"
	keyInput       = "inputSchema"
	keyOutput      = "outputSchema"
	keySidecar     = "x-sidecar"
)

// nameMax is the longest name that MCP clients accept.
const nameMax = 128

// shortMax is the longest name, in bytes, that no known MCP client shortens, with the prefix that
// clients put in front of the tools of a server which is called sidecar.
const (
	shortMax     = 63
	clientPrefix = "mcp_sidecar_"
)

// definition checks one element of the manifest. The tool can be used only if no fault
// was found.
func (c *check) definition(n *jsontree.Node, pointer string) *Tool {
	if n.Kind != jsontree.Object {
		c.Wrong(n, pointer, `an object with "name", "description" and "inputSchema"`)
		return nil
	}
	t := &Tool{Bridge: Bridge{Kind: BridgeAgent}, Effects: EffectsWrite, Kind: "other", Interrupt: InterruptCancel, Surface: SurfaceAlways}
	t.Name = c.name(n, pointer)
	t.Description = c.description(n, pointer)
	if input := c.required(n, pointer, keyInput); input != nil {
		c.schema(input, jsontree.Child(pointer, keyInput))
	}
	if output := n.Get(keyOutput); output != nil {
		c.schema(output, jsontree.Child(pointer, keyOutput))
	}
	if x := n.Get(keySidecar); x != nil {
		c.sidecar(t, x, jsontree.Child(pointer, keySidecar), n.Get(keyInput))
	}
	c.others(n, pointer)
	return t
}

func (c *check) name(n *jsontree.Node, pointer string) string {
	m := c.required(n, pointer, keyName)
	if m == nil {
		return ""
	}
	p := jsontree.Child(pointer, keyName)
	name, ok := c.Text(m, p)
	if !ok {
		return ""
	}
	if !canonical(name) {
		c.Fault(m.Offset, p, quote(name)+" is not a tool name", nameHint(name))
		return ""
	}
	c.Subject = name
	if ns := ReservedBy(name, c.reserved); ns != "" && !c.anywhere {
		c.Fault(m.Offset, p, quote(name)+" is in the reserved namespace "+quote(ns), "choose a namespace of your own")
	}
	switch {
	case len(name) > nameMax:
		c.Warn(m.Offset, p, "a name of more than "+strconv.Itoa(nameMax)+" characters is refused by MCP clients", "shorten it")
	case len(clientPrefix)+len(name) > shortMax:
		c.Warn(m.Offset, p, "a name of more than "+strconv.Itoa(shortMax-len(clientPrefix))+" characters is shortened by some MCP clients: with their prefix "+
			clientPrefix+" it has more than "+strconv.Itoa(shortMax), "shorten it")
	}
	return name
}

func (c *check) description(n *jsontree.Node, pointer string) string {
	m := c.required(n, pointer, keyDescription)
	if m == nil {
		return ""
	}
	p := jsontree.Child(pointer, keyDescription)
	s, ok := c.Text(m, p)
	if ok && strings.TrimSpace(s) == "" {
		c.Warn(m.Offset, p, "the description is empty: nobody can tell when to call the tool", "say what it does")
	}
	return s
}

// required returns a member that must be there.
func (c *check) required(n *jsontree.Node, pointer, key string) *jsontree.Node {
	if m := n.Get(key); m != nil {
		return m
	}
	hint := "add " + quote(key)
	for i := range n.Children {
		if other := n.Children[i].Key; meant(other) == key {
			hint = "rename " + quote(other) + " to " + quote(key)
		}
	}
	c.Fault(n.Offset, pointer, quote(key)+" is missing", hint)
	return nil
}

// meant returns the key of a tool for which another one was written: a typing error,
// or the word of a similar format.
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
	return jsontree.Nearest(key, toolKeys())
}

func toolKeys() []string {
	return []string{keyName, keyDescription, keyInput, keyOutput, keySidecar}
}

// others warns about keys that nothing reads.
func (c *check) others(n *jsontree.Node, pointer string) {
	for i := range n.Children {
		m := &n.Children[i]
		switch m.Key {
		case keyName, keyDescription, keyInput, keyOutput, keySidecar:
			continue
		}
		hint := ""
		if key := meant(m.Key); key != "" && n.Get(key) == nil {
			hint = "write " + quote(key)
		}
		c.Warn(m.KeyOffset, jsontree.Child(pointer, m.Key), "the key "+quote(m.Key)+" is not read and not served", hint)
	}
}
