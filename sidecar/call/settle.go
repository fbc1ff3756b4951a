package call

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// The artifacts that we may add to a call's task.
const (
	resultID = "result"
	stderrID = "stderr"
)

// settle records how the call ended: the artifacts, the envelope, the task's last
// state, and one line in the log.
func (p *Pipeline) settle(ctx context.Context, inv *Invocation, r *result) {
	took := inv.duration(time.Now())
	r.text = p.clean(inv, r.text)
	inv.outcome, inv.envelope = r.outcome, r.encode(inv, took)
	p.recordEnd(inv, r, took)
	p.publish(context.WithoutCancel(ctx), inv, r) // a stopped call reports its end too
	state := r.outcome.State()
	if err := inv.task.Finish(state, inv.explain(r), inv.final(r)); err != nil {
		p.opts.Log.Warn("tool call's task was ended by somebody else", "task", inv.task.ID(), "call", inv.id, "error", err)
	}
	p.opts.Observer.CallEnded(r.outcome.String(), took)
	if v, kind, ok := inv.decision(r.outcome); ok {
		p.opts.Observer.CallDecided(v.String(), string(kind))
	}
	p.opts.Log.Log(context.WithoutCancel(ctx), r.outcome.level(), "tool call ended", append(inv.ending(r.outcome, took), inv.why(r)...)...)
}

// level returns the level of the log line: a call that failed through no fault of its
// caller is a warning.
func (o Outcome) level() slog.Level {
	switch {
	case o.State() != a2a.StateFailed, o.Case == InvalidArguments:
		return slog.LevelInfo
	}
	return slog.LevelWarn
}

// reasonText is the most bytes of a failure's reason that are logged.
const reasonText = 300

// why returns how the tool's program ended and the reason, for a warning.
func (i *Invocation) why(r *result) (attrs []any) {
	if r.outcome.level() < slog.LevelWarn {
		return nil
	}
	if !i.exit.Success() {
		attrs = append(attrs, "exitCode", i.exit.Status())
	}
	if i.exit.Signal != 0 {
		attrs = append(attrs, "signal", strings.TrimPrefix(i.exit.String(), "killed by "))
	}
	if r.text != "" {
		attrs = append(attrs, "reason", cutText(strings.Join(strings.Fields(r.text), " "), reasonText))
	}
	return attrs
}

// ending returns the attributes of the one line in the log: they never contain what
// was said.
func (i *Invocation) ending(o Outcome, took time.Duration) []any {
	name := i.name()
	if i.tool == nil { // it is what the caller wrote
		name = i.p.clean(i, name)
	}
	line := []any{"task", i.task.ID(), "context", i.task.ContextID(), "tool", name, "call", i.id, "outcome", o.String(),
		"duration_ms", took.Milliseconds(), "bytes", len(i.envelope), "door", i.request.Door}
	if i.request.Caller != "" {
		line = append(line, "caller", i.request.Caller)
	}
	if id := a2a.TraceID(i.request.TraceParent); id != "" {
		line = append(line, "trace", id)
	}
	return line
}

func (p *Pipeline) publish(ctx context.Context, inv *Invocation, r *result) {
	// The result comes first, because a task keeps the head of what it is given.
	updates := []a2a.ArtifactUpdate{{LastChunk: true, Artifact: a2a.Artifact{
		ID: resultID, Name: resultID, Parts: []a2a.Part{a2a.DataPart(inv.envelope)}, Metadata: r.rendered(inv.name()).With(r.metadata), Extensions: r.uses(),
	}}}
	if u, ok := r.stderr.Artifact(stderrID); ok {
		updates = append(updates, u)
	}
	for _, u := range append(updates, r.artifacts...) {
		if err := inv.task.Artifact(ctx, u); err != nil {
			p.opts.Log.Warn("tool call's artifact was not taken", "task", inv.task.ID(), "call", inv.id,
				"artifact", u.Artifact.ID, "error", err)
		}
	}
}

// explain returns the message of the last state, nil for a result that needs no
// explanation.
func (i *Invocation) explain(r *result) *a2a.Message {
	if r.text == "" && len(r.parts) == 0 {
		return nil
	}
	parts := r.parts
	if r.text != "" {
		parts = append([]a2a.Part{a2a.TextPart(cutText(r.text, messageLimit))}, parts...)
	}
	return &a2a.Message{
		ID: a2a.NewID(), TaskID: i.task.ID(), ContextID: i.task.ContextID(), Role: a2a.RoleAgent,
		Parts: parts, Metadata: r.metadata, Extensions: r.uses(),
	}
}

// messageLimit is the most bytes of an explaining message; the envelope has the whole
// text.
const messageLimit = 8 << 10
