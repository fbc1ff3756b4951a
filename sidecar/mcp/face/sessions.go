package face

import (
	"context"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// sessions know the calls of each session: the end of a session waits for its calls, and does not
// end them.
type sessions struct {
	mu    sync.Mutex
	calls map[*mcp.ServerSession]map[*context.CancelCauseFunc]struct{}
}

// errEnded is why the calls of a session that was ended are canceled.
var errEnded = errors.New("the client has ended its session")

// begin makes a request's context one that ends with its session. done must be called when the
// request has been handled.
func (s *sessions) begin(of *mcp.ServerSession, ctx *context.Context) (done func()) {
	in, cancel := context.WithCancelCause(*ctx)
	*ctx = in
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls == nil {
		s.calls = make(map[*mcp.ServerSession]map[*context.CancelCauseFunc]struct{})
	}
	if s.calls[of] == nil {
		s.calls[of] = make(map[*context.CancelCauseFunc]struct{})
	}
	s.calls[of][&cancel] = struct{}{}
	return func() {
		cancel(nil)
		s.mu.Lock()
		defer s.mu.Unlock()
		if delete(s.calls[of], &cancel); len(s.calls[of]) == 0 {
			delete(s.calls, of)
		}
	}
}

// cancelSession cancels the calls of the session with that id.
func (f *Face) cancelSession(id string) {
	f.sessions.mu.Lock()
	defer f.sessions.mu.Unlock()
	for s, calls := range f.sessions.calls {
		if id != "" && s != nil && s.ID() == id {
			for cancel := range calls {
				(*cancel)(errEnded)
			}
		}
	}
}
