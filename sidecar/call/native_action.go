package call

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// Limits of what an agent says of one use of its own tools. What has more is refused: nobody could
// judge a part of it.
const (
	// ownUses is the most paths and hosts.
	ownUses = 1000
	// ownPath is the longest path or host, in bytes.
	ownPath = 4 << 10
	// ownCommand is the longest command, in bytes, with all words of an argv.
	ownCommand = 256 << 10
	// ownArguments is the longest input, in bytes, that rules, the watchdog and people see. A longer one is
	// judged by its uses, and named by its digest.
	ownArguments = 1 << 20
)

// noArguments are the arguments of an action that says none.
const noArguments = "{}"

// ownDoor is the door of what an agent does by its own tools, for the log and the audit.
const ownDoor = "agent"

// action is what an invocation has if it is of a tool that the agent has by itself.
type action struct {
	own   capability.Own
	shown approval.Own
	dir   string // where a command runs, resolved; set by readOwn
	// ours is set for what we do for the agent, which is bound to the task's directories, and reads if that
	// is to read a file. granted reports whether the turn was allowed the same before. nil: it was not.
	ours    bool
	reads   bool
	granted func(dir string, uses []policy.Use) bool
}

// ownTool returns the synthetic definition of a kind's tool. No manifest holds them.
func ownTool(kind peer.Kind) *manifest.Tool {
	t := &manifest.Tool{
		Name: policy.OwnTool(string(kind)), Kind: string(kind), Description: "a tool that the agent has by itself",
		Bridge: manifest.Bridge{Kind: manifest.BridgeAgent}, Effects: manifest.EffectsWrite, Surface: manifest.SurfaceAlways, Interrupt: manifest.InterruptCancel,
	}
	switch kind {
	case peer.Read, peer.Search, peer.Think, peer.Fetch:
		t.Effects = manifest.EffectsRead
	}
	sum := sha256.Sum256([]byte(policy.OwnSource + "\x00" + t.Name))
	t.Digest = "sha256:" + hex.EncodeToString(sum[:])
	return t
}

// invocation makes an invocation of what the agent wants, in the turn's own task. The error says what
// of it is more than can be judged.
func (n *native) invocation(a peer.Action) (*Invocation, error) {
	if err := tooMuch(&a); err != nil {
		return nil, err
	}
	kind := peer.ParseKind(string(a.Kind))
	tool := ownTool(kind)
	inv := &Invocation{
		p: n.p, id: a.ID, task: n.task, partOf: n.p.opts.Works.Of(n.task), admitted: time.Now(), done: make(chan struct{}), waiting: make(chan struct{}), parent: n.p.running(n.task),
		request: Request{
			ID: a.ID, Tool: tool.Name, Caller: n.task.Owner(), Agent: true, Within: n.task, ContextID: n.task.ContextID(), Door: ownDoor,
		},
		tool: tool,
	}
	if !validID(inv.id) {
		inv.id = a2a.NewID()
	}
	inv.snapshot = n.p.opts.Surface(&inv.request)
	inv.args = arguments(a.Input)
	inv.request.Arguments = json.RawMessage(inv.args)
	inv.own = &action{own: capability.Own{
		Kind: string(kind), Reads: a.Reads, Writes: a.Writes, Hosts: a.Hosts, Command: a.Command, Argv: a.Argv, Dir: a.Dir,
	}}
	inv.own.shown = n.p.shownOwn(inv, &a)
	return inv, nil
}

// tooMuch returns what of an action is more than can be judged.
func tooMuch(a *peer.Action) error {
	if count := len(a.Reads) + len(a.Writes) + len(a.Hosts); count > ownUses {
		return fmt.Errorf("it names %d paths and hosts, and %d are the most that are judged at once", count, ownUses)
	}
	for _, all := range [...][]string{a.Reads, a.Writes, a.Hosts, {a.Dir}} {
		for _, s := range all {
			if len(s) > ownPath {
				return fmt.Errorf("it names a path or host of %d bytes, and %d are the most", len(s), ownPath)
			}
		}
	}
	length := len(a.Command)
	for _, word := range a.Argv {
		length += len(word) + 1
	}
	if length > ownCommand {
		return fmt.Errorf("its command has %d bytes, and %d are the most that are judged", length, ownCommand)
	}
	return nil
}

// arguments returns an action's input as one line of JSON: an object. Another value becomes the one
// member "input", and what is too long an object that names it by its digest.
func arguments(input json.RawMessage) string {
	if len(bytes.TrimSpace(input)) == 0 {
		return noArguments
	}
	var b bytes.Buffer
	line := oneLine(&b, input)
	switch {
	case line == nil || len(line) > ownArguments:
		sum := sha256.Sum256(input)
		return `{"truncated":true,"bytes":` + strconv.Itoa(len(input)) + `,"sha256":"` + hex.EncodeToString(sum[:]) + `"}`
	case line[0] != '{':
		return `{"input":` + string(line) + `}`
	}
	return string(line)
}

// readOwn makes the input of an agent's own tool: what it uses, with its paths resolved now.
func (p *Pipeline) readOwn(_ context.Context, inv *Invocation) error {
	scope, err := p.scopeOf(inv)
	if err != nil {
		return err
	}
	in := input{final: inv.args, scope: scope, set: &capability.Set{Tool: inv.tool.Name}}
	in.uses, inv.own.dir = scope.OwnUses(inv.own.own)
	inv.input = in
	return nil
}

// ownPermission returns what rules see of an agent's own tool.
func (i *Invocation) ownPermission(q policy.Request) policy.Request {
	q.Source, q.Dir = policy.OwnSource, i.own.dir
	if i.input.scope != nil {
		q.Leads = i.input.scope.Leads
	}
	sub := subject(&q, i.tool.Digest)
	sub.Own = i.own.shown
	q.Key = sub.Key()
	return q
}

// milder lifts an ask for what an agent has us do. Reading is one: an agent reads its files by itself and
// asks nobody, so a default that asks would only make it read by another way; a rule that denies or
// asks is heard. What the turn was allowed before is the other.
func (a *action) milder(uses []policy.Use, d policy.Decision) policy.Decision {
	rule := ""
	switch {
	case d.Verdict != policy.Ask:
		return d
	case a.granted != nil && a.granted(a.dir, uses):
		rule = "built-in: the turn was allowed this before"
	case a.reads && d.Line == 0:
		rule = "built-in: the agent reads"
	default:
		return d
	}
	return policy.Decision{Verdict: policy.Allow, Kind: policy.KindPassthrough, Scope: policy.ScopeSession, Rule: rule, Reason: "no rule stands against it", Revision: d.Revision}
}

// decide asks the rules and the watchdog.
func (p *Pipeline) decide(ctx context.Context, inv *Invocation, q policy.Request) policy.Decision {
	d := inv.judge(ctx, q)
	if inv.own == nil {
		return p.watch(ctx, inv, q, inv.lifted(d))
	}
	d = p.watch(ctx, inv, q, inv.own.milder(q.Uses, d))
	if d.Verdict == policy.Ask && inv.own.granted != nil && inv.own.granted(inv.own.dir, q.Uses) {
		d.Verdict = policy.Allow // the watchdog asks for what was answered in this turn
	}
	return d
}
