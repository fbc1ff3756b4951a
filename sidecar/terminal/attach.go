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
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

const (
	// maxMessage is the longest message that is accepted, in bytes.
	maxMessage = 64 << 10
	// closeTime is how long the other side may take to close the connection.
	closeTime = 500 * time.Millisecond
	// redrawTime is the shortest time between two redraws that a viewer asks for.
	redrawTime = 50 * time.Millisecond
	// flushTime is how long typed keys wait for the agent after the connection has
	// ended.
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
//	binary    keys. Answers that a terminal sends by itself to the agent's queries
//	          are left out: the agent has got its answers already
//
// and always {"type":"redraw"}, which asks for a new snapshot. Other types are
// ignored: the viewer's size does not change the agent's.
func (h *Handlers) attach(w http.ResponseWriter, r *http.Request, id server.Identity, v *turn.View) error {
	if err := h.checkUpgrade(r); err != nil {
		return err
	}
	a := &attachment{h: h, v: v}
	if write, err := strconv.ParseBool(r.URL.Query().Get("write")); err == nil && write {
		if a.input, err = h.input(r.Context(), v); err != nil {
			return err
		}
		defer a.input.Leave()
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

// input gives the caller of a request the right to type, or says why not.
func (h *Handlers) input(ctx context.Context, v *turn.View) (*turn.Input, error) {
	if h.o.Keys != nil {
		if err := h.o.Keys(ctx); err != nil {
			return nil, err
		}
	}
	return v.Input()
}

// origins returns the hosts, besides the server's own, whose pages may connect.
func (h *Handlers) origins() []string {
	if h.o.PublicHost == "" {
		return nil
	}
	return []string{h.o.PublicHost}
}

// checkUpgrade refuses a request that is not a WebSocket's, and web pages of other
// hosts: the browsers' same-origin policy does not cover WebSockets.
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

// taker keeps the connection that a WebSocket has taken over. Closing that
// connection is the only way to end it that never waits.
type taker struct {
	http.ResponseWriter
	conn net.Conn
}

func (t *taker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	t.conn = conn
	return conn, rw, err
}

// attachment is one WebSocket connection. It is also a screen.
type attachment struct {
	h     *Handlers
	v     *turn.View
	conn  *websocket.Conn
	input *turn.Input // nil if the caller may not type
	tap   *console.Tap
	life  context.Context // the context of the connection; its end cuts the connection off
	keys  answerFilter
}

// These errors close a connection whose client sent something wrong.
var (
	errReadOnly = errors.New("read-only: attach with ?write=true to type")
	errControl  = errors.New("a text message is JSON with a type")
)

// serve runs the connection until it ends. After the end of ctx the connection has
// closeTime left.
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
	// An error means that the other side has not answered the close.
	_ = a.conn.Close(farewell(end, err))
	kill()
	_ = raw.Close()
	running.Wait()
	a.flush()
}

// farewell returns the status and reason that a connection is closed with.
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

// refused reports whether err means that the caller may not type any more.
func refused(err error) bool {
	var e *a2a.Error
	return errors.As(err, &e)
}

// read handles the messages of the other side until the connection ends.
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
	select { // drawing stops the agent's output for a moment
	case <-time.After(redrawTime):
	case <-ctx.Done():
	}
	return nil
}

func (a *attachment) typed(ctx context.Context, keys []byte) error {
	if a.input == nil {
		return errReadOnly
	}
	if keys = a.keys.next(keys); len(keys) == 0 {
		return nil
	}
	return a.input.Type(ctx, keys)
}

// flush waits until the agent has received the last keys.
func (a *attachment) flush() {
	if a.input == nil {
		return
	}
	ctx, cancel := context.WithTimeout(a.h.open, flushTime)
	defer cancel()
	_ = a.input.Flush(ctx) // keys that the agent does not take in time are dropped
}

// ping checks regularly that the other side is still there.
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
	}{describe(a.v, f), a.input != nil})
	if err != nil {
		return err
	}
	return a.write(websocket.MessageBinary, f.Redraw)
}

// output implements screen.
func (a *attachment) output(f *console.Frame) error { return a.write(websocket.MessageBinary, f.Bytes) }

// beat implements screen. It does nothing, because ping has a timer of its own.
func (a *attachment) beat() error { return nil }

// say sends a text message: what as a JSON object, with kind as its type.
func (a *attachment) say(kind string, what any) error {
	body, err := text.JSON(what)
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
