package opencode

import "sync"

// maxInbox is how many bytes of events wait for a turn whose client is slow. What comes then is passed
// over, and fetched again from the server.
const maxInbox = 8 << 20

// inbox keeps the events of a turn, so that no turn waits for another one's client.
type inbox struct {
	more chan struct{} // has a token if there is something to take

	mu     sync.Mutex
	events []*event
	size   int
	missed bool
}

func newInbox() *inbox { return &inbox{more: make(chan struct{}, 1)} }

// put adds an event of so many bytes.
func (b *inbox) put(e *event, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size+size > maxInbox {
		b.missed = true
	}
	if b.missed { // what comes after a gap comes with what is fetched
		return
	}
	b.events, b.size = append(b.events, e), b.size+size
	b.wake()
}

// miss says that events were lost.
func (b *inbox) miss() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.missed = true
	b.wake()
}

func (b *inbox) wake() {
	select {
	case b.more <- struct{}{}:
	default:
	}
}

// take returns what has come, and whether something was lost after it.
func (b *inbox) take() (events []*event, missed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	events, missed = b.events, b.missed
	b.events, b.size, b.missed = nil, 0, false
	return events, missed
}
