package sidecar

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// changesPath is where callers see what tools of ours have changed, and undoPath where they take it back.
const (
	changesPath = "/a2a/changes"
	undoPath    = changesPath + "/undo"
)

// changesDir is where the journal of changes is, in the directory that keeps the tasks.
const changesDir = "changes"

// openChanges opens the journal of what tools of ours do to files: it is where the tasks are, on the disk or in memory. If the tasks were
// moved out of where the agent may write, the journal starts anew: what was in there, the agent could have written.
func (s *sidecar) openChanges(context.Context) (err error) {
	c := &s.Config
	if c.ChangesTotal == 0 {
		return nil
	}
	o := changes.Options{Total: c.ChangesTotal, File: c.ChangesFile, Log: s.Log}
	if s.store != nil {
		o.Dir = filepath.Join(c.StoreDir, changesDir)
	}
	s.journal, err = changes.Open(o)
	return err
}

func (s *sidecar) closeChanges(context.Context) error { return s.journal.Close() }

// serveChanges answers GET /a2a/changes: what tools of ours have changed for the caller, as differences.
func (s *sidecar) serveChanges(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	work, clean := s.workDir(), s.redactor(s.rules.Set)()
	show := changes.Show{
		Name: func(path string) string {
			rest, _ := below.Rest(path, work)
			return cmp.Or(rest, path)
		},
		Clean: func(content string) string {
			content, _ = clean.Text(content)
			return content
		},
	}
	q := r.URL.Query()
	return writeJSON(w, s.journal.List(changes.Query{Owner: id.Caller, Task: q.Get("task"), Context: q.Get("contextId")}, show))
}

// workDir returns the workspace as the paths of changes begin with it.
func (s *sidecar) workDir() string { return resolved(absolute(s.Config.Workspace)) }

// undoRequest is the body of POST /a2a/changes/undo: a task, a call or both.
type undoRequest struct {
	Task string `json:"task"`
	Call string `json:"call"`
	// Paths are files, absolute or relative to the workspace; none: all.
	Paths  []string `json:"paths"`
	DryRun bool     `json:"dryRun"`
}

// undoReply is the answer. Task is that of the call which takes the changes back, "" if no file could be; the changes that it makes are taken
// back by that task. Outcome is that of the call (help tools), or "waiting" while somebody has to allow it.
type undoReply struct {
	Task    string            `json:"taskId,omitempty"`
	Outcome string            `json:"outcome"`
	Error   string            `json:"error,omitempty"`
	Files   []tool.UndoneFile `json:"files"`
	DryRun  bool              `json:"dryRun,omitempty"`
}

// waiting is the outcome of a call that has not ended: somebody has to allow it.
const waiting = "waiting"

// serveUndo answers POST /a2a/changes/undo. The agent's own processes take nothing back.
func (s *sidecar) serveUndo(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	ctx := r.Context()
	if grantOf(ctx) != nil {
		return gate.NotAllowed("whoever has the agent's token may not take changes back")
	}
	if err := gate.Outsider(ctx); err != nil {
		return err
	}
	if err := s.gate.Enter(ctx); err != nil {
		return err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	var u undoRequest
	strict := json.NewDecoder(bytes.NewReader(body))
	strict.DisallowUnknownFields()
	err = strict.Decode(&u)
	if _, more := strict.Token(); err == nil && more != io.EOF {
		err = errors.New("more follows the value")
	}
	if err != nil {
		return a2a.ErrInvalidParams.With(`want {"task": ID or "call": ID, "paths"?: […], "dryRun"?: bool}: %v`, err)
	}
	if u.Task == "" && u.Call == "" {
		return a2a.ErrInvalidParams.With("task: the ID of the task, or of the call, whose changes are taken back is missing").At("task")
	}
	reply, err := s.undo(ctx, id.Caller, &u)
	if err != nil {
		return err
	}
	return writeJSON(w, reply)
}

// undo takes changes back by a call, which goes the way of every call.
func (s *sidecar) undo(ctx context.Context, caller string, u *undoRequest) (*undoReply, error) {
	paths := make([]string, len(u.Paths))
	for i, path := range u.Paths {
		paths[i] = against(s.workDir(), filepath.Clean(path))
	}
	if s.journal == nil {
		return nil, a2a.ErrTaskNotFound.With("no changes are kept: --changes-total is 0")
	}
	plan, err := s.journal.Plan(changes.Query{Owner: caller, Task: u.Task, Call: u.Call}, paths)
	if err != nil {
		return nil, a2a.ErrTaskNotFound.With("%w", err)
	}
	left := plan.Refuse(func(path string) string {
		if resolved(path) != path {
			return tool.ErrLink.Error()
		}
		return ""
	})
	reply := &undoReply{Outcome: string(call.Final), DryRun: u.DryRun, Files: []tool.UndoneFile{}}
	if len(left) == 0 {
		for _, f := range plan.Files() {
			reply.Files = append(reply.Files, tool.UndoneFile{Path: f.Path, Result: tool.UndoRefused, Why: f.Refused})
		}
		return reply, nil
	}
	args, err := json.Marshal(map[string][]string{"paths": left})
	if err != nil {
		return nil, err
	}
	inv, err := s.handler.admit(ctx, call.Request{
		Own: tool.NewUndo(u.DryRun), Undo: plan, Tool: tool.Prefix + tool.UndoID, Arguments: args, Caller: caller, Door: "http",
	})
	if err != nil {
		return nil, err
	}
	inv.Start()
	return reply, reply.await(ctx, inv)
}

// await waits until the call has ended or waits for somebody, and takes over what it says.
func (r *undoReply) await(ctx context.Context, inv *call.Invocation) error {
	t := inv.Task()
	r.Task = t.ID()
	if err := t.Wait(ctx, settled); err != nil {
		return err
	}
	if err := t.Durable(ctx); err != nil {
		return err
	}
	if !t.State().Terminal() {
		r.Outcome = waiting
		return nil
	}
	var e struct {
		Data  tool.Undone `json:"data"`
		Error string      `json:"error_text"`
	}
	r.Outcome = inv.Outcome().String()
	if err := json.Unmarshal(inv.Envelope(), &e); err != nil {
		return err
	}
	if r.Error = e.Error; inv.Outcome().Case == call.Truncated {
		r.Error = "what became of the files is too long to be told: sidecar output " + r.Task
	}
	r.Files = append(r.Files, e.Data.Files...)
	return nil
}
