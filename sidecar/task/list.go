package task

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"sort"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// defaultPage is the page size if the request names none (§3.1.4).
const defaultPage = 50

// List returns one page of the tasks that q asks for, newest status first. A page
// token names a place in that order, so that pages stay consistent while tasks are
// created, changed and forgotten: no task is listed twice, unless it changes. List
// fails with a2a.ErrInvalidParams if a token or timestamp cannot be read.
func (r *Registry) List(ctx context.Context, q *a2a.ListRequest) (*a2a.TaskList, error) {
	f, err := newFilter(q)
	if err != nil {
		return nil, err
	}
	matches, err := r.matches(ctx, f)
	if err != nil {
		return nil, err
	}
	page := a2a.TaskList{TotalSize: len(matches), PageSize: q.PageSize, Tasks: []*a2a.Task{}}
	if page.PageSize <= 0 {
		page.PageSize = defaultPage
	}
	rest := matches
	if f.before > 0 {
		i, _ := slices.BinarySearchFunc(matches, f.before-1, func(m match, seq uint64) int { return cmp.Compare(seq, m.seq) })
		rest = matches[i:]
	}
	n := min(page.PageSize, len(rest))
	room := r.room() // for artifacts, on the whole page
	for _, m := range rest[:n] {
		t, err := r.show(ctx, m.entry, q, &room)
		if errors.Is(err, a2a.ErrTaskNotFound) {
			continue // the task is not kept any more
		}
		if err != nil {
			return nil, err
		}
		if f.state == "" || t.Status.State == f.state { // the task may have changed meanwhile
			page.Tasks = append(page.Tasks, t)
		}
	}
	if n < len(rest) {
		page.NextPageToken = pageToken(rest[n-1].seq)
	}
	return &page, nil
}

// show returns a task as it is listed. room is how many bytes of artifacts the store
// may still add to the page; show subtracts those of this task.
func (r *Registry) show(ctx context.Context, e *entry, q *a2a.ListRequest, room *int64) (*a2a.Task, error) {
	r.mu.Lock()
	t := r.get(e)
	r.mu.Unlock()
	shown, err := t.show(ctx, q.HistoryLength, q.IncludeArtifacts, max(*room, 0))
	if err != nil {
		return nil, err
	}
	for _, a := range shown.Artifacts {
		*room -= headerCost(&a)
		for i := range a.Parts {
			*room -= bareCost(&a.Parts[i]) + contentBytes(&a.Parts[i])
		}
	}
	return shown, nil
}

// filter is what a ListRequest asks for.
type filter struct {
	owner     string
	contextID string
	state     a2a.TaskState
	after     time.Time
	before    uint64 // only tasks that come after this place; 0 for all
}

func newFilter(q *a2a.ListRequest) (f filter, err error) {
	f = filter{owner: q.Caller, contextID: q.ContextID, state: q.State}
	if q.StatusAfter != "" {
		if f.after, err = time.Parse(time.RFC3339, q.StatusAfter); err != nil {
			return f, a2a.ErrInvalidParams.With("statusTimestampAfter: not a timestamp: %q", q.StatusAfter)
		}
	}
	if q.PageToken != "" {
		raw, err := base64.RawURLEncoding.DecodeString(q.PageToken)
		if err != nil || len(raw) != 8 || binary.BigEndian.Uint64(raw) == 0 {
			return f, a2a.ErrInvalidParams.With("pageToken: not one that was given out")
		}
		f.before = binary.BigEndian.Uint64(raw)
	}
	return f, nil
}

func pageToken(seq uint64) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(nil, seq))
}

// lets reports whether the filter accepts a task with this status. A status of
// exactly the given time counts as after it (§3.1.4).
func (f *filter) lets(e *entry, s a2a.Status) bool {
	return e.owner == f.owner && (f.contextID == "" || e.contextID == f.contextID) &&
		(f.state == "" || s.State == f.state) && !s.Timestamp.Before(f.after)
}

// match is a task and its place in the order.
type match struct {
	entry *entry
	seq   uint64
}

func newestFirst(a, b match) int { return cmp.Compare(b.seq, a.seq) }

// sortNewestFirst does not use slices.SortFunc: each type that slices.SortFunc sorts
// adds 20 KB to the binary.
func sortNewestFirst(all []match) {
	sort.Slice(all, func(i, j int) bool { return newestFirst(all[i], all[j]) < 0 })
}

// matches returns all tasks that the filter accepts, newest status first, regardless
// of pages. The statuses that it compares are durable when it returns.
func (r *Registry) matches(ctx context.Context, f filter) ([]match, error) {
	r.mu.Lock()
	done, seen := r.finishedMatches(f)
	tasks := make([]*Task, 0, len(r.live))
	for e := range r.live {
		tasks = append(tasks, e.task)
	}
	r.mu.Unlock()
	var live []match
	for _, t := range tasks {
		t.mu.Lock()
		status, seq, commit := t.status, t.seq, t.seen
		t.mu.Unlock()
		if f.lets(t.entry, status) {
			live = append(live, match{t.entry, seq})
			seen = append(seen, commit)
		}
	}
	for _, c := range seen {
		if err := r.durable(ctx, c); err != nil {
			return nil, err
		}
	}
	sortNewestFirst(live)
	return merge(live, done), nil
}

// finishedMatches returns the finished tasks that the filter accepts, and the
// commits that must be durable before they are shown. mu is held.
func (r *Registry) finishedMatches(f filter) (out []match, seen []Commit) {
	for _, e := range slices.Backward(r.done.queue) {
		if !f.lets(e, e.status) {
			continue
		}
		out = append(out, match{e, e.seq})
		if e.commit != nil && e.commit.Done() {
			e.commit = nil
		}
		if e.commit != nil {
			seen = append(seen, e.commit)
		}
	}
	if !slices.IsSortedFunc(out, newestFirst) { // two ended at the same moment
		sortNewestFirst(out)
	}
	return out, seen
}

// merge joins two lists that are newest first into one.
func merge(a, b []match) []match {
	if len(a) == 0 {
		return b
	}
	out := make([]match, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		from := &a
		if newestFirst(b[0], a[0]) < 0 {
			from = &b
		}
		out, *from = append(out, (*from)[0]), (*from)[1:]
	}
	return append(append(out, a...), b...)
}
