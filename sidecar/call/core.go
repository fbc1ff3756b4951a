package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// runCore runs a tool of the sidecar's own. What it may use of the machine is made for this call, of what
// its tool requires and of what was judged.
func (p *Pipeline) runCore(ctx context.Context, inv *Invocation) *execution {
	t := inv.request.Own
	if t == nil {
		t = p.opts.Tools.Lookup(inv.tool.Name)
	}
	if t == nil {
		return unavailable(inv, "it is not among --tools")
	}
	var err error
	errands := make(errands)
	words := &words{ctx: ctx, said: make(chan []byte), taken: make(chan struct{})}
	c := &tool.Call{Args: json.RawMessage(inv.input.final), Out: words, Session: p.opts.ToolSessions.Of(inv.task.Owner(), inv.task.ContextID()), Skills: p.opts.Skills,
		Asker: asker{p, inv}, Calls: calls{inv}, Search: p.opts.Search}
	if p.opts.Finder != nil {
		c.Finder = p.opts.Finder(&inv.request)
	}
	if c.Net, err = p.netOf(inv); err != nil {
		return unavailable(inv, err.Error())
	}
	sh := p.shell(inv)
	if sh != nil {
		c.Shell = sh
	}
	if inv.request.Undo != nil {
		c.Undo = undo{inv.request.Undo, errands}
		defer inv.request.Undo.Hold()()
	}
	p.ranCommand(inv)
	answer := make(chan gave, 1)
	run := p.runTool
	if usesFiles(inv.tool) {
		run = p.withFiles(p.journalOf(inv, errands))
	}
	if agents := p.agentsOf(inv); agents != nil {
		c.Agents, c.Say, run = agents, agents.say, p.parked(run)
	}
	e := &execution{out: p.listen(inv), format: "text"} // a file of JSON is its text
	p.work.Go(func() { answer <- run(ctx, inv, t, c) })
	for {
		select {
		case chunk := <-words.said:
			inv.stream(e.out.write(chunk))
			words.taken <- struct{}{}
		case errand := <-errands:
			errand()
		case g := <-answer:
			sh.left(e)
			inv.note(g.result)
			return e.gave(ctx, inv, g, sh)
		}
	}
}

// words takes what a tool writes, and hands it to the goroutine that owns the call: that of the tool may
// be on a thread that can open no file.
type words struct {
	ctx   context.Context
	said  chan []byte
	taken chan struct{}
}

// Write implements io.Writer. It returns when the text was taken. With the cause of the call's end as its
// error, the text was the tool's last words.
func (w *words) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	w.said <- p // the owner reads until the tool has returned
	<-w.taken
	return len(p), context.Cause(w.ctx)
}

// gave is what a tool gave back.
type gave struct {
	result  *tool.Result
	err     error
	crashed bool // it panicked; the log has the details
}

// runTool runs the tool; a panic fails the call alone.
func (p *Pipeline) runTool(ctx context.Context, inv *Invocation, t *tool.Tool, c *tool.Call) (g gave) {
	defer func() {
		if v := recover(); v != nil {
			p.opts.Log.Error("tool panicked", "tool", inv.tool.Name, "call", inv.id, "task", inv.task.ID(),
				"panic", p.clean(inv, fmt.Sprint(v)), "stack", string(debug.Stack()))
			g = gave{crashed: true}
		}
	}()
	g.result, g.err = t.Run(ctx, c)
	return g
}

// gave turns what a tool gave back into an execution. If the call was stopped, what came before that is a
// partial result.
func (e *execution) gave(ctx context.Context, inv *Invocation, g gave, sh *shell) *execution {
	var limit timeLimit
	if r := g.result; r != nil {
		e.structured, e.changes = r.Data, r.Changes
		for i := range r.Files {
			file := fileArtifact("file-"+strconv.Itoa(i+1), &r.Files[i])
			file.Name, file.Parts = inv.hidden(file.Name), inv.withoutSecrets(file.Parts)
			e.artifacts = append(e.artifacts, a2a.ArtifactUpdate{LastChunk: true, Artifact: file})
		}
	}
	switch {
	case g.crashed:
		e.failure = failed(crashText)
	case ctx.Err() != nil:
		e.stopped = context.Cause(ctx)
	case errors.As(g.err, &limit):
		e.stopped = limit
	case errors.As(g.err, &e.synthetic):
	case sh.failure(g.err) != nil:
		e.failure = sh.failure(g.err)
	case g.err != nil:
		e.failure = failed(g.err.Error())
	}
	return e
}

// note puts what a tool says of the work into the metadata of the call's task, and of the task of the turn
// or call that it is a part of.
func (i *Invocation) note(r *tool.Result) {
	if r == nil {
		return
	}
	for key, value := range r.Notes {
		clean := json.RawMessage(i.hidden(string(value)))
		if !json.Valid(clean) {
			continue // a secret had a part of its form
		}
		i.task.SetMetadata(key, clean)
		if t := i.asks(); t != nil && t != i.task {
			t.SetMetadata(key, clean)
		}
	}
}

// fileArtifact makes an artifact of a file that a tool returns.
func fileArtifact(id string, f *tool.File) a2a.Artifact {
	return a2a.Artifact{ID: id, Name: orText(f.Name, id), Parts: []a2a.Part{{Kind: a2a.PartRaw, Raw: f.Content, MediaType: f.MediaType, Filename: f.Name}}}
}
