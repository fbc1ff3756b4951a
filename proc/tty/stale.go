package tty

import (
	"bytes"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/escape"
)

// stale says until when keys are dropped, because they are meant for something that has left
// the screen, and which function is told.
type stale struct {
	until time.Time
	told  func(keys int)
}

// DropStale drops the keys that were pressed while Exclusive held them, and those of the time
// that follows, in which people cannot have seen yet that what the keys are for has gone. It is
// called by the function that Exclusive runs. Esc and Ctrl-C are not dropped: it is never too
// late to stop the program. told is called with the number of keys dropped, from any goroutine
// and without a lock held.
func (a *Arbiter) DropStale(following time.Duration, told func(keys int)) {
	if n := a.dropQueued(stale{until: time.Now().Add(following), told: told}); n > 0 {
		told(n)
	}
}

// dropQueued drops the keys that wait for the process, and returns how many they were.
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

// dropFollowing returns the part of b that is not dropped, and a function that reports the
// dropped keys. The caller holds the lock, and calls the function after it has released the
// lock.
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

// stops returns the keys of b that stop a program, together with what the terminal itself
// sends, and how many other keys there were. It keeps an unfinished sequence.
func (k keyboard) stops(b []byte) (kept []byte, others int) {
	k.scan = k.scan.Clone() // the lease's own scanner is not changed
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
