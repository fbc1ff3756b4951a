package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// The times of a connection.
const (
	// writeLimit is how long a server with a pipe may take to read a message.
	writeLimit = 30 * time.Second
	// noticeLimit bounds what is sent for nobody who waits: answers to the server, and
	// cancellations.
	noticeLimit = 5 * time.Second
	// endLimit is how long the end of a server is waited for that does not take its input any
	// more: its output then ends with the reason.
	endLimit = 2 * time.Second
	// closeLimit is how long the goroutines of a closed connection are waited for.
	closeLimit = 15 * time.Second
)

// The bounds of what a server may have the sidecar do at once.
const (
	maxReplies  = 64 // answers that the server has not read
	maxProgress = 16 // reports of progress that wait for the listener; the oldest is dropped
)

// progressEvery is the shortest time between two reports, after the first maxProgress of a call.
const progressEvery = 100 * time.Millisecond

// The bounds of what a server may send that nobody has asked for, in any period of noisePeriod:
// a server beyond them loses its connection.
const (
	noisePeriod   = 10 * time.Second
	noiseMessages = 20_000
	noiseBytes    = 128 << 20
)

// errNotSent is in errors of requests that were not sent.
var errNotSent = errors.New("it cannot be reached")

// codeTransport is the code by which the SDK's transports mark errors of their own.
const codeTransport = -32005

// errStopped is the end of a session that nobody uses.
var errStopped = errors.New("it was stopped")

// peer is what a server says of itself.
type peer struct {
	revision              string // of the protocol, as it was negotiated
	name, version         string
	instructions          string
	tools, announcesTools bool           // it has tools, and says when they change
	me                    map[string]any // what each request says of this client, nil before 2026-07-28
}

// session is one connection to a server: JSON-RPC, and what MCP makes of it. The SDK's own
// session is not used, for it decodes what must stay raw, fails a list for one bad tool, keeps
// queues and goroutines without a bound, and does not end while a pipe is stuck.
type session struct {
	conn mcp.Connection
	pipe bool // a write ends as soon as the server has read it; with HTTP, when it has answered
	info peer
	log  *slog.Logger

	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	wg     sync.WaitGroup

	ended chan struct{}

	mu      sync.Mutex
	over    bool
	err     error // why it has ended
	next    int64
	pending map[int64]*outgoing
	asked   map[string]context.CancelFunc // what the server asks, by id

	replies chan *jsonrpc.Response
	changes atomic.Int64  // how often the server said that its tools have changed
	changed chan struct{} // is told of the first one that was not seen
}

// outgoing is a request to the server.
type outgoing struct {
	method string
	params map[string]any
	call   *running // of a call: who hears progress and questions

	id     int64
	answer chan *jsonrpc.Response
	large  chan struct{} // of an answer that is too long
}

// newSession starts to read from a connection.
func newSession(conn mcp.Connection, pipe bool, log *slog.Logger) *session {
	s := &session{
		conn: conn, pipe: pipe, log: log, ended: make(chan struct{}), pending: map[int64]*outgoing{}, asked: map[string]context.CancelFunc{},
		replies: make(chan *jsonrpc.Response, maxReplies), changed: make(chan struct{}, 1),
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wg.Go(s.read)
	s.wg.Go(s.reply)
	return s
}

// read takes what comes until the connection ends.
func (s *session) read() {
	var n noise
	for {
		m, err := s.conn.Read(s.ctx)
		if err == nil {
			err = s.handle(&n, m)
		}
		var long *tooLong
		if errors.As(err, &long) {
			s.tooLong(long)
			continue
		}
		if err != nil {
			s.fail(err)
			return
		}
	}
}

// noise counts what comes unasked.
type noise struct {
	began    time.Time
	messages int
	bytes    int
}

// heard counts a message. The error says that there are too many.
func (n *noise) heard(now time.Time, m jsonrpc.Message) error { return n.count(now, weight(m)) }

func (n *noise) count(now time.Time, bytes int) error {
	if now.Sub(n.began) >= noisePeriod {
		*n = noise{began: now}
	}
	n.messages++
	n.bytes += bytes
	if n.messages > noiseMessages || n.bytes > noiseBytes {
		return fmt.Errorf("it floods: it sent %d messages of %d bytes that nobody asked for in %s", n.messages, n.bytes, noisePeriod)
	}
	return nil
}

// asked takes back a message that somebody has asked for.
func (n *noise) asked(m jsonrpc.Message) {
	n.messages--
	n.bytes -= weight(m)
}

func weight(m jsonrpc.Message) int {
	switch m := m.(type) {
	case *jsonrpc.Response:
		return len(m.Result)
	case *jsonrpc.Request:
		return len(m.Params)
	}
	return 0
}

// answered hands an answer to whoever waits for it. One that nobody waits for is dropped: it
// came late, or it is a lie.
func (s *session) answered(m *jsonrpc.Response) (awaited bool) {
	id, ok := m.ID.Raw().(int64)
	if !ok {
		return false
	}
	s.mu.Lock()
	o := s.pending[id]
	delete(s.pending, id)
	s.mu.Unlock()
	if o != nil {
		o.answer <- m // it has room, and there is only one
	}
	return o != nil
}

// tooLong tells the request whose answer was too long, all if that is not known.
func (s *session) tooLong(e *tooLong) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, o := range s.pending {
		if s.pending[e.id] == nil || id == e.id {
			delete(s.pending, id)
			o.large <- struct{}{}
		}
	}
}

// fail ends the session. Only the first reason counts.
func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	s.over, s.err = true, err
	s.cancel()
	close(s.ended)
}

// reason returns why the session has ended.
func (s *session) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// close ends the session and waits until nothing of it runs, up to a limit.
func (s *session) close(why error) {
	s.fail(cmp.Or(why, errStopped))
	done := make(chan struct{})
	go func() {
		s.conn.Close()
		s.wg.Wait()
		if w, ok := s.conn.(*web); ok {
			w.forget()
		}
		close(done)
	}()
	t := time.NewTimer(closeLimit)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
		s.log.Warn("an MCP server's connection does not end", "limit", closeLimit)
	}
}

// request sends a request and returns its answer. The error is a *jsonrpc.Error if the server
// answered with one, wraps ErrTooLarge, ErrLost or errNotSent, or is the context's cause.
func (s *session) request(ctx context.Context, o *outgoing) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx) // the SDK's transport reads the answer under this context, too
	defer cancel(nil)
	written, err := s.send(ctx, o)
	if err != nil {
		return nil, err
	}
	defer s.forget(o.id)
	var progress <-chan progress // nil while the listener has heard enough
	var pause <-chan time.Time
	if o.call != nil {
		progress = o.call.progress
	}
	for {
		select {
		case m := <-o.answer:
			o.call.drain()
			return result(m)
		case <-o.large:
			return nil, ErrTooLarge
		case p := <-progress:
			if o.call.report(p); o.call.reports > maxProgress {
				progress, pause = nil, time.After(progressEvery)
			}
		case <-pause:
			progress = o.call.progress
		case err := <-written:
			if written = nil; err == nil {
				continue
			}
			if m := s.lastWords(ctx, o); m != nil {
				return result(m)
			}
			return nil, s.unwritten(ctx, err)
		case <-ctx.Done():
			s.retract(o.id)
			return nil, context.Cause(ctx)
		case <-s.ended:
			select {
			case m := <-o.answer: // it came before the end
				return result(m)
			default:
			}
			return nil, fmt.Errorf("%w: %s", ErrLost, words(s.reason()))
		}
	}
}

// send registers a request and has it written.
func (s *session) send(ctx context.Context, o *outgoing) (written chan error, err error) {
	o.answer, o.large = make(chan *jsonrpc.Response, 1), make(chan struct{}, 1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, fmt.Errorf("%w: %s", errNotSent, words(s.err))
	}
	s.next++
	o.id = s.next
	id, err := jsonrpc.MakeID(float64(o.id))
	if err != nil {
		return nil, err
	}
	m := &jsonrpc.Request{ID: id, Method: o.method}
	if m.Params, err = s.info.params(o); err != nil {
		return nil, err
	}
	s.pending[o.id] = o
	ctx = withTooLong(ctx, func() {
		select {
		case o.large <- struct{}{}:
		default:
		}
	})
	written = make(chan error, 1)
	s.wg.Go(func() { written <- s.write(ctx, m) })
	return written, nil
}

func (s *session) forget(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, id)
}

// write writes a message. A server that does not read from its pipe loses the connection.
func (s *session) write(ctx context.Context, m jsonrpc.Message) error {
	if !s.pipe {
		return s.conn.Write(ctx, m)
	}
	t := time.AfterFunc(writeLimit, func() {
		s.fail(errors.New("it does not read its input"))
		s.conn.Close()
	})
	defer t.Stop()
	return s.conn.Write(ctx, m)
}

// lastWords waits a moment for what a server with a pipe says after it has closed its input: the
// answer, or the reason of its end. It returns the answer, nil if there is none.
func (s *session) lastWords(ctx context.Context, o *outgoing) *jsonrpc.Response {
	if !s.pipe {
		return nil
	}
	t := time.NewTimer(endLimit)
	defer t.Stop()
	select {
	case m := <-o.answer:
		return m
	case <-s.ended:
	case <-ctx.Done():
	case <-t.C:
	}
	return nil
}

// unwritten is the error of a request that could not be written as a whole.
func (s *session) unwritten(ctx context.Context, err error) error {
	var e *jsonrpc.Error
	var dial *net.OpError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, errBody):
		return ErrTooLarge
	case errors.As(err, &dial) && dial.Op == "dial":
		return fmt.Errorf("%w: %s", errNotSent, words(err))
	case errors.As(err, &e) && e.Code != codeTransport:
		return e
	}
	if why := s.reason(); s.pipe && why != nil {
		err = why
	}
	return fmt.Errorf("%w: %s", ErrLost, words(err))
}

// retract tells the server that nobody waits for a request any more. Nobody waits for that
// either.
func (s *session) retract(id int64) {
	s.notify("notifications/cancelled", map[string]any{"requestId": id, "reason": "the caller has gone"})
}

// notify writes a notification in the background, and says when it is written.
func (s *session) notify(method string, params map[string]any) <-chan error {
	written := make(chan error, 1)
	raw, err := s.info.params(&outgoing{method: method, params: params})
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || err != nil {
		written <- errors.Join(err, s.err)
		return written
	}
	s.wg.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, noticeLimit)
		defer cancel()
		written <- s.write(ctx, &jsonrpc.Request{Method: method, Params: raw})
	})
	return written
}

// result returns what an answer holds.
func result(m *jsonrpc.Response) (json.RawMessage, error) {
	if m.Error != nil {
		var e *jsonrpc.Error
		if errors.As(m.Error, &e) {
			return nil, e
		}
		return nil, fmt.Errorf("%w: %s", ErrLost, words(m.Error)) // the transport's
	}
	if len(m.Result) == 0 || m.Result[0] != '{' {
		return nil, fmt.Errorf("%w: the answer has no result", ErrProtocol)
	}
	return m.Result, nil
}

// words returns an error of outside on one line, cut.
func words(err error) string {
	if err == nil {
		return ""
	}
	return text.Shorten(text.Line(err.Error(), 0), maxWords)
}
