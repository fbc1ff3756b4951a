package call

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// Batch names calls that were made together: the parallel calls of one message. The zero
// value is no batch.
type Batch struct {
	// ID is the caller's name for the batch. Two callers' batches, and those of two turns,
	// are never the same. Callers without a name are told apart by their contexts: a batch of
	// theirs is one within a context, so those who want one name that.
	ID string
	// Cancel says that the call is canceled when another call of the batch fails or is
	// refused: at whatever stage it is, or as soon as it comes.
	Cancel bool
}

// batchKey is what a batch is known by.
type batchKey struct {
	caller, context, within, id string
}

// batch is the calls of a batch that have not ended.
type batch struct {
	members map[*Invocation]struct{}
	failed  *siblingFailed // the first that failed, nil for none
}

// siblingFailed is the cause that cancels a call because another of its batch failed.
type siblingFailed struct{ tool, call string }

func (f *siblingFailed) Error() string {
	return fmt.Sprintf("canceled: call %s of %q, which is in the same batch, failed", f.call, f.tool)
}

func (*siblingFailed) Is(target error) bool { return target == task.ErrCanceled }

func (i *Invocation) batchKey() batchKey {
	k := batchKey{caller: i.request.Caller, id: i.request.Batch.ID}
	switch w := i.request.Within; {
	case w != nil:
		k.within = w.ID()
	case k.caller == "":
		k.context = i.task.ContextID()
	}
	return k
}

// joinBatch makes a call one of its batch.
func (p *Pipeline) joinBatch(inv *Invocation) {
	if inv.request.Batch.ID == "" {
		return
	}
	p.mu.Lock()
	b := p.batches[inv.batchKey()]
	if b == nil {
		b = &batch{members: map[*Invocation]struct{}{}}
		p.batches[inv.batchKey()] = b
	}
	b.members[inv] = struct{}{}
	failed := b.failed
	p.mu.Unlock()
	if failed != nil && inv.request.Batch.Cancel {
		inv.task.Cancel(failed)
	}
}

// leaveBatch takes a call that has ended out of its batch. If it failed, it cancels those
// that said so. A batch is forgotten when its last call has ended.
func (p *Pipeline) leaveBatch(inv *Invocation, o Outcome) {
	if inv.request.Batch.ID == "" {
		return
	}
	var cancel []*Invocation
	p.mu.Lock()
	b := p.batches[inv.batchKey()]
	delete(b.members, inv)
	if b.failed == nil && !o.OK() && o.Case != Canceled {
		b.failed = &siblingFailed{tool: inv.name(), call: inv.id}
		for m := range b.members {
			if m.request.Batch.Cancel {
				cancel = append(cancel, m)
			}
		}
	}
	failed := b.failed
	if len(b.members) == 0 {
		delete(p.batches, inv.batchKey())
	}
	p.mu.Unlock()
	for _, m := range cancel {
		m.task.Cancel(failed)
	}
}
