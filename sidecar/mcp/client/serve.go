package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The bounds of what a server asks.
const (
	maxAsking   = 8        // questions of one connection that wait for an answer
	maxQuestion = 64 << 10 // bytes of a question
	maxLogged   = 1 << 10  // bytes of a message that a server logs
	codeRefused = -32000   // of what is refused for a reason of our own
)

// serve handles a request or a notification of the server's. It must not block: answers come
// after it.
func (s *session) serve(m *jsonrpc.Request) {
	switch {
	case !m.IsCall():
		s.noticed(m)
	case m.Method == "ping":
		s.respond(m.ID, struct{}{}, nil)
	case m.Method == "elicitation/create", m.Method == "sampling/createMessage":
		s.asks(m)
	default:
		s.respond(m.ID, nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this client has no such method"})
	}
}

// noticed handles a notification. One that is not known is dropped.
func (s *session) noticed(m *jsonrpc.Request) {
	switch m.Method {
	case "notifications/tools/list_changed":
		s.announced()
	case "notifications/progress":
		s.progressed(m.Params)
	case "notifications/message":
		s.log.Debug("an MCP server logs", "message", text.Shorten(text.Line(string(text.Cut(m.Params, maxLogged)), 0), maxLogged))
	case "notifications/cancelled":
		var p struct {
			RequestID any `json:"requestId"`
		}
		if len(m.Params) <= maxQuestion && json.Unmarshal(m.Params, &p) == nil {
			if id, err := jsonrpc.MakeID(p.RequestID); err == nil {
				s.withdrawn(key(id))
			}
		}
	}
}

// announced says that the server's list may have changed.
func (s *session) announced() {
	s.changes.Add(1)
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// key returns an id as the key of a map.
func key(id jsonrpc.ID) string { return fmt.Sprintf("%T %v", id.Raw(), id.Raw()) }

// withdrawn ends a question that the server does not want answered any more.
func (s *session) withdrawn(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.asked[id]; cancel != nil {
		cancel()
	}
}

// progressed hands a report to the call that it is about.
func (s *session) progressed(raw json.RawMessage) {
	var p struct {
		Token    int64   `json:"progressToken"`
		Progress float64 `json:"progress"`
		Total    float64 `json:"total"`
		Message  string  `json:"message"`
	}
	if len(raw) > maxQuestion || json.Unmarshal(raw, &p) != nil {
		return
	}
	s.mu.Lock()
	o := s.pending[p.Token]
	s.mu.Unlock()
	if o == nil || o.call == nil || o.call.listener == nil {
		return
	}
	report := progress{done: p.Progress, total: p.Total, message: text.Shorten(text.Line(p.Message, 0), maxWords)}
	for {
		select {
		case o.call.progress <- report:
			return
		default:
		}
		select { // there is no room: the oldest goes
		case <-o.call.progress:
		default:
		}
	}
}

// asks hands a question to the listener of the call that it belongs to. The protocol does not
// say which that is: if one call runs on the connection, it is that, and if several do,
// nobody's. Answers are awaited elsewhere.
func (s *session) asks(m *jsonrpc.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := key(m.ID)
	if s.over || s.asked[id] != nil || len(s.asked) >= maxAsking {
		s.respond(m.ID, nil, &jsonrpc.Error{Code: codeRefused, Message: "too many questions wait for an answer"})
		return
	}
	c := s.only()
	if c == nil || !c.enter() {
		s.decline(m)
		return
	}
	ctx, cancel := context.WithCancel(c.ctx)
	s.asked[id] = cancel
	s.wg.Go(func() {
		answer, err := c.ask(ctx, m.Method, m.Params)
		c.leave()
		cancel()
		s.mu.Lock()
		delete(s.asked, id)
		s.mu.Unlock()
		s.respond(m.ID, answer, refusal(err))
	})
}

// decline answers a question that nobody here is asked.
func (s *session) decline(m *jsonrpc.Request) {
	if m.Method == "elicitation/create" {
		s.respond(m.ID, map[string]string{"action": "decline"}, nil)
		return
	}
	s.respond(m.ID, nil, &jsonrpc.Error{Code: codeRefused, Message: "nobody can be asked"})
}

// only returns the call that runs, nil if it is not one.
func (s *session) only() (c *running) {
	for _, o := range s.pending {
		if o.call != nil && c != nil {
			return nil
		}
		if o.call != nil {
			c = o.call
		}
	}
	return c
}

// refusal is the error that a server is told.
func refusal(err error) *jsonrpc.Error {
	if err == nil {
		return nil
	}
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e
	}
	return &jsonrpc.Error{Code: codeRefused, Message: "the question was not answered"}
}

// respond queues an answer. A server that asks faster than it reads loses the connection.
func (s *session) respond(id jsonrpc.ID, answer any, e *jsonrpc.Error) {
	r := &jsonrpc.Response{ID: id}
	if e != nil {
		r.Error = e
	} else if raw, err := text.JSON(answer); err == nil {
		r.Result = raw
	} else {
		r.Error = refusal(err)
	}
	select {
	case s.replies <- r:
	default:
		s.wg.Go(func() { s.fail(fmt.Errorf("it asks faster than it reads: %d answers wait", maxReplies)) }) // the lock may be held
	}
}

// reply writes the answers, one after the other.
func (s *session) reply() {
	for {
		select {
		case <-s.ended:
			return
		case r := <-s.replies:
			ctx, cancel := context.WithTimeout(s.ctx, noticeLimit)
			if err := s.write(ctx, r); err != nil {
				s.log.LogAttrs(ctx, slog.LevelDebug, "an MCP server does not take an answer", slog.String("error", words(err)))
			}
			cancel()
		}
	}
}
