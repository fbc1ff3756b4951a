package tty

import "bytes"

// interrupts lists the keys that are typed although keys are held back: Ctrl-C, as a byte and in
// the keyboard protocol that some programs ask for.
func interrupts() [][]byte { return [][]byte{[]byte("\x03"), []byte("\x1b[99;5u")} }

// HoldBack makes all that people type from now on come to nothing, but for Ctrl-C: they may watch
// and interrupt. dropped is called for each chunk of which something was dropped; it must return
// soon. What Exclusive types is typed.
func (a *Arbiter) HoldBack(dropped func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dropped = dropped
}

// onlyInterrupts returns what of people's keys is typed while keys are held back, and what tells of
// the rest. The caller holds the lock and calls tell without it.
func (a *Arbiter) onlyInterrupts(b []byte) (typed []byte, tell func()) {
	if a.dropped == nil || len(b) == 0 {
		return b, func() {}
	}
	for rest := b; len(rest) > 0; {
		n := 1
		for _, key := range interrupts() {
			if bytes.HasPrefix(rest, key) {
				typed, n = append(typed, key...), len(key)
			}
		}
		rest = rest[n:]
	}
	if len(typed) == len(b) {
		return typed, func() {}
	}
	return typed, a.dropped
}
