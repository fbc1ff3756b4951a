package policy

import "sync"

// Session remembers what a person answered with "always", until the context is forgotten.
// Its methods may be called from many goroutines at once; a nil Session remembers
// nothing.
type Session struct {
	mu       sync.Mutex
	limit    int
	count    int
	contexts map[string]map[string]struct{}
}

// NewSession returns a session that remembers at most limit answers.
func NewSession(limit int) *Session {
	return &Session{limit: limit, contexts: map[string]map[string]struct{}{}}
}

// AlwaysRule names, in a Decision of ScopeSession, the answer of a person that holds until the session
// ends.
const AlwaysRule = "always, answered in this session"

// Remember lifts every later ask for a call with this context and Request.Key, which must
// not be "". It reports false if no more can be remembered: the next such call asks again.
func (s *Session) Remember(context, key string) bool {
	if s == nil || key == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.contexts[context][key]; known {
		return true
	}
	if s.count >= s.limit {
		return false
	}
	if s.contexts[context] == nil {
		s.contexts[context] = map[string]struct{}{}
	}
	s.contexts[context][key] = struct{}{}
	s.count++
	return true
}

// Forget drops every answer of a context.
func (s *Session) Forget(context string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count -= len(s.contexts[context])
	delete(s.contexts, context)
}

// ForgetAll drops every answer.
func (s *Session) ForgetAll() {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count = 0
	clear(s.contexts)
}

func (s *Session) holds(context, key string) bool {
	if s == nil || key == "" {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.contexts[context][key]
	return ok
}
