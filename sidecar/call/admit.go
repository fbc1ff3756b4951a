package call

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

const idLimit = 128

// Admit pins the manifest for a call and makes its task. Nothing happens to the call
// yet, so whoever subscribes to the task now misses nothing. Start must follow.
func (p *Pipeline) Admit(r Request) *Invocation {
	inv := &Invocation{
		p: p, id: r.ID, request: r, snapshot: p.surfaceOf(&r), admitted: time.Now(),
		done: make(chan struct{}), waiting: make(chan struct{}),
	}
	if known, ok := inv.snapshot.Lookup(tool.Canonical(r.Tool)); ok {
		inv.request.Tool = known.Name
	}
	if !validID(r.ID) {
		if r.ID != "" {
			inv.refused = "invalid toolCall: /id must be 1 to 128 printable ASCII characters"
		}
		inv.id = a2a.NewID()
	}
	if len(bytes.TrimSpace(r.Arguments)) == 0 {
		inv.request.Arguments = json.RawMessage("{}")
	}
	m := r.Message
	if m == nil {
		m = inv.message()
	} else {
		inv.args = text.Shared(inv.request.Arguments)
	}
	inv.shown = driver.Observable(inv.args)
	inv.card.members = members("other", driver.ShownLine(inv.name()))
	inv.task = p.opts.Tasks.Create(r.Caller, r.ContextID, m, inv.nest(m))
	inv.task.SetCall()
	inv.joinWork()
	inv.place = p.place(inv)
	inv.task.SetTraceParent(r.TraceParent)
	inv.task.SetExtensions(r.Extensions)
	return inv
}

// surfaceOf returns the tools that a request can reach.
func (p *Pipeline) surfaceOf(r *Request) *manifest.Snapshot {
	if r.Own != nil {
		return manifest.Compose(r.Own.Definition)
	}
	return p.opts.Surface(r)
}

// message returns the call as an A2A message, for callers that did not send one. The
// call's arguments are a part of it.
func (i *Invocation) message() *a2a.Message {
	var b bytes.Buffer
	b.WriteString(`{"toolCall":{"id":`)
	b.Write(quote(i.id))
	b.WriteString(`,"name":`)
	b.Write(quote(i.request.Tool))
	b.WriteString(`,"arguments":`)
	line := oneLine(&b, i.request.Arguments)
	if line == nil {
		b.Write(quote(string(i.request.Arguments)))
	}
	b.WriteString("}}")
	i.args = text.Shared(line)
	return &a2a.Message{
		ID: a2a.NewID(), ContextID: i.request.ContextID, Role: a2a.RoleUser,
		Parts: []a2a.Part{a2a.DataPart(b.Bytes())}, Extensions: []string{ExtensionURI},
	}
}

// admit refuses a call that cannot run: the pinned snapshot has no such tool, or no
// more work is taken.
func (p *Pipeline) admit(_ context.Context, inv *Invocation) *result {
	if p.draining.Err() != nil {
		return shuttingDown()
	}
	if inv.refused != "" {
		return ended(InvalidArguments, inv.refused)
	}
	found, ok := inv.snapshot.Lookup(inv.request.Tool)
	if !ok {
		return p.missing(inv)
	}
	inv.tool = found
	if why := p.unset(found); why != "" {
		return absent(found.Name, AbsentSetup, why)
	}
	secrets, err := p.secrets.of(found)
	if err != nil {
		return ended(Unavailable, fmt.Sprintf("tool %q is unavailable: its secrets cannot be taken out of what it says: %s", found.Name, err))
	}
	inv.secrets = secrets
	inv.shown = inv.observable()
	inv.card.members = members(found.Kind, driver.ShownLine(tool.Shown(found.Name)))
	if inv.place == nil {
		return ended(Denied, fmt.Sprintf("you may not call %q here: calls are nested %d deep, which is the limit", found.Name, Depth))
	}
	return nil
}

// unset returns what is missing before a tool of the sidecar's own can run here, "" if nothing is.
func (p *Pipeline) unset(t *manifest.Tool) string {
	if p.opts.CoreSetup == nil || t.Bridge.Kind != manifest.BridgeCore {
		return ""
	}
	return p.opts.CoreSetup(t)
}

// missing returns the result of a call of a tool that the call's surface does not have.
func (p *Pipeline) missing(inv *Invocation) *result {
	if p.opts.Absent != nil {
		if reason, text := p.opts.Absent(&inv.request, inv.request.Tool); reason != "" {
			return absent(inv.request.Tool, reason, text)
		}
	}
	return unknownTool(inv.snapshot, inv.request.Tool)
}

// absent returns the result of a call of a tool that exists and cannot be called.
func absent(tool, reason, text string) *result {
	tool = cutText(tool, nameLimit)
	if reason == AbsentSetup {
		return ended(Unavailable, fmt.Sprintf("tool %q is unavailable: %s", tool, text))
	}
	return ended(Denied, fmt.Sprintf("you may not call %q: %s", tool, text))
}

func unknownTool(tools *manifest.Snapshot, name string) *result {
	words := fmt.Sprintf("there is no tool %q", cutText(name, nameLimit))
	if slices.Contains(tool.IDs(), tool.Shown(name)) {
		words += " here: it is one of the sidecar's own, and --tools does not offer it"
		if flag := tool.Takes(tool.Shown(name)); flag != "" {
			words += ", or " + flag + " is missing"
		}
		return ended(UnknownTool, words)
	}
	if near := nearest(tools, name); near != "" {
		words += fmt.Sprintf("; did you mean %q?", near)
	}
	return ended(UnknownTool, words)
}

// nearest returns the name of the tool that is nearest to one that does not exist, "" if none is near. Of
// the sidecar's own tools it is the ID, and a name without a namespace can only mean one of them.
func nearest(tools *manifest.Snapshot, name string) string {
	if !strings.Contains(name, ".") {
		var ids []string
		for _, t := range tools.Tools() {
			if t.Source() == manifest.SourceCore {
				ids = append(ids, tool.Shown(t.Name))
			}
		}
		if near := jsontree.Nearest(name, ids); near != "" {
			return near
		}
	}
	return tool.Shown(tools.Suggest(name))
}

func shuttingDown() *result {
	return ended(Unavailable, "the sidecar is shutting down and takes no new calls")
}

func validID(id string) bool {
	if id == "" || len(id) > idLimit {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}
