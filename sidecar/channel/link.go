package channel

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// link is one end of a connection. It writes frames in order, and matches responses
// to our requests. Both ends of the channel use it.
type link struct {
	nc net.Conn
	// A patient end waits for room in the queue. An end that is not patient cuts off
	// a peer that lets the queue fill up.
	patient  bool
	maxCalls int

	// turn is the turn at writing. It is held only as long as a write that never
	// waits.
	turn   sync.Mutex
	raw    syscall.RawConn // of nc
	out    chan []byte     // a nil frame ends the link once all frames before it are written
	queued atomic.Int64    // bytes that the writer still has to write
	dead   chan struct{}
	die    sync.Once
	writer sync.WaitGroup

	mu      sync.Mutex
	lastID  uint64
	pending map[uint64]*flight
	ended   bool     // nobody reads responses any more
	parting *message // an error without an id: why the sidecar ends the connection
}

func newLink(nc socket, patient bool, maxCalls int) *link {
	raw, err := nc.SyscallConn()
	if err != nil { // this fails only if nc was never connected
		panic(err)
	}
	l := &link{
		nc: nc, raw: raw, patient: patient, maxCalls: maxCalls,
		out: make(chan []byte, QueueFrames), dead: make(chan struct{}), pending: make(map[uint64]*flight),
	}
	l.writer.Go(l.write)
	return l
}

// kill ends the link at once. It may be called from any goroutine, any number of
// times. It does not wait.
func (l *link) kill() {
	l.die.Do(func() {
		close(l.dead)
		l.nc.Close()
	})
}

// flush ends the link once all that is queued has been written, or once the time d
// is over, and waits for that.
func (l *link) flush(d time.Duration) {
	if !l.queue(nil) {
		l.kill()
	}
	timer := time.AfterFunc(d, l.kill)
	defer timer.Stop()
	l.writer.Wait()
}

// write runs in the writer's goroutine.
func (l *link) write() {
	defer l.kill()
	for {
		select {
		case frame := <-l.out:
			if frame == nil {
				return
			}
			l.nc.SetWriteDeadline(time.Now().Add(WriteTime))
			if _, err := l.nc.Write(frame); err != nil {
				l.lastWords(err)
				return
			}
			l.nc.SetWriteDeadline(time.Time{})
			l.queued.Add(-int64(len(frame)))
		case <-l.dead:
			return
		}
	}
}

// lastWords lets the reader of a patient end read what the peer sent before it
// closed, for example the reason. The link ends after that.
func (l *link) lastWords(err error) {
	if l.patient && (errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)) {
		<-l.dead
	}
}

// send queues a frame. An end that is not patient never blocks: a peer that has read
// nothing for so long that the queue is full is cut off.
func (l *link) send(v any) error {
	frame, err := encode(v)
	if err != nil {
		return err
	}
	if !l.queue(frame) {
		l.kill()
		l.mu.Lock()
		defer l.mu.Unlock()
		return l.lost()
	}
	return nil
}

// lost returns why there are no answers any more: the error that the peer has sent,
// if any, else ErrLost. The lock is held.
func (l *link) lost() error {
	if l.parting != nil {
		if _, err := l.parting.answer(); err != nil {
			return err
		}
	}
	return ErrLost
}

// queue writes what the socket takes at once, and leaves the rest to the writer. It
// reports false if the queue is full and the end is not patient, or if the link
// ended while a patient end waited for room.
func (l *link) queue(frame []byte) bool {
	l.turn.Lock()
	if l.queued.Load() == 0 {
		sent := l.writeNow(frame)
		if sent > 0 && sent == len(frame) {
			l.turn.Unlock()
			return true
		}
		frame = frame[sent:]
	}
	// From here on only the writer writes, until it has caught up.
	n := l.queued.Add(int64(len(frame)))
	select {
	case l.out <- frame:
		l.turn.Unlock()
		return n <= QueueBytes || l.patient
	default:
		l.turn.Unlock()
	}
	if !l.patient {
		return false
	}
	select {
	case l.out <- frame:
		return true
	case <-l.dead:
		return false
	}
}

// writeNow writes what the socket takes without waiting. If that fails, the writer
// finds the error.
func (l *link) writeNow(frame []byte) (n int) {
	if len(frame) == 0 { // the end, which waits for all frames before it
		return 0
	}
	return writeOnce(l.raw, frame)
}

// writeOnce writes what a socket takes at once, and returns how many bytes that was.
func writeOnce(raw syscall.RawConn, frame []byte) (n int) {
	// An error means that the connection has ended.
	_ = raw.Write(func(fd uintptr) bool {
		n, _ = syscall.Write(int(fd), frame)
		return true
	})
	return max(n, 0)
}

// notify sends a notification, which needs no answer.
func (l *link) notify(method string, params any) error {
	return l.send(request{Version: "2.0", Method: method, Params: params})
}

// hint sends a notification that may be left out: it is, if much waits to be written
// already, or if it is too long for a frame.
func (l *link) hint(method string, params any) {
	if !l.crowded() {
		_ = l.notify(method, params) // nobody waits for it
	}
}

// crowded reports whether much waits to be written already.
func (l *link) crowded() bool { return l.queued.Load() > hintBytes || len(l.out) > hintFrames }

// flight is a request of ours that waits for its response.
type flight struct {
	l    *link
	id   uint64
	done chan struct{}               // closed when the response comes, or when the link ends
	heed func(event json.RawMessage) // gets the progress of a call, nil for nobody
	resp *message                    // nil if the link ended first
}

// start sends a request.
func (l *link) start(method string, params any) (*flight, error) {
	return l.startHeeding(method, params, nil)
}

// startHeeding sends a request. heed gets the progress that the other end reports.
func (l *link) startHeeding(method string, params any, heed func(event json.RawMessage)) (*flight, error) {
	f := &flight{l: l, done: make(chan struct{}), heed: heed}
	l.mu.Lock()
	switch {
	case l.ended:
		defer l.mu.Unlock()
		return nil, l.lost()
	case len(l.pending) >= l.maxCalls:
		l.mu.Unlock()
		return nil, ErrBusy
	}
	l.lastID++
	f.id = l.lastID
	l.pending[f.id] = f
	l.mu.Unlock()
	if err := l.send(request{Version: "2.0", ID: &f.id, Method: method, Params: params}); err != nil {
		f.forget()
		return nil, err
	}
	return f, nil
}

// result returns the response. It may be called once done is closed.
func (f *flight) result() (json.RawMessage, error) {
	if f.resp == nil {
		f.l.mu.Lock()
		defer f.l.mu.Unlock()
		return nil, f.l.lost()
	}
	return f.resp.answer()
}

// forget drops a request whose response is not wanted any more.
func (f *flight) forget() {
	f.l.mu.Lock()
	defer f.l.mu.Unlock()
	delete(f.l.pending, f.id)
}

// call sends a request and waits for the result.
func (l *link) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	f, err := l.start(method, params)
	if err != nil {
		return nil, err
	}
	select {
	case <-f.done:
		return f.result()
	case <-ctx.Done():
		f.forget()
		return nil, context.Cause(ctx)
	}
}

func (m *message) answer() (json.RawMessage, error) {
	if m.fault != nil && string(m.fault) != "null" {
		return nil, asError(m.fault)
	}
	return m.result, nil
}

// settle gives a response to the call that waits for it, if any still does. An error
// without an id goes to all calls; if the sidecar sent it, it is the reason why the
// sidecar ends the connection.
func (l *link) settle(m *message) {
	id, ok := m.number()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !ok && m.fault != nil {
		if l.patient { // the agent's end
			l.parting = m
		}
		for id, f := range l.pending {
			delete(l.pending, id)
			f.resp = m
			close(f.done)
		}
		return
	}
	if !ok {
		return
	}
	if f := l.pending[id]; f != nil {
		delete(l.pending, id)
		f.resp = m
		close(f.done)
	}
}

// abandon ends the requests that have no response, because the reader has ended.
func (l *link) abandon() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	for id, f := range l.pending {
		delete(l.pending, id)
		close(f.done)
	}
}

// reply answers m, unless m is a notification. If the result is too long, the answer
// is ErrFrame; if the id alone is, it has none. A result that is no JSON is an internal
// error.
func (l *link) reply(m *message, result any, err error) {
	if m.notification() {
		return
	}
	r := response{Version: "2.0", ID: m.id, Result: result}
	if err != nil {
		r.Result, r.Error = nil, asWire(err)
	}
	err = l.send(r)
	if err == nil || errors.Is(err, ErrLost) {
		return
	}
	if len(m.id) > MaxFrame/2 {
		m = nil
	}
	l.refuse(m, asFault(err))
}

// refuse answers a frame that could not be read, with the id of m if it has one.
func (l *link) refuse(m *message, err *Error) {
	id := json.RawMessage("null")
	if m != nil && m.id != nil {
		id = m.id
	}
	l.send(response{Version: "2.0", ID: id, Error: asWire(err)})
}
