package tool

import (
	"container/list"
	"sync"
)

// Session is what the calls of one conversation share. Its methods may be called from many goroutines.
type Session struct {
	// ID identifies the conversation. It does not change.
	ID string

	changed func() // see Sessions.Changed

	mu     sync.Mutex
	owner  string
	owned  bool // owner is set
	todos  []Todo
	skills []string // that are loaded, by name
	seen   seenFiles
	// searches is how many calls of web_search there were.
	searches int
}

// Own says whose conversation it is, "" for a caller without a name. What another caller has left in a
// conversation of the same ID is forgotten.
func (s *Session) Own(caller string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owned && s.owner != caller {
		s.todos, s.skills, s.seen = nil, nil, seenFiles{}
	}
	s.owner, s.owned = caller, true
}

// OwnedBy reports whether the conversation is that of a caller.
func (s *Session) OwnedBy(caller string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owned && s.owner == caller
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
	byID map[string]*list.Element
}

// NewSessions returns sessions, of which at most max are kept; max is at least 1.
func NewSessions(max int) *Sessions {
	return &Sessions{max: max, used: list.New(), byID: map[string]*list.Element{}}
}

// Of returns the session of a conversation, a new one if there is none.
func (s *Sessions) Of(id string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byID[id]; e != nil {
		s.used.MoveToFront(e)
		return e.Value.(*Session)
	}
	one := &Session{ID: id, changed: s.Changed}
	s.byID[id] = s.used.PushFront(one)
	for s.used.Len() > s.max {
		last := s.used.Back()
		delete(s.byID, s.used.Remove(last).(*Session).ID)
	}
	return one
}

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

// Find returns the session of a conversation, nil if there is none. It does not count as a use.
func (s *Sessions) Find(id string) *Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byID[id]; e != nil {
		return e.Value.(*Session)
	}
	return nil
}

// End drops what the calls of a conversation have shared. Nil Sessions have none.
func (s *Sessions) End(id string) {
	s.end(func() {
		if e := s.byID[id]; e != nil {
			s.used.Remove(e)
			delete(s.byID, id)
		}
	})
}

// EndAll drops the sessions of all conversations.
func (s *Sessions) EndAll() {
	s.end(func() {
		s.used.Init()
		clear(s.byID)
	})
}

// end drops sessions, and tells of it.
func (s *Sessions) end(drop func()) {
	if s == nil {
		return
	}
	s.mu.Lock()
	drop()
	s.mu.Unlock()
	if s.Changed != nil {
		s.Changed()
	}
}
