package acp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// maxChoices is how many options of one permission are looked at.
const maxChoices = 64

// choice is an option of a permission.
type choice struct {
	id   string
	kind sdk.PermissionOptionKind
	wide int // how far it seems to reach, for those that allow always
}

// permission answers a session/request_permission.
func (a *connection) permission(ctx context.Context, f fields) sdk.RequestPermissionResponse {
	options := choices(f.list("options"))
	t := a.enter(f.text("sessionId"))
	if t == nil {
		a.process.Log.Info("a permission outside of a turn is answered canceled")
		return canceled()
	}
	defer t.leave()
	ctx, end := t.during(ctx)
	defer end()
	if ctx.Err() != nil {
		return canceled()
	}
	if len(options) == 0 {
		a.process.Log.Info("a permission without an option that is known is answered canceled")
		return canceled()
	}
	if !offered(options, sdk.PermissionOptionKindAllowOnce) && !offered(options, sdk.PermissionOptionKindAllowAlways) {
		return pick(options, deny)
	}
	action, whole := act(t.known(f.object("toolCall")))
	if a.process.Explain != nil {
		a.explain(t, f, &action)
	}
	action.Title = text.Shorten(action.Title, maxTitle)
	if action.Ours {
		return pick(options, allow)
	}
	if !whole {
		a.process.Log.Warn("a permission for more paths or hosts than can be judged is denied", "tool", text.Line(action.Title, maxName))
		return pick(options, deny)
	}
	action.NoAlways = offered(options, sdk.PermissionOptionKindAllowOnce)
	answer, err := t.on.Permit(ctx, action)
	switch {
	case errors.Is(err, peer.ErrWithdrawn), ctx.Err() != nil:
		return canceled()
	case err != nil:
		a.process.Log.Warn("nobody could decide on a permission: it is denied", "error", err)
		return pick(options, deny)
	case !answer.Allowed:
		return pick(options, deny)
	}
	if !answer.Always && !action.NoAlways {
		a.process.Log.Warn("the agent offers no way to allow this once only: it is told that it is allowed always", "tool", text.Line(action.Title, maxName))
	}
	return pick(options, allow)
}

// explain completes an action by what is known of the agent.
func (a *connection) explain(t *turn, f fields, action *peer.Action) {
	call := t.known(f.object("toolCall"))
	if f.has("_meta") {
		call["requestMeta"] = f["_meta"]
	}
	raw, err := json.Marshal(call)
	if err != nil {
		return
	}
	a.process.Explain(raw, action)
	a.mu.Lock()
	defer a.mu.Unlock()
	action.Ours = action.Ours && a.given
}

// pending gives a tool that is asked for a state, if it has none.
func pending(call fields) fields {
	if call.has("status") {
		return call
	}
	u := maps.Clone(call)
	if u == nil {
		u = fields{}
	}
	u["status"] = json.RawMessage(`"` + string(peer.Pending) + `"`)
	return u
}

// choices reads the options of a permission, without those of a kind that is not known.
func choices(list []json.RawMessage) (all []choice) {
	for _, v := range list[:min(len(list), maxChoices)] {
		f := object(v)
		c := choice{id: f.text("optionId"), kind: sdk.PermissionOptionKind(f.text("kind"))}
		switch c.kind {
		case sdk.PermissionOptionKindAllowAlways:
			c.wide = width(f.text("name") + " " + c.id)
		case sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways:
		default:
			continue
		}
		if c.id != "" {
			all = append(all, c)
		}
	}
	return all
}

// width guesses how far an option reaches that allows always. It decides only between several of them, and only
// if the agent cannot be told "once".
func width(label string) (n int) {
	for _, word := range strings.FieldsFunc(strings.ToLower(label), func(r rune) bool { return r < 'a' || r > 'z' }) {
		switch word {
		case "session":
			n = max(n, 1)
		case "always", "again":
			n = max(n, 2)
		case "server", "project":
			n = max(n, 3)
		case "all", "any", "every", "everything":
			n = max(n, 4)
		}
	}
	return n
}

func offered(options []choice, kind sdk.PermissionOptionKind) bool {
	return slices.ContainsFunc(options, func(o choice) bool { return o.kind == kind })
}

// What is answered, the best first.
const (
	allow = "allow"
	deny  = "deny"
)

// pick returns the answer that fits best: once rather than always, and of several the one that reaches least far.
func pick(options []choice, how string) sdk.RequestPermissionResponse {
	kinds := []sdk.PermissionOptionKind{sdk.PermissionOptionKindRejectOnce, sdk.PermissionOptionKindRejectAlways}
	if how == allow {
		kinds = []sdk.PermissionOptionKind{sdk.PermissionOptionKindAllowOnce, sdk.PermissionOptionKindAllowAlways}
	}
	for _, kind := range kinds {
		var best *choice
		for i, o := range options {
			if o.kind == kind && (best == nil || o.wide < best.wide) {
				best = &options[i]
			}
		}
		if best != nil {
			return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeSelected(sdk.PermissionOptionId(best.id))}
		}
	}
	return canceled()
}

func canceled() sdk.RequestPermissionResponse {
	return sdk.RequestPermissionResponse{Outcome: sdk.NewRequestPermissionOutcomeCancelled()}
}
