package task

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// maxPush is how many receivers a task may have.
const maxPush = 16

// SetPush adds a receiver of the task's events, or replaces the one with the
// same ID. What it lacks is filled in: the task's ID, and an ID of its own. The
// receiver is owed what happens from now on; one that was replaced, what it was
// owed before. The error is an a2a.ErrInvalidParams when the task has 16.
func (t *Task) SetPush(c a2a.PushConfig) (a2a.PushConfig, error) {
	c.TaskID = t.id
	if c.ID == "" {
		c.ID = a2a.NewID()
	}
	err := t.changePush(func(list []Push) ([]Push, error) {
		p := Push{Config: c, Delivered: t.lastEvent()}
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
		return list, nil
	})
	return c, err
}

// Push returns the receivers of the task's events, oldest first.
func (t *Task) Push() []Push {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.push)
}

// DeletePush removes a receiver. The error is a2a.ErrTaskNotFound when there is
// none of that ID.
func (t *Task) DeletePush(id string) error {
	return t.changePush(func(list []Push) ([]Push, error) {
		i := pushIndex(list, id)
		if i < 0 {
			return nil, a2a.ErrTaskNotFound.With("task %s has no push config %q", t.id, id)
		}
		return slices.Delete(list, i, i+1), nil
	})
}

// Delivered takes note that a receiver has an event and all before it. It is
// kept soon, and not waited for: after a crash some events come again. A
// receiver that is gone is none.
func (t *Task) Delivered(id string, event uint64) {
	_ = t.changePush(func(list []Push) ([]Push, error) {
		if i := pushIndex(list, id); i >= 0 {
			list[i].Delivered = max(list[i].Delivered, event)
		}
		return list, nil
	})
}

// changePush replaces the list by what change makes of a copy.
func (t *Task) changePush(change func(list []Push) ([]Push, error)) error {
	t.begin(nil)
	defer t.end()
	list, err := change(t.Push())
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.push = list
	return nil
}

func pushIndex(list []Push, id string) int {
	return slices.IndexFunc(list, func(p Push) bool { return p.Config.ID == id })
}

// Undelivered returns the tasks that owe a receiver something, in no order.
// After opening these are the ones to go on with.
func (r *Registry) Undelivered() []*Task {
	return slices.DeleteFunc(r.all(), func(t *Task) bool {
		last := t.lastEvent()
		return !slices.ContainsFunc(t.Push(), func(p Push) bool { return p.Delivered < last })
	})
}
