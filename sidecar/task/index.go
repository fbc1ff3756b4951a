package task

import "github.com/a2a-sidecar/sidecar/a2a"

// index counts tasks by owner and by context. The registry's mu guards it.
type index struct {
	open     map[string]int // unfinished tasks by owner
	openAll  int
	contexts map[string]*conversation
}

// conversation is a context that has kept tasks.
type conversation struct {
	owner string
	tasks int
}

func newIndex() index {
	return index{open: make(map[string]int), contexts: make(map[string]*conversation)}
}

// begins counts a new task that has not finished.
func (x *index) begins(owner, contextID string) {
	x.open[owner]++
	x.openAll++
	x.keeps(owner, contextID)
}

// ends removes a task from the count of those that have not finished.
func (x *index) ends(owner string) {
	x.openAll--
	if x.open[owner]--; x.open[owner] == 0 {
		delete(x.open, owner)
	}
}

// keeps counts a task in its context.
func (x *index) keeps(owner, contextID string) {
	c := x.contexts[contextID]
	if c == nil {
		c = &conversation{owner: owner}
		x.contexts[contextID] = c
	}
	c.tasks++
}

// goneContext is a context that has no task any more.
type goneContext struct{ owner, id string }

// forgets removes a task from the count of its context. If that was the last one, the context is gone.
func (x *index) forgets(contextID string) (gone []goneContext) {
	c := x.contexts[contextID]
	if c.tasks--; c.tasks > 0 {
		return nil
	}
	delete(x.contexts, contextID)
	return []goneContext{{c.owner, contextID}}
}

// Open returns how many tasks have not finished: those of the owner, and those of
// all owners.
func (r *Registry) Open(owner string) (own, all int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.index.open[owner], r.index.openAll
}

// Claim checks whether an owner may use a context. A context that has kept tasks of
// another owner is an a2a.ErrInvalidParams, whose text does not tell why.
func (r *Registry) Claim(owner, contextID string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.index.contexts[contextID]; c != nil && c.owner != owner {
		return a2a.ErrInvalidParams.With("contextId is not available: leave it out, or send another")
	}
	return nil
}
