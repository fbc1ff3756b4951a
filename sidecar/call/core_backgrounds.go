package call

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// How many processes there may be that go on after their calls, with those that have ended and are not forgotten: each
// keeps what it says (tool.MaxUnread).
const (
	maxBackground       = 8  // of one conversation
	maxCallerBackground = 32 // of one caller's conversations
	maxAllBackground    = 64 // of all
)

// errConversation is the cause that ends the processes of a conversation that has ended.
var errConversation = errors.New("the conversation has ended")

// conversation is a context of a caller's. After it was forgotten, another caller may have one with its ID.
type conversation struct{ owner, id string }

// conversation returns the one that a call belongs to.
func (i *Invocation) conversation() conversation {
	return conversation{i.task.Owner(), i.task.ContextID()}
}

// backgrounds are the processes that calls have started and that go on. Its methods may be called from many
// goroutines.
type backgrounds struct {
	mu  sync.Mutex
	all []*background // the oldest first
	// last is the newest number of each conversation: none is given twice, also after its process was forgotten.
	last map[conversation]int
}

// add gives a process its place and its ID. The error says that there are too many.
func (all *backgrounds) add(b *background) error {
	all.mu.Lock()
	defer all.mu.Unlock()
	if !all.room(maxBackground, func(o *background) bool { return o.of == b.of }) {
		return fmt.Errorf("%d processes of this conversation run already, which is the most: stop one of them first", maxBackground)
	}
	if !all.room(maxCallerBackground, func(o *background) bool { return o.of.owner == b.of.owner }) {
		return fmt.Errorf("%d processes of this caller's conversations run already, which is the most: stop one of them first", maxCallerBackground)
	}
	if !all.room(maxAllBackground, func(*background) bool { return true }) {
		return fmt.Errorf("%d processes of all conversations run already, which is the most: try again later", maxAllBackground)
	}
	if all.last == nil {
		all.last = map[conversation]int{}
	}
	all.last[b.of]++
	b.number = all.last[b.of]
	all.all = append(all.all, b)
	return nil
}

// room makes room for one more of those that are counted, of which there may be most: the oldest that has ended is
// forgotten. It reports whether there is room.
func (all *backgrounds) room(most int, counted func(*background) bool) bool {
	n, ended := 0, -1
	for i, b := range all.all {
		if !counted(b) {
			continue
		}
		n++
		if _, _, over := b.Exit(); over && ended < 0 {
			ended = i
		}
	}
	if n >= most && ended >= 0 {
		all.all = slices.Delete(all.all, ended, ended+1)
		n--
	}
	return n < most
}

func (all *backgrounds) forget(b *background) {
	all.mu.Lock()
	defer all.mu.Unlock()
	all.all = slices.DeleteFunc(all.all, func(o *background) bool { return o == b })
}

// which returns the processes that are wanted, the oldest first.
func (all *backgrounds) which(wanted func(*background) bool) (list []*background) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, b := range all.all {
		if wanted(b) {
			list = append(list, b)
		}
	}
	return list
}

// end stops and forgets the processes that are wanted.
func (all *backgrounds) end(wanted func(*background) bool) {
	for _, b := range all.which(wanted) {
		b.stop(errConversation)
		all.forget(b)
	}
}

// SessionEnded stops the processes that calls of a conversation have left running, "" for those of all. It does not wait
// for them; Close does. The conversation may go on in another session of the agent: no ID of a process is used again.
func (p *Pipeline) SessionEnded(contextID string) {
	p.backgrounds.end(func(b *background) bool { return contextID == "" || b.of.id == contextID })
}

// ContextGone stops the processes that calls of a caller's conversation have left running, of which no task is kept any
// more: whoever uses its ID from now on begins another one. It does not wait for them; Close does.
func (p *Pipeline) ContextGone(owner, contextID string) {
	gone := conversation{owner, contextID}
	p.backgrounds.end(func(b *background) bool { return b.of == gone })
	p.backgrounds.mu.Lock()
	defer p.backgrounds.mu.Unlock()
	delete(p.backgrounds.last, gone)
}
