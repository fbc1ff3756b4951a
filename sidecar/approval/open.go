package approval

import (
	"context"
	"slices"
	"time"
)

// state is where an approval is in its life. It leaves stateOpen once.
type state uint8

const (
	stateOpen      state = iota
	stateAnswered        // an answer won
	stateExpired         // the time has passed
	stateOvertaken       // a yes came to something that is no longer what was shown
	stateWithdrawn       // the call waits no longer
)

// Approval is one call that waits for a yes or a no.
type Approval struct {
	r       *Registry
	id      string
	q       Request
	digest  string
	opened  time.Time
	expires time.Time
	done    chan struct{} // closed, under the registry's lock, when the state leaves stateOpen

	// Guarded by the registry's lock:
	state  state
	answer Answer
}

// ID returns the approval's id.
func (a *Approval) ID() string { return a.id }

// Digest returns what an answer must name.
func (a *Approval) Digest() string { return a.digest }

// Expires returns when it is too late for an answer.
func (a *Approval) Expires() time.Time { return a.expires }

// Subject returns what is asked for. It must not be changed.
func (a *Approval) Subject() *Subject { return &a.q.Subject }

// Done returns a channel that is closed when the approval is no longer open.
func (a *Approval) Done() <-chan struct{} { return a.done }

// Wait returns the answer. The errors are ErrTimeout, ErrOvertaken and the cause of ctx's
// end, which withdraws the approval. Only one goroutine may wait.
func (a *Approval) Wait(ctx context.Context) (Answer, error) {
	timer := time.NewTimer(time.Until(a.expires))
	defer timer.Stop()
	select {
	case <-a.done:
	case <-timer.C:
		a.close(stateExpired)
	case <-ctx.Done():
		a.close(stateWithdrawn)
	}
	a.r.mu.Lock()
	defer a.r.mu.Unlock()
	switch a.state {
	case stateAnswered:
		return a.answer, nil
	case stateOvertaken:
		return Answer{}, ErrOvertaken
	case stateWithdrawn:
		return Answer{}, context.Cause(ctx)
	}
	return Answer{}, ErrTimeout
}

func (a *Approval) close(s state) {
	a.r.mu.Lock()
	defer a.r.mu.Unlock()
	a.end(s)
}

// mayAnswer reports whether somebody may give the answer.
func (a *Approval) mayAnswer(by By) bool {
	if a.q.Person && by.Person {
		return true
	}
	if len(a.q.Approvers) == 0 {
		return by.Caller == a.q.Subject.Caller
	}
	name := by.Caller
	if name == "" {
		name = "anonymous"
	}
	return slices.Contains(a.q.Approvers, name)
}

// changed reports whether another thing would be shown now.
func (a *Approval) changed(ctx context.Context) bool {
	if a.q.Now == nil {
		return false
	}
	return a.q.Now(ctx).Digest() != a.digest
}

// stateNow returns the state; an approval whose time has passed is expired even before its
// call has noticed. The lock is held.
func (a *Approval) stateNow() state {
	if a.state == stateOpen && !time.Now().Before(a.expires) {
		return stateExpired
	}
	return a.state
}

// end takes an open approval to its last state. The lock is held.
func (a *Approval) end(s state) {
	if a.state != stateOpen {
		return
	}
	if s != stateExpired && a.stateNow() == stateExpired {
		s = stateExpired
	}
	a.state = s
	r := a.r
	r.open = slices.DeleteFunc(r.open, func(o *Approval) bool { return o == a })
	late := a.remnant()
	r.byID[a.id] = late
	r.ended = append(r.ended, late)
	if len(r.ended) > r.o.Remembered {
		delete(r.byID, r.ended[0].id)
		r.ended = slices.Delete(r.ended, 0, 1)
	}
	close(a.done)
}

// remnant returns what is remembered of an approval that has ended: what a late answer is told, and
// who is told. It holds neither the call nor its arguments, which may be large. The lock is held.
func (a *Approval) remnant() *Approval {
	return &Approval{
		r: a.r, id: a.id, digest: a.digest, opened: a.opened, expires: a.expires, done: a.done, state: a.state, answer: a.answer,
		q: Request{Subject: Subject{Caller: a.q.Subject.Caller}, Approvers: a.q.Approvers, Person: a.q.Person},
	}
}
