package manifest

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// sidecar decodes x-sidecar strictly: an unknown key is a fault, because a misspelled
// limit sets no limit. input is the tool's schema or nil.
func (c *check) sidecar(t *Tool, n *jsontree.Node, pointer string, input *jsontree.Node) {
	keys := []string{"bridge", "effects", "kind", "timeout", "maxOutput", "requires", "uses", "limits", "concurrency", "interrupt", "surface", "card"}
	c.Members(n, pointer, keys, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "bridge":
			t.Bridge = c.bridge(m, p, input)
		case "effects":
			t.Effects = Effects(c.OneOf(m, p, string(EffectsRead), string(EffectsWrite)))
		case "kind":
			t.Kind = c.OneOf(m, p, ToolKinds()...)
		case "timeout":
			t.Timeout = c.duration(m, p)
		case "maxOutput":
			t.MaxOutput = c.size(m, p)
		case "requires":
			t.Requires = c.requires(m, p)
		case "uses":
			t.Uses = c.uses(m, p, input)
		case "limits":
			t.Limits = c.limits(m, p)
		case "concurrency":
			t.Concurrency = c.count(m, p)
		case "interrupt":
			t.Interrupt = c.OneOf(m, p, InterruptCancel, InterruptFinish)
		case "surface":
			t.Surface = c.OneOf(m, p, SurfaceAlways, SurfaceDiscoverable)
		case "card":
			t.Card = c.cardPart(m, p)
		}
	})
}

// cardPart keeps what a tool adds to the agent card, if that is valid.
func (c *check) cardPart(n *jsontree.Node, pointer string) json.RawMessage {
	if n.Kind != jsontree.Object {
		c.Wrong(n, pointer, `an object, as in {"capabilities":{"extensions":[{"uri":"https://example.com/ext/v1"}]}}`)
		return nil
	}
	raw := json.RawMessage(compact(nil, c.src[n.Offset:n.End]))
	if c.card != nil {
		if err := c.card(raw); err != nil {
			c.Fault(n.Offset, pointer, err.Error(), "")
		}
	}
	return raw
}

// ToolKinds lists the kinds that the Agent Client Protocol has for tools.
func ToolKinds() []string {
	return []string{"read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"}
}

const bridgeExample = `as in {"exec":{"command":["/opt/acme/echo"]}}`

// bridge decodes {"exec":{…}}, {"http":{…}}, {"mcp":{…}}, {"prompt":"…"}, {"agent":{}} or "agent".
func (c *check) bridge(n *jsontree.Node, pointer string, input *jsontree.Node) Bridge {
	b := Bridge{Kind: BridgeAgent}
	var keys []string
	for _, kind := range BridgeKinds() {
		keys = append(keys, string(kind))
	}
	switch {
	case n.Kind == jsontree.String && n.Text == "agent":
		return b
	case n.Kind != jsontree.Object:
		c.Fault(n.Offset, pointer, "must be \"agent\" or an object, not "+n.Kind.String(), bridgeExample)
		return b
	case len(n.Children) != 1:
		c.Fault(n.Offset, pointer, "a bridge has exactly one kind", bridgeExample)
	}
	c.Members(n, pointer, keys, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "agent":
			c.Members(m, p, nil, func(*jsontree.Node, string) {})
		case "exec":
			b = Bridge{Kind: BridgeExec, Exec: c.exec(m, p, input)}
		case "http":
			b = Bridge{Kind: BridgeHTTP, HTTP: c.http(m, p, input)}
		case "mcp":
			b = Bridge{Kind: BridgeMCP, MCP: c.mcp(m, p)}
		case "prompt":
			b = c.prompt(m, p, input)
		}
	})
	return b
}

// mcp decodes {"server":"…","tool":"…"}. Whether there is such a server is not known here.
func (c *check) mcp(n *jsontree.Node, pointer string) *MCP {
	m := &MCP{}
	c.Members(n, pointer, []string{"server", "tool"}, func(member *jsontree.Node, p string) {
		switch member.Key {
		case "server":
			m.Server, _ = c.Text(member, p)
		case "tool":
			m.Tool, _ = c.Text(member, p)
		}
	})
	if n.Kind == jsontree.Object && (m.Server == "" || m.Tool == "") {
		c.Fault(n.Offset, pointer, `"server" and "tool" are both needed`, `write {"server":"github","tool":"create_issue"}, as the server calls its tool`)
	}
	return m
}

func (c *check) exec(n *jsontree.Node, pointer string, input *jsontree.Node) *Exec {
	e := &Exec{}
	c.Members(n, pointer, []string{"command", "output", "env", "cwd"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "command":
			c.command(e, m, p, input)
		case "output":
			e.Output = c.OneOf(m, p, "text", "json")
		case "env":
			e.Env = c.variables(m, p)
		case "cwd":
			e.Cwd = c.directory(m, p)
		}
	})
	if n.Kind == jsontree.Object && n.Get("command") == nil {
		c.Fault(n.Offset, pointer, `"command" is missing`, `add "command":["/path/to/program"]`)
	}
	c.startable(e, n, pointer)
	return e
}

// variables checks the names of environment variables.
func (c *check) variables(n *jsontree.Node, pointer string) []string {
	return c.Texts(n, pointer, func(s string, e *jsontree.Node, at string) {
		switch name, _, assigned := strings.Cut(s, "="); {
		case assigned:
			c.Fault(e.Offset, at, "env holds names, not values", "write "+quote(name)+" and set it in the sidecar's environment")
		case !variableName(name):
			c.Fault(e.Offset, at, quote(name)+" is not the name of an environment variable", "")
		case strings.HasPrefix(name, "SIDECAR_"):
			c.Fault(e.Offset, at, quote(name)+" is the sidecar's own", "remove it: what a call is told in SIDECAR_… it gets unasked")
		case withheld(name):
			c.Fault(e.Offset, at, quote(name)+" is never passed on", "remove it")
		}
	})
}

func variableName(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) || i == 0 && isDigit(s[0]) {
			return false
		}
	}
	return s != ""
}

// withheld reports whether a variable is for the sidecar only.
func withheld(name string) bool {
	switch name {
	case "AGENT_CMD", "AGENT_ARGS", "AGENT_PORT", "SPRING_AGENT_ARGV":
		return true
	}
	return strings.HasPrefix(name, "SPRING_BOOTSTRAP_")
}

func (c *check) directory(n *jsontree.Node, pointer string) string {
	dir, ok := c.Text(n, pointer)
	switch {
	case !ok:
	case dir == "" || strings.ContainsRune(dir, 0):
		c.Fault(n.Offset, pointer, "cwd must be a path", `write ".", or leave it out, for the workspace`)
	case !filepath.IsAbs(dir) && !filepath.IsLocal(dir):
		c.Fault(n.Offset, pointer, "cwd leaves the workspace", "write an absolute path if that is meant")
	}
	return dir
}

func (c *check) duration(n *jsontree.Node, pointer string) time.Duration {
	d, err := time.ParseDuration(n.Text)
	if n.Kind != jsontree.String || err != nil || d <= 0 {
		c.Fault(n.Offset, pointer, shown(n)+" is not a duration above zero", `write it as in "90s", "2m" or "1h30m"`)
		return 0
	}
	return d
}

func (c *check) size(n *jsontree.Node, pointer string) int64 {
	bytes, ok := text.ParseSize(n.Text)
	if n.Kind != jsontree.String || !ok || bytes == 0 {
		c.Fault(n.Offset, pointer, shown(n)+" is not a size above zero", `write it as in "200KB" or "1MiB"`)
		return 0
	}
	return bytes
}

// shown returns a value for a fault: a string as it is, any other value by its kind.
func shown(n *jsontree.Node) string {
	if n.Kind == jsontree.String {
		return quote(n.Text)
	}
	return n.Kind.String()
}
