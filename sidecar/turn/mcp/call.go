package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// Call implements driver.Driver: it calls the tool of the agent that a tool of a manifest stands
// for.
func (d *Driver) Call(ctx context.Context, t driver.Turn) (driver.CallResult, error) {
	c := t.Call()
	native, err := d.a.native(c.Tool)
	if err != nil {
		return driver.CallResult{}, err
	}
	r, err := d.a.Call(ctx, client.Call{Tool: native, Arguments: c.Arguments, TraceParent: t.TraceParent()})
	if err != nil {
		return driver.CallResult{}, err
	}
	kept := &driver.Capture{Pass: c.Output}
	for i := range r.Content {
		if i > 0 {
			kept.Write([]byte("\n"))
		}
		kept.Write([]byte(words(&r.Content[i])))
	}
	res := kept.Result()
	res.Structured, res.IsError = r.Structured, r.IsError
	return res, nil
}

// words returns a block of a result as text.
func words(c *client.Content) string {
	if c.Text != "" || c.Kind == client.ContentText {
		return c.Text
	}
	return fmt.Sprintf("[%s %s]", c.Kind, strings.TrimSpace(c.URI+" "+c.MediaType))
}

// errUnknown says that the agent has no such tool.
var errUnknown = errors.New("the agent has no tool of that name")

// native returns the agent's own name of a tool that a manifest declares:
//
//	the agent has a tool                                  | which is called
//	------------------------------------------------------|----------------
//	with the same name (acme.echo)                        | that one
//	whose mapped name is the rest after the first dot,    | that one
//	dots as underscores (acme.get_sum, get-sum)           |
//	of neither kind                                       | none: an error
func (a *Agent) native(tool string) (string, error) {
	_, rest, _ := strings.Cut(tool, ".")
	rest = strings.ReplaceAll(rest, ".", "_")
	found := ""
	for _, l := range a.servers.Tools() {
		for _, t := range l.Tools {
			switch {
			case t.External.Name == tool:
				return tool, nil
			case manifest.Segment(t.External.Name) == rest:
				found = t.External.Name
			}
		}
	}
	if found == "" {
		return "", fmt.Errorf("%w: %s", errUnknown, tool)
	}
	return found, nil
}
