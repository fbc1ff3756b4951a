package codex

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// maxMethod is how much of a method's name an error shows, in bytes.
const maxMethod = 100

// request answers a request of codex's. What is asked outside of the turn that runs is refused in
// the words that codex has for that, so that it goes on.
func (s *server) request(ctx context.Context, method string, params json.RawMessage) (any, error) {
	ask, known := map[string]func(context.Context, *turn, json.RawMessage) (any, error){
		"item/commandExecution/requestApproval": s.approveCommand,
		"item/fileChange/requestApproval":       s.approveChanges,
		"item/permissions/requestApproval":      s.approvePermissions,
		"execCommandApproval":                   s.approveEarlierCommand,
		"applyPatchApproval":                    s.approveEarlierChanges,
		"item/tool/requestUserInput":            s.askUser,
		"mcpServer/elicitation/request":         s.elicit,
		"item/tool/call":                        noTool,
	}[method]
	if !known {
		return nil, rpc.Errorf(rpc.MethodNotFound, "there is no method %s", text.Quote(method, maxMethod))
	}
	var at struct {
		scope
		Conversation string `json:"conversationId"` // of the earlier requests
	}
	if err := json.Unmarshal(params, &at); err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "the parameters of %s cannot be read: %v", method, err)
	}
	if at.ThreadID == "" {
		at.ThreadID = at.Conversation
	}
	t := s.asking(at.ThreadID, at.TurnID)
	if t == nil {
		return ask(ctx, nil, params)
	}
	defer t.inside.Done()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	stop := context.AfterFunc(t.ctx, func() { end(context.Cause(t.ctx)) })
	defer stop()
	return ask(ctx, t, params)
}

// asking returns the turn in whose name something is asked, which the caller has entered; nil for none.
// An agent that the turn's has started asks in that turn's name.
func (s *server) asking(threadID, turnID string) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turn
	switch {
	case t == nil || t.over:
		return nil
	case threadID == t.thread:
		if turnID != "" && t.id != turnID {
			return nil
		}
	case !slices.Contains(t.helpers, threadID):
		return nil
	}
	t.inside.Add(1)
	return t
}

// verdict is how a permission was decided.
type verdict int

const (
	declined verdict = iota
	accepted
	withdrawn
)

// permit has somebody decide; t is nil if there is nobody to ask. Always is not told to codex, because what it would
// allow then is not known to be no more: it is remembered by us.
func permit(ctx context.Context, t *turn, a peer.Action) (verdict, string) {
	if t == nil {
		return declined, ""
	}
	a.NoAlways = true
	answer, err := t.on.Permit(ctx, a)
	switch {
	case errors.Is(err, peer.ErrWithdrawn) || ctx.Err() != nil:
		return withdrawn, ""
	case err != nil:
		return declined, err.Error()
	case answer.Allowed:
		return accepted, ""
	}
	return declined, answer.Reason
}

// decision is the answer to a request for approval.
func (v verdict) decision() any {
	return map[string]string{"decision": [...]string{"decline", "accept", "cancel"}[v]}
}

// approval holds the parameters of requests for approval.
type approval struct {
	scope
	Kind    string `json:"kind"`
	Reason  string `json:"reason"`
	Command string `json:"command"`
	Dir     string `json:"cwd"`
	Network *struct {
		Host     string `json:"host"`
		Protocol string `json:"protocol"`
	} `json:"networkApprovalContext"`
	Root string `json:"grantRoot"`
}

// approveCommand is item/commandExecution/requestApproval.
func (s *server) approveCommand(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p approval
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "the approval cannot be read: %v", err)
	}
	if kept := s.kept(t, p.ItemID); p.Command == "" {
		p.Command, p.Dir = kept.command, kept.dir
	}
	a := peer.Action{ID: p.ItemID, Kind: peer.Execute, Name: "shell", Command: unwrap(p.Command), Dir: p.Dir}
	a.Input = object("command", p.Command, "cwd", p.Dir, "reason", p.Reason)
	a.Title = a.Command
	switch {
	case p.Network != nil:
		a.Kind, a.Name, a.Command = peer.Fetch, "network", ""
		a.Title = "network access to " + p.Network.Host + ", for " + a.Title
		a.Hosts = []string{p.Network.Host}
		a.Input = object("host", p.Network.Host, "protocol", p.Network.Protocol, "command", p.Command, "reason", p.Reason)
	case p.Kind == "writeStdin": // it is typed into a program: no rule for a command can judge it
		a.Name, a.Command, a.Title = "write_stdin", "", "input for a program: "+p.Command
	}
	v, _ := permit(ctx, t, a)
	return v.decision(), nil
}

// approveChanges is item/fileChange/requestApproval. What would be changed was told with the item.
func (s *server) approveChanges(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p approval
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "the approval cannot be read: %v", err)
	}
	v, _ := permit(ctx, t, changeAction(p.ItemID, p.Root, p.Reason, s.kept(t, p.ItemID).changes))
	return v.decision(), nil
}

// everywhere is the path of changes that are not known: only who may write everywhere may make them.
const everywhere = "/"

// changeAction is the making of changes. root is a folder in which codex would not ask again.
func changeAction(id, root, reason string, changes []wireChange) peer.Action {
	a := peer.Action{ID: id, Kind: changeKind(changes), Name: "apply_patch", Title: changeTitle(changes), Writes: paths(changes), Diffs: diffs(changes)}
	a.Input = object("reason", reason, "grant_root", root)
	if len(changes) == 0 {
		a.Title, a.Writes = "changes of files that codex does not name", []string{everywhere}
	}
	if root != "" {
		a.Title += ", and all others below " + root
		a.Writes = append(a.Writes, root)
	}
	return a
}

// kept returns what is known of an item.
func (s *server) kept(t *turn, id string) item {
	if t == nil {
		return item{}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if it := t.items[id]; it != nil {
		return item{command: it.command, dir: it.dir, changes: it.changes}
	}
	return item{}
}

// noTool answers a call of a tool of ours: codex was told of none.
func noTool(context.Context, *turn, json.RawMessage) (any, error) {
	return map[string]any{"success": false, "contentItems": []map[string]string{{"type": "inputText", "text": "there is no such tool"}}}, nil
}
