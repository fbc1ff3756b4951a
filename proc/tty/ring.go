package tty

import "sync"

const (
	// ringSize is how many bytes the reader of a terminal may be ahead of the consumer.
	ringSize = 256 << 10
	// ringChunk is the largest number of bytes that one call of the consumer gets.
	ringChunk = 64 << 10
)

// ring is a byte queue for one writer and one reader, which both work directly in its memory.
type ring struct {
	buf  [ringSize]byte
	more chan struct{} // signalled when there are bytes to take
	less chan struct{} // signalled when there is room

	mu         sync.Mutex
	head, tail int // bytes written and taken so far; head - tail bytes are filled
	ended      bool
}

func newRing() *ring {
	return &ring{more: make(chan struct{}, 1), less: make(chan struct{}, 1)}
}

// room waits for free space and returns its first contiguous part.
func (r *ring) room() []byte {
	for {
		r.mu.Lock()
		free, at := ringSize-(r.head-r.tail), r.head%ringSize
		r.mu.Unlock()
		if free > 0 {
			return r.buf[at:min(at+free, ringSize)]
		}
		<-r.less
	}
}

// added marks the first n bytes of room as filled.
func (r *ring) added(n int) {
	r.mu.Lock()
	r.head += n
	r.mu.Unlock()
	wake(r.more)
}

// end notes that no more bytes come.
func (r *ring) end() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	wake(r.more)
}

// filled waits for bytes and returns the first contiguous part of them, nil at the end.
func (r *ring) filled() []byte {
	for {
		r.mu.Lock()
		n, at, ended := r.head-r.tail, r.tail%ringSize, r.ended
		r.mu.Unlock()
		if n > 0 {
			return r.buf[at:min(at+min(n, ringChunk), ringSize)]
		}
		if ended {
			return nil
		}
		<-r.more
	}
}

// taken frees the first n bytes of filled.
func (r *ring) taken(n int) {
	r.mu.Lock()
	r.tail += n
	r.mu.Unlock()
	wake(r.less)
}

func wake(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
