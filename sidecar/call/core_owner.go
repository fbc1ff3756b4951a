package call

import (
	"github.com/a2a-sidecar/sidecar/sidecar/changes"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/files"
)

// errands are what the goroutine that owns a call does for its tool, which may be on a thread that can open no file, and from which
// no goroutine may be started: it would be confined too.
type errands chan func()

// do has the owner run f, and returns when f has returned. The owner takes errands until the tool has returned. If f panics, do does:
// the owner goes on.
func (e errands) do(f func()) {
	var panicked any
	done := make(chan struct{})
	e <- func() {
		defer close(done)
		defer func() { panicked = recover() }()
		f()
	}
	<-done
	if panicked != nil {
		panic(panicked)
	}
}

// fileJournal keeps what a call does to files.
type fileJournal struct {
	journal *changes.Journal
	by      changes.By
	errands errands
}

var _ files.Journal = (*fileJournal)(nil)

// journalOf returns the journal of a call's files, nil for none.
func (p *Pipeline) journalOf(inv *Invocation, e errands) files.Journal {
	if p.opts.Changes == nil {
		return nil
	}
	return &fileJournal{p.opts.Changes, inv.by(), e}
}

// by returns who changes something by the call.
func (i *Invocation) by() changes.By {
	by := changes.By{Tasks: []string{i.task.ID()}, Context: i.task.ContextID(), Owner: i.task.Owner(), Tool: i.tool.Name, Call: i.id}
	for c := i; c != nil; c = c.parent {
		if w := c.request.Within; w != nil {
			by.Tasks = append(by.Tasks, w.ID())
		}
	}
	return by
}

// Limit implements files.Journal.
func (j *fileJournal) Limit() int64 { return j.journal.Limit() }

// Record implements files.Journal.
func (j *fileJournal) Record(c *files.Change) (forget func(), err error) {
	var seq uint64
	j.errands.do(func() {
		seq, err = j.journal.Record(j.by, &changes.File{
			Path: c.Path, Before: c.Before.FileState, After: c.After.FileState,
			Old: c.Before.Bytes, New: c.After.Bytes, NoOld: c.Before.Unkept, NoNew: c.After.Unkept,
		})
	})
	if err != nil {
		return nil, err
	}
	return func() { j.errands.do(func() { j.journal.Forget(seq) }) }, nil
}

// ranCommand keeps that the work has run a command, of whose changes nothing is known.
func (p *Pipeline) ranCommand(inv *Invocation) {
	if inv.tool.Requires == nil || len(inv.tool.Requires.Shell) == 0 {
		return
	}
	if err := p.opts.Changes.Ran(inv.by()); err != nil {
		p.logOf(inv).Warn("sidecar changes will not say that the task has run a command", "error", err)
	}
}

// undo is what a call takes back.
type undo struct {
	tool.Undo
	errands errands
}

// Step implements tool.Undo.
func (u undo) Step(path string, now tool.FileState) (step tool.UndoStep, err error) {
	u.errands.do(func() { step, err = u.Undo.Step(path, now) })
	return step, err
}
