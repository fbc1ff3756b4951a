package changes

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// Query says which changes are meant: those of one owner, and of these only those that it names; "" names all.
type Query struct {
	Owner               string
	Task, Context, Call string
}

func (q *Query) wants(r *Record) bool {
	return r.Owner == q.Owner && (q.Task == "" || r.of(q.Task)) && (q.Context == "" || r.Context == q.Context) && (q.Call == "" || r.Call == q.Call)
}

// Document is the changes of some tasks, the one that changed something last at the end.
type Document struct {
	// Kept is Journal.Kept.
	Kept  string `json:"kept"`
	Tasks []Task `json:"tasks"`
	// More is how many older changes are left out.
	More int `json:"more,omitempty"`
}

// Task is what one task has changed.
type Task struct {
	ID      string `json:"taskId"`
	Context string `json:"contextId"`
	// Commands says that the task has run commands too: what these changed is not known.
	Commands bool      `json:"commands,omitempty"`
	Changed  time.Time `json:"changed"`
	Files    []Changed `json:"files"`
}

// Changed is what became of one file in a task, as long as nothing else changed it in between.
type Changed struct {
	Path string `json:"path"`
	// Change is "created", "changed", "removed" or "none".
	Change        string         `json:"change"`
	Tools         []string       `json:"tools"`
	Calls         []string       `json:"calls"`
	Changed       time.Time      `json:"changed"`
	Before, After tool.FileState `json:"-"`
	// Diff is a unified diff, "" if there is none: Note says why.
	Diff    string `json:"diff,omitempty"`
	Added   int    `json:"added"` // lines of the Diff
	Removed int    `json:"removed"`
	Note    string `json:"note,omitempty"`

	first, last *Record
}

// How much a Document has: changes, bytes of one side of a diff, bytes of all diffs. They bound the time and the memory of an answer.
const (
	MaxListed = 1000
	MaxSide   = 1 << 20
	MaxDiffs  = 4 << 20
)

// contextLines is how many lines around a change a diff has.
const contextLines = 3

// Show says how changes are shown.
type Show struct {
	// Name returns the name by which a path is shown.
	Name func(path string) string
	// Clean takes out of a content what nobody may see.
	Clean func(string) string
}

// List returns the changes that a query means.
func (j *Journal) List(q Query, show Show) Document {
	d := Document{Kept: j.Kept(), Tasks: []Task{}}
	all := j.records(q.wants)
	if d.More = max(0, len(all)-MaxListed); d.More > 0 {
		all = all[d.More:]
	}
	at := map[string]int{}
	for _, r := range all {
		id := r.outermost()
		if q.Task != "" {
			id = q.Task
		}
		i, known := at[id]
		if !known {
			i = len(d.Tasks)
			at[id] = i
			d.Tasks = append(d.Tasks, Task{ID: id, Context: r.Context, Files: []Changed{}})
		}
		d.Tasks[i].add(r)
	}
	slices.SortStableFunc(d.Tasks, func(a, b Task) int { return a.Changed.Compare(b.Changed) })
	room := MaxDiffs
	for i := len(d.Tasks) - 1; i >= 0; i-- { // the newest have the room
		for n := range d.Tasks[i].Files {
			j.describe(&d.Tasks[i].Files[n], show, &room)
		}
	}
	return d
}

// add takes a record into the task.
func (t *Task) add(r *Record) {
	t.Changed = r.Time
	if r.Path == "" {
		t.Commands = true
		return
	}
	for i := len(t.Files) - 1; i >= 0; i-- {
		if c := &t.Files[i]; c.Path == r.Path {
			if c.After.Same(r.Before.FileState) {
				c.take(r)
				return
			}
			break
		}
	}
	c := Changed{Path: r.Path, Before: r.Before.FileState, first: r}
	c.take(r)
	t.Files = append(t.Files, c)
}

func (c *Changed) take(r *Record) {
	c.last, c.After, c.Changed = r, r.After.FileState, r.Time
	c.Calls = append(c.Calls, r.Call)
	if !slices.Contains(c.Tools, r.Tool) {
		c.Tools = append(c.Tools, r.Tool)
	}
}

// describe says what became of the file.
func (j *Journal) describe(c *Changed, show Show, room *int) {
	switch {
	case c.Before.Same(c.After):
		c.Change, c.Note = "none", "it is as it was"
		return
	case c.Before.Absent:
		c.Change = "created"
	case c.After.Absent:
		c.Change = "removed"
	default:
		c.Change = "changed"
	}
	switch why := unkept(&c.first.Before) + unkept(&c.last.After); {
	case why != "":
		c.Note = why
		return
	case max(c.Before.Size, c.After.Size) > MaxSide:
		c.Note = "it is longer than a difference is shown of, " + text.FormatSize(MaxSide)
		return
	case *room <= 0:
		c.Note = "the answer is long enough: ask for this task alone"
		return
	}
	before, after, why := j.sides(c) // only of what is shown: it is read from the disk
	switch {
	case why != "":
		c.Note = why
	case !text.IsText(before) || !text.IsText(after):
		c.Note = "it is no text"
	default:
		c.diff(show, string(before), string(after))
		*room -= len(c.Diff)
	}
}

// sides returns what the file had before and after, and why not, "" if it does.
func (j *Journal) sides(c *Changed) (before, after []byte, why string) {
	before, after, err := j.content(c.first.Seq)
	if err == nil && c.last != c.first {
		_, after, err = j.content(c.last.Seq)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, "it is not kept any more"
	case err != nil:
		return nil, nil, err.Error()
	}
	return before, after, ""
}

// unkept says that a side's content is not there, "" if it is.
func unkept(s *Side) string {
	if s.Unkept == "" {
		return ""
	}
	return "its content is not kept: " + s.Unkept
}

// diff makes the difference of two texts.
func (c *Changed) diff(show Show, before, after string) {
	before, after = show.Clean(before), show.Clean(after)
	from, to := "a/"+text.Show(show.Name(c.Path)), "b/"+text.Show(show.Name(c.Path))
	if c.Before.Absent {
		from = "/dev/null"
	}
	if c.After.Absent {
		to = "/dev/null"
	}
	diff, err := udiff.ToUnified(from, to, before, udiff.Lines(before, after), contextLines)
	switch {
	case err != nil:
		c.Note = err.Error()
	case diff == "" && before != after:
		c.Note = "no difference can be shown"
	case diff == "" && c.Change == "changed":
		c.Note = "only what is kept from everybody has changed"
	case diff == "":
		c.Note = "it is empty"
	}
	c.Diff = diff
	lines := 0
	for line := range strings.Lines(diff) {
		if lines++; lines <= 2 { // the names
			continue
		}
		switch line[0] {
		case '+':
			c.Added++
		case '-':
			c.Removed++
		}
	}
}
