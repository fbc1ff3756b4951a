package task

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// These constants bound the receivers of one task: how many there are, and how many
// bytes of URLs, tokens and credentials they have. Receivers are kept in memory as
// long as the task is kept, and written with each change of the task.
const (
	maxPush      = 16
	maxPushBytes = 32 << 10
)

// SetPush adds a receiver of the task's events, or replaces the one with the same
// ID. It fills in the task's ID, and an ID if the receiver has none. The receiver
// gets the events that happen from now on; if the task has ended, it gets the last
// event (§4.3.3: every receiver is told something). A receiver that replaces another
// one gets what that one was still owed. The error is an a2a.ErrInvalidParams if the
// task would have more than 16 receivers, or more than 32 KiB of them.
func (t *Task) SetPush(c a2a.PushConfig) (a2a.PushConfig, error) {
	c.TaskID = t.id
	if c.ID == "" {
		c.ID = a2a.NewID()
	}
	err := t.changePush(true, func(list []Push) ([]Push, error) {
		p := Push{Config: c, Delivered: t.last}
		if t.finished {
			p.Delivered--
		}
		i := pushIndex(list, c.ID)
		switch {
		case i >= 0:
			p.Delivered = list[i].Delivered
			list[i] = p
		case len(list) >= maxPush:
			return nil, a2a.ErrInvalidParams.With("task %s has %d push configs: delete one first", t.id, maxPush)
		default:
			list = append(list, p)
		}
		if pushBytes(list) > maxPushBytes {
			return nil, a2a.ErrInvalidParams.With("task %s: its push configs hold more than %d bytes in all: send shorter tokens, or delete one first", t.id, maxPushBytes)
		}
		return list, nil
	})
	return c, err
}

func pushBytes(list []Push) (n int) {
	for i := range list {
		c := &list[i].Config
		n += len(c.ID) + len(c.URL) + len(c.Token) + len(c.Scheme) + len(c.Credentials)
	}
	return n
}

// Push returns the receivers of the task's events, oldest first.
func (t *Task) Push() []Push {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.push)
}

// Kept reports whether the registry still keeps the task. A caller that holds a
// forgotten task holds more memory than the registry's limits count.
func (t *Task) Kept() bool {
	t.reg.mu.Lock()
	defer t.reg.mu.Unlock()
	return t.reg.entries[t.id] != nil
}

// DeletePush removes a receiver. The error is a2a.ErrTaskNotFound if no receiver has
// that ID.
func (t *Task) DeletePush(id string) error {
	return t.changePush(true, func(list []Push) ([]Push, error) {
		i := pushIndex(list, id)
		if i < 0 {
			return nil, a2a.ErrTaskNotFound.With("task %s has no push config %q", t.id, id)
		}
		return slices.Delete(list, i, i+1), nil
	})
}

// Delivered records that a receiver has an event and all events before it. This
// becomes durable soon, and nobody waits for it: after a crash some events are sent
// again. Delivered ignores a receiver that was removed.
func (t *Task) Delivered(id string, event uint64) {
	_ = t.changePush(false, func(list []Push) ([]Push, error) {
		i := pushIndex(list, id)
		if i < 0 || list[i].Delivered >= event {
			return nil, a2a.ErrTaskNotFound
		}
		list[i].Delivered = event
		return list, nil
	})
}

// changePush replaces the list by the one that change makes from a copy. shown means
// that clients see the difference, so it must be durable before they do.
func (t *Task) changePush(shown bool, change func(list []Push) ([]Push, error)) error {
	t.begin(nil)
	defer t.end()
	list, err := change(t.Push())
	if err != nil {
		return err
	}
	var c Commit
	if t.reg.opts.Store != nil {
		h, err := t.wholeHead()
		if err != nil {
			return err
		}
		h.Push = list
		c = t.keep(&Change{Head: h}, 0)
	}
	t.mu.Lock()
	t.push = list
	if c != nil {
		t.newest = c
	}
	if c != nil && shown {
		t.seen = c
	}
	t.mu.Unlock()
	return t.reg.notePush(t.entry, list)
}

// notePush records an entry's receivers. A task that was forgotten meanwhile stays
// forgotten: its head must not come back.
func (r *Registry) notePush(e *entry, list []Push) error {
	r.mu.Lock()
	e.push = list
	forgotten := r.entries[e.id] == nil
	r.mu.Unlock()
	if !forgotten {
		return nil
	}
	if r.opts.Store != nil {
		r.opts.Store.Forget(e.id)
	}
	return a2a.ErrTaskNotFound
}

// wholeHead is head, but also works for a task of which memory has only the state.
// The caller has the turn.
func (t *Task) wholeHead() (*Head, error) {
	if !t.bare {
		return t.head(), nil
	}
	r, err := t.reg.opts.Store.Load(t.id, 0, nil)
	if err != nil {
		return nil, err
	}
	if r.LastEvent < t.last { // the end of the task is not in the store yet
		r.Status, r.Seq, r.LastEvent = t.status, t.seq, t.last
	}
	return &r.Head, nil
}

func pushIndex(list []Push, id string) int {
	return slices.IndexFunc(list, func(p Push) bool { return p.Config.ID == id })
}

// Undelivered returns the tasks with events that a receiver has not got yet, in no
// particular order. After opening the registry, delivery continues with these.
func (r *Registry) Undelivered() []*Task {
	return slices.DeleteFunc(r.withPush(), func(t *Task) bool {
		last := t.lastEvent()
		return !slices.ContainsFunc(t.Push(), func(p Push) bool { return p.Delivered < last })
	})
}

func (r *Registry) withPush() (tasks []*Task) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range r.entries {
		if len(e.push) > 0 {
			tasks = append(tasks, r.get(e))
		}
	}
	return tasks
}
