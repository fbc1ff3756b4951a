package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The times between two attempts to listen to a server: they double.
const (
	listenFirst = time.Second
	listenLast  = time.Minute
)

// listen hears what the server says outside of calls, for as long as the session lasts: by
// pipe it needs nothing; since 2026-07-28 it is a request of its own, and by HTTP before that,
// a stream of its own.
func (s *session) listen() {
	w, byHTTP := s.conn.(*web)
	var once func() (again bool)
	switch {
	case s.info.me != nil && s.info.announcesTools:
		once = s.subscribe
	case s.info.me == nil && byHTTP:
		last := ""
		once = func() bool { return w.stream(s, &last) }
	default:
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.wg.Go(func() {
		for wait := listenFirst; once(); wait = min(2*wait, listenLast) {
			t := time.NewTimer(wait)
			select {
			case <-s.ended:
				t.Stop()
				return
			case <-t.C:
			}
			s.announced() // what it said meanwhile was not heard
		}
	})
}

// subscribe asks to be told of changes (2026-07-28, subscriptions/listen). It returns when
// nothing is told any more, and reports whether it makes sense to ask again.
func (s *session) subscribe() bool {
	_, err := s.request(s.ctx, &outgoing{method: "subscriptions/listen", params: map[string]any{
		"notifications": map[string]any{"toolsListChanged": true},
	}})
	var e *jsonrpc.Error
	return !errors.As(err, &e) && s.ctx.Err() == nil
}

// stream reads the stream of a server for what belongs to no request (GET, revisions
// 2025-03-26 to 2025-11-25). It returns when the stream ends, and reports whether the server
// has one.
func (w *web) stream(s *session, last *string) bool {
	r, err := http.NewRequestWithContext(s.ctx, http.MethodGet, w.endpoint, nil)
	if err != nil {
		return false
	}
	r.Header.Set("Accept", eventStream)
	if id := w.SessionID(); id != "" {
		r.Header.Set(headerSession, id)
	}
	if *last != "" {
		r.Header.Set(headerLast, *last)
	}
	a, err := w.client.Do(r)
	if err != nil {
		return s.ctx.Err() == nil
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK || !isEventStream(a) {
		return false
	}
	var n noise
	err = events(a.Body, w.bounds.limit, func(id string, data []byte) error {
		if id != "" && len(id) <= maxCursor {
			*last = id
		}
		return s.handle(&n, decode(data))
	})
	if err != nil && s.ctx.Err() == nil && !errors.Is(err, io.EOF) {
		s.log.Debug("an MCP server's stream has ended", "error", words(err))
	}
	return true
}

// events reads server-sent events. Their bodies are bounded by the reader; limit is for one
// line.
func events(body io.Reader, limit int64, each func(id string, data []byte) error) error {
	in := bufio.NewScanner(body)
	in.Buffer(nil, int(limit)+len("data: \r\n"))
	var data []byte
	id := ""
	for in.Scan() {
		line := in.Bytes()
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "":
			if len(line) > 0 { // a comment
				continue
			}
			if err := each(id, data); err != nil {
				return err
			}
			data, id = nil, ""
		case "data":
			data = append(append(data, value...), '\n')
		case "id":
			id = string(value)
		}
	}
	return in.Err()
}

// handle handles one message. The error ends the connection, or the stream that it came by.
func (s *session) handle(n *noise, m jsonrpc.Message) error {
	if m == nil {
		return nil
	}
	if err := n.heard(time.Now(), m); err != nil {
		return err
	}
	switch m := m.(type) {
	case *jsonrpc.Response:
		if s.answered(m) {
			n.asked(m)
		}
	case *jsonrpc.Request:
		s.serve(m)
	}
	return nil
}
