package sandbox

import "sync"

// prepared keeps a thread that is in a sandbox and waits for its program. Making it takes longer
// than all else of a start. It may be used by many goroutines.
type prepared struct {
	mu     sync.Mutex
	thread *waitingThread // nil: none
	view   view           // of its roots
	closed bool           // none is kept any more
}

// take returns the thread, which is the caller's then. It returns nil if there is none, or if
// something else is at one of the roots now.
func (p *prepared) take() *waitingThread {
	p.mu.Lock()
	t, v := p.thread, p.view
	p.thread, p.view = nil, view{}
	p.mu.Unlock()
	if t != nil && v.stale() {
		t.dismiss()
		return nil
	}
	return t
}

// needed reports whether put would keep a thread.
func (p *prepared) needed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.closed && p.thread == nil
}

// put keeps a thread, or ends it if there is one.
func (p *prepared) put(t *waitingThread, v view) {
	p.mu.Lock()
	if !p.closed && p.thread == nil {
		p.thread, p.view, t = t, v, nil
	}
	p.mu.Unlock()
	if t != nil {
		t.dismiss()
	}
}

// close ends the thread. No other one is kept after it.
func (p *prepared) close() {
	p.mu.Lock()
	t := p.thread
	p.thread, p.view, p.closed = nil, view{}, true
	p.mu.Unlock()
	if t != nil {
		t.dismiss()
	}
}

// Prepare makes what takes most of the time of the next start, if it is not there: a thread that is
// in the sandbox already. It takes about as long as a fork, and is for the time in which nobody
// waits for a program. Should something else be at a root when the program starts, the start makes
// its own. There is nothing to prepare for a sandbox with limits or with a network namespace.
//
// Until the start or Close, one thread of this process is in the sandbox. It runs nothing else, but
// [syscall.AllThreadsSyscall] reaches it too, and panics if the filter refuses the call there.
func (s *Sandbox) Prepare() {
	if s.rules.Limits != (Limits{}) || s.more.Namespace != nil || !s.prepared.needed() {
		return
	}
	set, err := s.ruleset()
	if err != nil {
		return // the next start says it
	}
	defer set.close()
	h := s.holdBy(set)
	t, err := newWaitingThread(h.prepare)
	if err != nil {
		return
	}
	s.prepared.put(t, viewOf(set.seenRoots()))
}

// Close ends what is prepared. The sandbox can be used all the same.
func (s *Sandbox) Close() { s.prepared.close() }
