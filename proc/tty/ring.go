package tty

import "sync"

const (
	// ringSize is how far the reader of a terminal may be ahead.
	ringSize = 256 << 10
	// ringChunk is the most that one call of the consumer gets.
	ringChunk = 64 << 10
)

// ring is a byte queue for one writer and one reader, who work in its memory.
type ring struct {
	buf  [ringSize]byte
	more chan struct{} // woken when there is something to take
	less chan struct{} // woken when there is room

	mu         sync.Mutex
	head, tail int // written and taken so far; head - tail bytes are filled
	ended      bool
}

func newRing() *ring {
	return &ring{more: make(chan struct{}, 1), less: make(chan struct{}, 1)}
}

// room waits for free space and returns what lies in one piece.
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

// added says that the first n bytes of room are filled.
func (r *ring) added(n int) {
	r.mu.Lock()
	r.head += n
	r.mu.Unlock()
	wake(r.more)
}

// end says that no more comes.
func (r *ring) end() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	wake(r.more)
}

// filled waits for bytes and returns those that lie in one piece, nil at the
// end.
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

// taken gives the first n bytes of filled back.
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
