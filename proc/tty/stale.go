package tty

import (
	"bytes"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/escape"
)

// stale says how long keys are dropped, since they are for something that has left
// the screen, and who is told.
type stale struct {
	until time.Time
	told  func(keys int)
}

// DropStale, called by what Exclusive runs, drops the keys that were pressed
// meanwhile, and those of the time that follows, in which nobody can have seen yet
// that what they are for is gone. Esc and Ctrl-C are not dropped: it is never too late
// to stop the program. told is called with how many were dropped, from any goroutine
// and without a lock held.
func (a *Arbiter) DropStale(following time.Duration, told func(keys int)) {
	if n := a.dropQueued(stale{until: time.Now().Add(following), told: told}); n > 0 {
		told(n)
	}
}

// dropQueued drops what waits for the process, and returns how many keys it was.
func (a *Arbiter) dropQueued(s stale) (n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stale = s
	for l := range a.leases {
		kept, dropped := keyboard{}.stops(l.queue)
		l.queue, n = kept, n+dropped
	}
	if n > 0 {
		a.inputLine = inputLine{empty: true}
	}
	return n
}

// dropFollowing is what of b is not dropped, and what tells of the rest once the lock
// is given back. The lock is held.
func (a *Arbiter) dropFollowing(l *Lease, b []byte, now time.Time) (kept []byte, tell func()) {
	if !now.Before(a.stale.until) {
		return b, func() {}
	}
	kept, n := l.keyboard.stops(b)
	if n == 0 {
		return kept, func() {}
	}
	a.keys += uint64(n)
	told := a.stale.told
	return kept, func() { told(n) }
}

// stops returns the keys of b that stop a program, together with what the terminal
// itself says, and how many other keys there were. An unfinished sequence is kept.
func (k keyboard) stops(b []byte) (kept []byte, others int) {
	k.scan = k.scan.Clone() // the lease goes on with its own
	begin, keys, whole, pasted := 0, 0, k.idle(), k.pasting
	for i, c := range b {
		keys += k.next(c)
		last := i == len(b)-1
		switch {
		case k.idle(), k.scan.State() == escape.AfterEscape && !last && b[i+1] == 0x1b:
		case !last:
			continue
		default:
			whole = false
		}
		token := b[begin : i+1]
		key := keys > 0 || pasted || k.pasting || len(token) == 1 && c >= 0x80 && c < 0xc0
		if key && whole && !stop(token) {
			others += max(keys, 0)
		} else {
			kept = append(kept, token...)
		}
		begin, keys, whole, pasted = i+1, 0, true, k.pasting
	}
	return kept, others
}

// stop reports whether a key is Esc or Ctrl-C.
func stop(key []byte) bool {
	switch string(key) {
	case "\x1b", "\x03":
		return true
	}
	seq, ok := bytes.CutPrefix(key, []byte("\x1b["))
	if !ok || len(seq) == 0 {
		return false
	}
	code, held, ok := DecodeKey(string(seq[:len(seq)-1]), seq[len(seq)-1])
	return ok && (code == 0x1b && held == 0 || code == 'c' && held == KeyControl)
}
