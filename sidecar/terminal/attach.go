package terminal

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

const (
	// maxMessage is the longest message that is taken, in bytes.
	maxMessage = 64 << 10
	// closeTime is how long the other side may take to say goodbye.
	closeTime = 500 * time.Millisecond
	// redrawTime is how long a picture that was asked for is the last one.
	redrawTime = 50 * time.Millisecond
	// flushTime is how long keys wait for the agent when their sender has gone.
	flushTime = 2 * time.Second
)

// attach answers GET /terminal/attach, a WebSocket. Text messages are JSON with a
// "type", binary ones are bytes. The server sends
//
//	{"type":"snapshot","session","contextId","cols","rows","title","offset","write"}
//	          followed by one binary message that draws it
//	binary    what the agent writes
//	{"type":"resize","cols","rows"}, before the snapshot that has the new size
//	{"type":"end","reason","text","exitCode"?}, and closes
//
// and takes, with ?write=true,
//
//	binary    keys. What a terminal answers by itself to the agent's questions is
//	          left out: the agent has had its answers
//
// and always {"type":"redraw"}, for a fresh snapshot. Other types mean nothing:
// the viewer's size is not the agent's.
func (h *Handlers) attach(w http.ResponseWriter, r *http.Request, id server.Identity, v *turn.View) error {
	if err := h.checkUpgrade(r); err != nil {
		return err
	}
	a := &attachment{h: h, v: v}
	if write, err := strconv.ParseBool(r.URL.Query().Get("write")); err == nil && write {
		if a.hands, err = h.hands(r.Context(), v); err != nil {
			return err
		}
		defer a.hands.Leave()
		h.o.Log.Info("somebody may type into the agent's terminal", "caller", id.Caller, "session", v.Session)
	}
	taken := &taker{ResponseWriter: w}
	conn, err := websocket.Accept(taken, r, &websocket.AcceptOptions{OriginPatterns: h.origins()})
	if err != nil {
		return nil // Accept has answered
	}
	conn.SetReadLimit(maxMessage)
	a.conn = conn
	a.serve(r.Context(), id, taken.conn)
	return nil
}

// hands let who has sent a request type.
func (h *Handlers) hands(ctx context.Context, v *turn.View) (*turn.Hands, error) {
	if h.o.Keys != nil {
		if err := h.o.Keys(ctx); err != nil {
			return nil, err
		}
	}
	return v.Hands()
}

// origins are the hosts beside its own that pages may come from.
func (h *Handlers) origins() []string {
	if h.o.PublicHost == "" {
		return nil
	}
	return []string{h.o.PublicHost}
}

// checkUpgrade refuses what is no WebSocket, and web pages of others: the rules
// of browsers do not keep those from a WebSocket.
func (h *Handlers) checkUpgrade(r *http.Request) error {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") || r.Header.Get("Sec-WebSocket-Version") != "13" || r.Header.Get("Sec-WebSocket-Key") == "" {
		e := a2a.ErrInvalidRequest.With("this is for WebSockets: use sidecar attach, GET /terminal or GET /terminal/stream")
		e.HTTP = http.StatusUpgradeRequired
		return e
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) && !strings.EqualFold(u.Host, h.o.PublicHost) {
		return forbidden("pages of %.100q may not attach to the terminal", origin)
	}
	return nil
}

// taker keeps the connection that a WebSocket has taken over: closing that is the
// one thing that never waits.
type taker struct {
	http.ResponseWriter
	conn net.Conn
}

func (t *taker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.conn = conn
	return conn, rw, err
}

// attachment is one WebSocket, and a screen.
type attachment struct {
	h     *Handlers
	v     *turn.View
	conn  *websocket.Conn
	hands *turn.Hands // nil: it may not type
	tap   *console.Tap
	life  context.Context // of the connection; its end cuts it off
	keys  answerFilter
}

// Why we close a connection that said something wrong.
var (
	errReadOnly = errors.New("read-only: attach with ?write=true to type")
	errControl  = errors.New("a text message is JSON with a type")
)

// serve runs the connection to its end. After the end of ctx it has closeTime.
func (a *attachment) serve(ctx context.Context, id server.Identity, raw net.Conn) {
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	defer kill()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(closeTime, func() { _ = raw.Close() })
	})()
	a.life, a.tap = life, a.v.Follow()
	var running sync.WaitGroup
	running.Go(func() { cancel(a.read(ctx)) })
	running.Go(func() { cancel(a.ping(ctx)) })
	end, err := a.h.show(ctx, a.v, id, a.tap, a)
	if err == nil {
		_ = a.say("end", end)
	}
	cancel(nil)
	// An error means that the other side has not said goodbye.
	_ = a.conn.Close(farewell(end, err))
	kill()
	_ = raw.Close()
	running.Wait()
	a.flush()
}

// farewell is what a connection is closed with.
func farewell(end ending, err error) (websocket.StatusCode, string) {
	switch {
	case errors.Is(err, errReadOnly):
		return websocket.StatusPolicyViolation, errReadOnly.Error()
	case errors.Is(err, errControl):
		return websocket.StatusUnsupportedData, errControl.Error()
	case refused(err):
		return websocket.StatusPolicyViolation, "the session belongs to another caller now"
	case err != nil:
		return websocket.StatusNormalClosure, ""
	case end.Reason == endShutdown:
		return websocket.StatusGoingAway, end.Text
	case end.Reason == endExited:
		return websocket.StatusNormalClosure, end.Text
	}
	return websocket.StatusPolicyViolation, end.Text
}

// refused reports whether somebody may not type any more.
func refused(err error) bool {
	var e *a2a.Error
	return errors.As(err, &e)
}

// read takes what the other side sends, until it ends.
func (a *attachment) read(ctx context.Context) error {
	for {
		kind, data, err := a.conn.Read(a.life)
		if err == nil && kind == websocket.MessageText {
			err = a.control(ctx, data)
		} else if err == nil {
			err = a.typed(ctx, data)
		}
		if err != nil {
			return err
		}
	}
}

func (a *attachment) control(ctx context.Context, data []byte) error {
	var m struct {
		Type string `json:"type"`
	}
	if json.Unmarshal(data, &m) != nil || m.Type == "" {
		return errControl
	}
	if m.Type != "redraw" {
		return nil
	}
	a.tap.Redraw()
	select { // drawing holds the agent's output up for a moment
	case <-time.After(redrawTime):
	case <-ctx.Done():
	}
	return nil
}

func (a *attachment) typed(ctx context.Context, keys []byte) error {
	if a.hands == nil {
		return errReadOnly
	}
	if keys = a.keys.next(keys); len(keys) == 0 {
		return nil
	}
	return a.hands.Type(ctx, keys)
}

// flush waits until the agent has got the last keys.
func (a *attachment) flush() {
	if a.hands == nil {
		return
	}
	ctx, cancel := context.WithTimeout(a.h.open, flushTime)
	defer cancel()
	_ = a.hands.Flush(ctx) // what it does not take in time is dropped
}

// ping finds out whether the other side is still there.
func (a *attachment) ping(ctx context.Context) error {
	tick := time.NewTicker(a.h.o.Heartbeat)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		within, cancel := context.WithTimeout(a.life, a.h.o.Stall)
		err := a.conn.Ping(within)
		cancel()
		if err != nil {
			return err
		}
	}
}

// resize implements screen.
func (a *attachment) resize(now size) error { return a.say("resize", now) }

// picture implements screen.
func (a *attachment) picture(f *console.Frame) error {
	err := a.say("snapshot", struct {
		about
		Write bool `json:"write"`
	}{describe(a.v, f), a.hands != nil})
	if err != nil {
		return err
	}
	return a.write(websocket.MessageBinary, f.Redraw)
}

// output implements screen.
func (a *attachment) output(f *console.Frame) error { return a.write(websocket.MessageBinary, f.Bytes) }

// beat implements screen: ping has a clock of its own.
func (a *attachment) beat() error { return nil }

// say sends a text message: an object, with its type.
func (a *attachment) say(kind string, what any) error {
	body, err := encode(what)
	if err != nil {
		return err
	}
	return a.write(websocket.MessageText, append([]byte(`{"type":"`+kind+`",`), body[1:]...))
}

func (a *attachment) write(kind websocket.MessageType, data []byte) error {
	ctx, cancel := context.WithTimeout(a.life, a.h.o.Stall)
	defer cancel()
	return a.conn.Write(ctx, kind, data)
}
