package changes

import (
	"errors"
	"fmt"
	"slices"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// ErrNone says that there are no changes that a query means.
var ErrNone = errors.New("no change of a file by a tool of the sidecar's own is kept of it")

// MaxUndo is how many files are taken back at once.
const MaxUndo = 1000

// Plan takes changes back: all that a query means, or those of some of its files. Only one goroutine may use it at a time.
type Plan struct {
	j     *Journal
	q     Query
	files []tool.UndoFile // those changed last first
	of    map[string][]*Record
}

var _ tool.Undo = (*Plan)(nil)

// Plan returns what takes back the changes that a query means. paths are absolute; none: all. The error is ErrNone, or says which
// path has no change.
func (j *Journal) Plan(q Query, paths []string) (*Plan, error) {
	p := &Plan{j: j, q: q, of: map[string][]*Record{}}
	all := j.records(func(r *Record) bool { return r.Path != "" && q.wants(r) })
	if len(all) == 0 {
		return nil, ErrNone
	}
	if err := q.one(all); err != nil {
		return nil, err
	}
	named := map[string]bool{}
	for _, path := range paths {
		named[path] = true
	}
	for _, r := range slices.Backward(all) {
		if len(paths) > 0 && !named[r.Path] {
			continue
		}
		if p.of[r.Path] == nil {
			p.files = append(p.files, tool.UndoFile{Path: r.Path})
		}
		p.of[r.Path] = append(p.of[r.Path], r)
	}
	for _, path := range paths {
		if p.of[path] == nil {
			return nil, fmt.Errorf("%q: %w", path, ErrNone)
		}
	}
	if len(p.files) > MaxUndo {
		return nil, fmt.Errorf("they are changes of %d files, and %d at once is the most: name some of the files", len(p.files), MaxUndo)
	}
	return p, nil
}

// one returns an error if a call alone is meant, and there are several of that ID: callers choose them, and another conversation may begin
// with the same.
func (q *Query) one(all []*Record) error {
	if q.Call == "" || q.Task != "" {
		return nil
	}
	for _, r := range all {
		if task := all[0].Tasks[0]; r.Tasks[0] != task {
			return fmt.Errorf("several calls have the ID %q: name the task of the one that you mean in its place, as %s or %s", q.Call, task, r.Tasks[0])
		}
	}
	return nil
}

// Hold implements tool.Undo: what the files had is not forgotten meanwhile. An undo is recorded too, and would push out what it needs.
func (p *Plan) Hold() (release func()) {
	var firsts []uint64
	for _, mine := range p.of {
		firsts = append(firsts, mine[len(mine)-1].Seq)
	}
	p.j.hold(firsts, 1)
	return func() { p.j.hold(firsts, -1) }
}

// hold adds n to how many hold some records. What nobody holds any more may go.
func (j *Journal) hold(records []uint64, n int) {
	j.mu.Lock()
	for _, seq := range records {
		if j.held[seq] += n; j.held[seq] == 0 {
			delete(j.held, seq)
		}
	}
	j.mu.Unlock()
	j.prune()
}

// Files implements tool.Undo.
func (p *Plan) Files() []tool.UndoFile { return slices.Clone(p.files) }

// Refuse leaves files as they are: why returns the reason in words, "" for a file that can be taken back. It returns those.
func (p *Plan) Refuse(why func(path string) string) (left []string) {
	for i := range p.files {
		f := &p.files[i]
		if f.Refused = why(f.Path); f.Refused == "" {
			left = append(left, f.Path)
		}
	}
	return left
}

// Step implements tool.Undo. It goes back from what is there now, change by change.
func (p *Plan) Step(path string, now tool.FileState) (tool.UndoStep, error) {
	mine := p.of[path] // the newest first
	if len(mine) == 0 {
		return tool.UndoStep{}, fmt.Errorf("%q: %w", path, ErrNone)
	}
	first := mine[len(mine)-1]
	if p.forgotten(first) {
		return tool.UndoStep{Refused: "what it had before the task is not kept any more: older changes were forgotten (--changes-total)"}, nil
	}
	if now.Same(first.Before.FileState) {
		return tool.UndoStep{Same: true}, nil
	}
	at, last := now, mine[0]
	for _, r := range mine {
		switch {
		case !at.Absent && at.SHA256 == "":
			return tool.UndoStep{Refused: "what it had in between is not kept, so nobody knows whether something else changed it"}, nil
		case at.Same(r.After.FileState):
			at = r.Before.FileState
		case at.Same(r.Before.FileState): // it was not made: the sidecar was killed before it
		default:
			return tool.UndoStep{Refused: p.since(path, r, now)}, nil
		}
	}
	switch {
	case at.Absent:
		return tool.UndoStep{Remove: true}, nil
	case first.Before.Unkept != "":
		return tool.UndoStep{Refused: "what it had is not kept: " + first.Before.Unkept}, nil
	}
	content, _, err := p.j.content(first.Seq)
	if err != nil {
		return tool.UndoStep{}, fmt.Errorf("what it had cannot be read: %w", err)
	}
	step := tool.UndoStep{Content: content, Mode: at.Mode}
	if !now.Absent && now.Mode != last.After.Mode {
		step.Mode = now.Mode // somebody has changed it since
	}
	return step, nil
}

// forgotten reports whether changes of the task came before the first one that is kept.
func (p *Plan) forgotten(first *Record) bool {
	if first.Earlier == 0 || p.q.Call != "" || p.q.Task == first.Tasks[0] && len(first.Tasks) > 1 {
		return false // a call alone is meant
	}
	return len(p.j.records(func(r *Record) bool { return r.Seq == first.Earlier })) == 0
}

// since says what has changed a file after one of the changes.
func (p *Plan) since(path string, r *Record, now tool.FileState) string {
	later := p.j.records(func(o *Record) bool { return o.Path == path && o.Seq > r.Seq && !p.q.wants(o) })
	if len(later) == 0 {
		if now.Absent {
			return "changed since: it was removed by something other than these tools"
		}
		return "changed since, by something other than these tools"
	}
	if by := later[len(later)-1]; by.Owner == p.q.Owner {
		return "changed since by task " + by.outermost() + ": undo that one first"
	}
	return "changed since by a task of another caller"
}
