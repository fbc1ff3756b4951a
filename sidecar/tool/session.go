package tool

import (
	"container/list"
	"sync"
)

// Session is what the calls of one conversation share. Its methods may be called from many goroutines.
type Session struct {
	// Owner is the caller whose conversation it is, "" for one without a name, and ID the conversation's. They do
	// not change.
	Owner, ID string

	changed func() // see Sessions.Changed

	mu     sync.Mutex
	todos  []Todo
	skills []string // that are loaded, by name
	seen   seenFiles
	// searches is how many calls of web_search there were.
	searches int
}

// Sessions keeps the sessions, at most as many as it was made for: the one that was not used for the
// longest time goes first. Its methods may be called from many goroutines.
type Sessions struct {
	max int
	// Changed is called when a session has other skills than before: one was loaded, or the session was
	// ended. It must not block, and is set before the first session is made. nil: nobody is told.
	Changed func()

	mu   sync.Mutex
	used *list.List // of *Session, the last used first
	byID map[sessionKey]*list.Element
}

// sessionKey finds a session. Two callers may have conversations of the same ID, one after the other.
type sessionKey struct{ owner, id string }

// NewSessions returns sessions, of which at most max are kept; max is at least 1.
func NewSessions(max int) *Sessions {
	return &Sessions{max: max, used: list.New(), byID: map[sessionKey]*list.Element{}}
}

// Of returns the session of a caller's conversation, a new one if there is none.
func (s *Sessions) Of(owner, id string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byID[sessionKey{owner, id}]; e != nil {
		s.used.MoveToFront(e)
		return e.Value.(*Session)
	}
	one := &Session{Owner: owner, ID: id, changed: s.Changed}
	s.byID[one.key()] = s.used.PushFront(one)
	for s.used.Len() > s.max {
		delete(s.byID, s.used.Remove(s.used.Back()).(*Session).key())
	}
	return one
}

func (s *Session) key() sessionKey { return sessionKey{s.Owner, s.ID} }

// All returns the sessions, the last used first.
func (s *Sessions) All() []*Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Session, 0, s.used.Len())
	for e := s.used.Front(); e != nil; e = e.Next() {
		all = append(all, e.Value.(*Session))
	}
	return all
}

// Find returns the session of a caller's conversation, nil if there is none. It does not count as a use.
func (s *Sessions) Find(owner, id string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byID[sessionKey{owner, id}]; e != nil {
		return e.Value.(*Session)
	}
	return nil
}

// End drops what the calls of a conversation have shared, whosever it is. Nil Sessions have none.
func (s *Sessions) End(id string) {
	s.end(func(one *Session) bool { return one.ID == id })
}

// EndAll drops the sessions of all conversations.
func (s *Sessions) EndAll() {
	s.end(func(*Session) bool { return true })
}

// end drops the sessions that are meant, and tells of it if there are any.
func (s *Sessions) end(meant func(*Session) bool) {
	if s == nil {
		return
	}
	if s.drop(meant) && s.Changed != nil {
		s.Changed()
	}
}

func (s *Sessions) drop(meant func(*Session) bool) (dropped bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, e := range s.byID {
		if meant(e.Value.(*Session)) {
			s.used.Remove(e)
			delete(s.byID, key)
			dropped = true
		}
	}
	return dropped
}
