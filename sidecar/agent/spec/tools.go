package spec

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// ServerName is the name that the sidecar's tools have as an MCP server in an agent's
// configuration.
const ServerName = "sidecar"

// LeastToolTime is the shortest time that an agent is told to wait for a call of our tools:
// a call may wait for a person's approval, and the sidecar has the limit for that.
const LeastToolTime = 10 * time.Minute

// ErrCannotTake means that nobody knows how to give the agent tools.
var ErrCannotTake = errors.New("it is not known how this agent is given tools")

// ErrOwnServer means that the user has configured another MCP server of our name.
var ErrOwnServer = errors.New("there is an MCP server named " + ServerName + " already, which stays as it is; give it another name")

// GiveTools says how to start the agent so that it is offered the sidecar's tools by MCP. The
// Plan can always be used: with an error, which says why the agent is given no tools, it
// starts the agent as it was.
func (a *Agent) GiveTools(l Launch) (Plan, error) {
	l = a.complete(l)
	plan, err := Plan{}, error(nil)
	switch {
	case len(l.Argv) == 0:
		err = errNoCommand
	case a.Tools == nil:
		err = ErrCannotTake
	default:
		plan, err = a.Tools(&l)
	}
	if err != nil {
		return Plan{Argv: l.Argv, Env: l.Env}, fmt.Errorf("%s is not given tools: %w", a.Name, err)
	}
	return plan.over(&l), nil
}

// Server writes the door and returns the command, as arguments, of the MCP server that the
// agent starts. It fails if an argument holds one of the marks, which the agent would
// replace by something else.
func (l *Launch) Server(marks ...string) ([]string, error) {
	door, err := l.door()
	if err != nil {
		return nil, err
	}
	command := []string{l.Self, "mcp", "--channel", door}
	for _, mark := range marks {
		if i := slices.IndexFunc(command, func(s string) bool { return strings.Contains(s, mark) }); i >= 0 {
			return nil, fmt.Errorf("%q holds %s, which the agent would replace; put it elsewhere", command[i], mark)
		}
	}
	return command, nil
}

// Waits returns how long the agent has to wait for a call.
func (l *Launch) Waits() time.Duration { return max(l.ToolTime, LeastToolTime) }

// HasServer reports whether settings hold an MCP server of our name in the object at the end
// of these keys. Settings that cannot be read hold none.
func HasServer(settings []byte, keys ...string) bool {
	for _, key := range append(keys, ServerName) {
		var object map[string]json.RawMessage
		if json.Unmarshal(PlainJSON(settings), &object) != nil {
			return false
		}
		raw, found := object[key]
		if !found {
			return false
		}
		settings = raw
	}
	return true
}

// AddServer adds our server to the servers that settings have under a key, and leaves the
// rest as it is.
func AddServer(settings []byte, key string, server any) ([]byte, error) {
	var all, servers map[string]json.RawMessage
	if err := json.Unmarshal(PlainJSON(settings), &all); err != nil {
		return nil, fmt.Errorf("the settings cannot be read: %w", err)
	}
	if all == nil {
		return nil, errors.New("the settings are no object")
	}
	if raw := all[key]; raw != nil {
		if err := json.Unmarshal(raw, &servers); err != nil {
			return nil, fmt.Errorf("%s in the settings cannot be read: %w", key, err)
		}
	}
	if servers == nil {
		servers = map[string]json.RawMessage{}
	}
	if _, taken := servers[ServerName]; taken {
		return nil, ErrOwnServer
	}
	var err error
	if servers[ServerName], err = encode(server); err != nil {
		return nil, err
	}
	if all[key], err = encode(servers); err != nil {
		return nil, err
	}
	return encode(all)
}

// encode writes JSON in which paths keep their <, > and &.
func encode(v any) ([]byte, error) {
	data, err := text.JSON(v)
	return bytes.TrimSuffix(data, []byte("\n")), err
}
