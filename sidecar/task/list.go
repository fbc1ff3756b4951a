package task

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// defaultPage is the page size when the request has none (§3.1.4).
const defaultPage = 50

// List returns one page of the tasks that q asks for, newest status first.
// A page token names a place in that order, so that pages stay in step while
// tasks come, change and go: no task is listed twice, unless it changes. It
// fails with a2a.ErrInvalidParams for a token or timestamp that cannot be
// read.
func (r *Registry) List(ctx context.Context, q *a2a.ListRequest) (*a2a.TaskList, error) {
	f, err := newFilter(q)
	if err != nil {
		return nil, err
	}
	matches := r.matches(f)
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
	for _, m := range rest[:n] {
		t, err := m.task.Show(ctx, q.HistoryLength, q.IncludeArtifacts)
		if err != nil {
			return nil, err
		}
		if f.state == "" || t.Status.State == f.state { // it may have changed meanwhile
			page.Tasks = append(page.Tasks, t)
		}
	}
	if n < len(rest) {
		page.NextPageToken = pageToken(rest[n-1].seq)
	}
	return &page, nil
}

// filter is what a ListRequest asks for.
type filter struct {
	owner     string
	contextID string
	state     a2a.TaskState
	after     time.Time
	before    uint64 // only what comes after this place, 0 for all
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

// match is a task and its place.
type match struct {
	task *Task
	seq  uint64
}

// matches returns what the filter lets through, newest status first, without
// regard to pages. A status of just the given time is after it (§3.1.4).
func (r *Registry) matches(f filter) []match {
	var out []match
	for _, t := range r.all() {
		if t.owner != f.owner || f.contextID != "" && t.contextID != f.contextID {
			continue
		}
		t.mu.Lock()
		status, seq := t.status, t.seq
		t.mu.Unlock()
		if (f.state == "" || status.State == f.state) && !status.Timestamp.Before(f.after) {
			out = append(out, match{t, seq})
		}
	}
	slices.SortFunc(out, func(a, b match) int { return cmp.Compare(b.seq, a.seq) })
	return out
}
