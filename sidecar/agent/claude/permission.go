package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// request is what claude asks of us.
type request struct {
	Subtype string          `json:"subtype"`
	Tool    string          `json:"tool_name"`
	Input   json.RawMessage `json:"input"`
	ToolUse string          `json:"tool_use_id"`
}

// decision is our answer to can_use_tool. An Input is the one with which the tool is to run.
type decision struct {
	Behavior  string          `json:"behavior"` // allow, deny
	Input     json.RawMessage `json:"updatedInput,omitempty"`
	Message   string          `json:"message,omitempty"`
	Interrupt bool            `json:"interrupt,omitempty"`
}

// ownTools begins the names of our tools, if claude was given them.
const ownTools = "mcp__" + spec.ServerName + "__"

// questionTool is the tool by which claude's model asks the user.
const questionTool = "AskUserQuestion"

// errTakenBack ends the wait for an answer that claude does not want any more.
var errTakenBack = fmt.Errorf("claude has taken the question back: %w", peer.ErrWithdrawn)

var errNoTurn = errors.New("nothing was asked of the agent that would need this; wait for the next message")

// answer answers a request of claude's, in a turn or, if that is nil, outside of one.
func (c *connection) answer(ctx context.Context, t *turn, r *request) (response any, err error) {
	switch r.Subtype {
	case "can_use_tool":
		return c.permit(ctx, t, r), nil
	case "elicitation":
		// A server of the user's asks something in a form that claude would show in its terminal.
		return map[string]string{"action": "decline"}, nil
	}
	return nil, fmt.Errorf("there is no request %s here", text.Quote(r.Subtype, 100))
}

// permit decides whether claude may use a tool.
func (c *connection) permit(ctx context.Context, t *turn, r *request) decision {
	switch {
	case c.given && strings.HasPrefix(r.Tool, ownTools): // the sidecar decides when it is called
		return allow(r.Input)
	case t == nil:
		return deny(ctx, errNoTurn)
	case r.Tool == questionTool:
		input, err := ask(ctx, t.on, r.Input)
		if err != nil {
			return deny(ctx, err)
		}
		return allow(input)
	}
	t.on.Tool(peer.Tool{ID: r.ToolUse, Name: r.Tool, Status: peer.Pending})
	a := newAction(r.Tool, t.input(r), c.process.Dir)
	a.ID, a.NoAlways = r.ToolUse, true
	answer, err := t.on.Permit(ctx, a)
	switch {
	case err != nil:
		return deny(ctx, err)
	case !answer.Allowed:
		return decision{Behavior: "deny", Message: refusal(answer.Reason)}
	}
	t.on.Tool(peer.Tool{ID: r.ToolUse, Name: r.Tool, Status: peer.Running})
	return allow(r.Input)
}

// refusal says to the model why it may not use a tool.
func refusal(reason string) string {
	if reason == "" {
		return "This was not allowed."
	}
	return reason
}

// allow lets a tool run. Without arguments it runs with none.
func allow(input json.RawMessage) decision {
	if len(input) == 0 {
		input = json.RawMessage("{}")
	}
	return decision{Behavior: "allow", Input: input}
}

// deny refuses because of an error. If the turn was stopped, so is what claude does, unless claude itself has
// taken the question back.
func deny(ctx context.Context, err error) decision {
	stopped := errors.Is(err, peer.ErrWithdrawn) && !errors.Is(context.Cause(ctx), errTakenBack)
	return decision{Behavior: "deny", Message: "This was not allowed: " + err.Error(), Interrupt: stopped}
}
