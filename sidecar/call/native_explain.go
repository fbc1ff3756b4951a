package call

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// ownShape says how the use of an agent's own tool is written to have it explained.
const ownShape = `an object of "command" or "argv", "reads", "writes", "hosts" and "dir", as in {"command":"git status"} or {"writes":["src/a.go"]}`

// explainOwn judges what an agent might do by a tool of its own. ok is false if the request names none.
func (j Judges) explainOwn(ctx context.Context, r *Request) (e Explanation, ok bool) {
	kind, found := strings.CutPrefix(r.Tool, policy.OwnTool(""))
	if !found || string(peer.ParseKind(kind)) != kind {
		return e, false
	}
	tool := ownTool(peer.Kind(kind))
	e = Explanation{Tool: tool.Name, Caller: r.Caller, Agent: true}
	own, err := decodeOwn(r.Arguments)
	if err != nil {
		e.Invalid = fmt.Sprintf("invalid arguments: %s; write %s", err, ownShape)
		return e, true
	}
	own.Kind = kind
	q := policy.Request{
		Tool: tool, Source: policy.OwnSource, Arguments: arguments(r.Arguments), Caller: r.Caller, Agent: true, ContextID: r.ContextID, Roots: j.Scope.Roots(),
	}
	q.Uses, q.Dir = j.Scope.OwnUses(own)
	q.Leads = j.Scope.Leads
	e.Uses, e.Decision = q.Uses, j.Policy.Explain(ctx, q)
	return e, true
}

// decodeOwn reads what an agent might do, as ownShape says.
func decodeOwn(written json.RawMessage) (o capability.Own, err error) {
	var said struct {
		Reads   []string `json:"reads"`
		Writes  []string `json:"writes"`
		Hosts   []string `json:"hosts"`
		Command string   `json:"command"`
		Argv    []string `json:"argv"`
		Dir     string   `json:"dir"`
	}
	d := json.NewDecoder(bytes.NewReader(written))
	d.DisallowUnknownFields()
	if err := d.Decode(&said); err != nil {
		return o, errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return o, errors.New("more follows the object")
	}
	return capability.Own{Reads: said.Reads, Writes: said.Writes, Hosts: said.Hosts, Command: said.Command, Argv: said.Argv, Dir: said.Dir}, nil
}
