package approval

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// Limits are those of a Registry.
type Limits struct {
	// Max is how many approvals may be open at once, at least 1.
	Max int
	// Share is how many of them may be of one caller; those without a name count as one. 0: all.
	Share int
	// Remembered is how many that have ended are kept, for late answers.
	Remembered int
	// Timeout is how long one waits; it must be more than 0.
	Timeout time.Duration
}

// Registry holds the approvals of a sidecar.
type Registry struct {
	o Limits

	mu    sync.Mutex
	byID  map[string]*Approval
	open  []*Approval // the oldest first
	ended []*Approval // the oldest first
}

// NewRegistry returns an empty registry.
func NewRegistry(o Limits) *Registry {
	return &Registry{o: o, byID: make(map[string]*Approval)}
}

// Request asks for an approval.
type Request struct {
	Subject Subject
	// Approvers are the callers who may answer; "anonymous" is a caller without a name.
	// Empty: the Subject's Caller.
	Approvers []string
	// Person says that the person who runs the sidecar may answer too.
	Person bool
	// Confirms says that the client has activated gemini-cli's extension: its confirmations
	// are understood as answers.
	Confirms bool
	// Now returns the subject as it would be shown now: with the tool's definition and
	// the policy's revision of this moment. It must return soon and may be called from
	// any goroutine. nil: nothing changes.
	Now func(ctx context.Context) Subject
	// Clean takes out of a person's reason what nobody must be told. It must return soon and may be
	// called from any goroutine. nil: nothing.
	Clean func(reason string) string
}

// By is who gives an answer.
type By struct {
	// Caller is the authenticated name, "" if anonymous.
	Caller string
	// Person is set for the person who runs the sidecar.
	Person bool
}

// Open makes an approval. The error is ErrFull, or wraps it if the caller has its share. Whoever
// opens one must Wait for it.
func (r *Registry) Open(q Request) (*Approval, error) {
	now := time.Now()
	a := &Approval{
		r: r, id: a2a.NewID(), q: q, digest: q.Subject.Digest(),
		opened: now, expires: now.Add(r.o.Timeout), done: make(chan struct{}),
	}
	a.q.Approvers = slices.Clone(q.Approvers)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.open) >= r.o.Max {
		return nil, ErrFull
	}
	if own := r.own(q.Subject.Caller); r.o.Share > 0 && own >= r.o.Share {
		return nil, shareError(own)
	}
	r.byID[a.id] = a
	r.open = append(r.open, a)
	return a, nil
}

// own returns how many open approvals are of a caller. The lock is held.
func (r *Registry) own(caller string) (n int) {
	for _, a := range r.open {
		if a.q.Subject.Caller == caller {
			n++
		}
	}
	return n
}

// List returns the open approvals that somebody may answer, the oldest first.
func (r *Registry) List(by By) []*Approval {
	r.mu.Lock()
	defer r.mu.Unlock()
	var mine []*Approval
	for _, a := range r.open {
		if a.mayAnswer(by) && a.stateNow() == stateOpen {
			mine = append(mine, a)
		}
	}
	return mine
}

// Get returns an approval that somebody may answer, or an error that says 404, 409 or 410.
func (r *Registry) Get(by By, id string) (*Approval, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.find(by, id)
}

// find is Get with the lock held.
func (r *Registry) find(by By, id string) (*Approval, error) {
	a := r.byID[id]
	if a == nil || !a.mayAnswer(by) {
		return nil, errUnknown.With("there is no approval %s for you to give: sidecar approvals lists those that you may", text.Quote(id, 64))
	}
	switch a.stateNow() {
	case stateAnswered:
		return nil, errAnswered.With("approval %s was answered already: %s", id, a.answer.Option)
	case stateExpired:
		return nil, errExpired.With("approval %s has expired: nobody answered within %s", id, r.o.Timeout)
	case stateOvertaken:
		return nil, errChanged.With("approval %s is no longer asked for: the tool or the policy has changed meanwhile", id)
	case stateWithdrawn:
		return nil, errAnswered.With("approval %s is no longer asked for: its call has ended", id)
	}
	return a, nil
}

// Answer gives an answer. The errors are *a2a.Error: 404 for whoever may not answer, 409 if
// it was answered before or if something else was shown, 410 if it came too late, 400 for
// a bad option. After nil the call that waits goes on.
func (r *Registry) Answer(ctx context.Context, by By, id string, p Reply) error {
	a, err := r.Get(by, id)
	if err != nil {
		return err
	}
	option, ok := ParseOption(string(p.Option))
	switch {
	case !ok:
		return a2a.ErrInvalidParams.With("option: %s is none of %s", text.Quote(string(p.Option), 64), choices()).At("option")
	case p.Digest != a.digest:
		return errChanged.With("the digest is not that of approval %s: look again at what is asked for, and answer with its digest", id).At("digest")
	}
	next := stateAnswered
	if option != Reject && a.changed(ctx) {
		next = stateOvertaken
	}
	if a.q.Clean != nil {
		p.Reason = a.q.Clean(p.Reason)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, err := r.find(by, id); err != nil { // somebody was faster
		return err
	}
	a.answer = Answer{Option: option, By: by.Caller, Reason: text.ShowLines(text.Shorten(p.Reason, maxReason))}
	a.end(next)
	if next == stateOvertaken {
		_, err := r.find(by, id)
		return err
	}
	return nil
}

// maxReason is the most bytes of a person's reason.
const maxReason = 1 << 10

// Load returns how many approvals are open.
func (r *Registry) Load() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.open)
}
