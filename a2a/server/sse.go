package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

const (
	// heartbeat is a comment: clients skip it (WHATWG HTML §9.2.6).
	heartbeat = ": \n\n"

	// resumeGrace is how long the header of a resumed stream waits for an event. The next
	// event may be far away, and the client should know soon that it is connected.
	resumeGrace = 100 * time.Millisecond

	// keepFrames is the size of the largest buffer that is kept for the next stream, in
	// bytes. A batch is up to about 128 KiB of frames.
	keepFrames = 256 << 10
)

// errUnsent says that a comment could not be sent: the client is gone or does not read.
var errUnsent = errors.New("the client takes no more")

// errCutOff is sent to a subscriber that read too slowly.
var errCutOff = a2a.ErrUnavailable.With("the stream was cut off because it was read too slowly: subscribe again")

// errNothingLeft is sent to a subscriber whose Last-Event-ID is the ID of the task's last
// event.
var errNothingLeft = a2a.ErrUnsupportedOperation.With("the task has ended and nothing came after %s: get it instead", a2a.HeaderLastEventID)

// serveStream opens a stream and passes it on until it ends, the client goes
// away or stalls, or the server ends its streams. It stops no task.
func (x *exchange) serveStream(op operation, in input) {
	ctx, cancel := context.WithCancel(x.ctx)
	defer cancel()
	defer context.AfterFunc(x.s.stopping, cancel)()

	if err := x.becomeStream(); err != nil {
		x.fail(err)
		return
	}
	st, err := op.stream(x, ctx, in)
	if err != nil {
		x.fail(err)
		return
	}
	st = x.guard(st)
	defer st.Close()
	defer x.observeStream()()
	out := x.newSSEWriter()
	defer out.release()
	if x.after > 0 {
		out.heartbeatWithin(resumeGrace)
	}
	x.pump(ctx, st, out, op.message)
}

// pump copies events from st to out. If pauses is set, the stream also ends when its task
// waits for the client (§3.1.2), else only with the task (§3.1.6).
func (x *exchange) pump(ctx context.Context, st a2a.Stream, out *sseWriter, pauses bool) {
	for {
		events, err := out.next(ctx, st)
		ended := false
		for _, e := range events {
			ended = e.Ends(pauses)
			out.event(e, ended)
			if ended {
				break
			}
		}
		if out.flush() != nil || ended {
			return
		}
		if errors.Is(err, io.EOF) {
			x.endEmpty()
			return
		}
		if err != nil {
			x.breakStream(ctx, out, err)
			return
		}
	}
}

// endEmpty answers a client that reconnected and already had every event. After a stream
// without an event it would reconnect again: a browser's EventSource does so forever.
func (x *exchange) endEmpty() {
	if !x.started {
		x.fail(errNothingLeft)
	}
}

// breakStream ends a stream for any reason but its last event.
func (x *exchange) breakStream(ctx context.Context, out *sseWriter, err error) {
	if ctx.Err() != nil || errors.Is(err, errUnsent) {
		return // the client is gone, or the server ends
	}
	if errors.Is(err, a2a.ErrStalled) {
		err = errCutOff
	}
	if !x.started {
		x.fail(err)
		return
	}
	out.errorEvent(x.fault(err))
	_ = out.flush() // the stream ends in any case
}

// failStream answers a JSON-RPC request for a stream with one event, the error: clients of
// either version that expect a stream read the code of an error only from an event.
func (x *exchange) failStream(e *a2a.Error) {
	out := x.newSSEWriter()
	defer out.release()
	out.errorEvent(e)
	x.streamHeader()
	x.write(http.StatusOK, a2a.TypeSSE, *out.buf)
}

// sseWriter writes server-sent events: what was added since the last flush goes
// out in one write.
type sseWriter struct {
	x      *exchange
	buf    *[]byte
	prefix string // the beginning of every event's data
	suffix string
	wrote  time.Time
	// until limits the waits for events, so that heartbeats are sent in time. One context
	// is used for many waits.
	until context.Context
	end   context.CancelFunc
	asked bool // the client sends no more, and a comment has been sent since
}

func (x *exchange) newSSEWriter() *sseWriter {
	out := &sseWriter{x: x, prefix: "data: ", suffix: "\n\n", wrote: time.Now(), end: func() {}}
	if x.rpc {
		out.prefix += rpcPrefix + string(x.rpcID()) + rpcResult
		out.suffix = "}\n\n"
	}
	if b, ok := x.s.frames.Get().(*[]byte); ok {
		out.buf = b
	} else {
		out.buf = new([]byte)
	}
	return out
}

// release ends the writer; it must not be used any more.
func (o *sseWriter) release() {
	o.end()
	if cap(*o.buf) <= keepFrames {
		*o.buf = (*o.buf)[:0]
		o.x.s.frames.Put(o.buf)
	}
}

// next waits for events and sends a comment whenever nothing was sent for the
// heartbeat interval.
func (o *sseWriter) next(ctx context.Context, st a2a.Stream) ([]*a2a.Event, error) {
	for {
		if o.until == nil || o.until.Err() != nil {
			o.renewWait(ctx)
		}
		events, err := st.Next(o.until)
		quiet := o.until.Err() != nil && ctx.Err() == nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled))
		if !quiet || len(events) > 0 {
			return events, err
		}
		if !o.mustProbe() && time.Since(o.wrote) < o.x.s.opts.Heartbeat {
			continue // something was sent since the wait was set
		}
		*o.buf = append(*o.buf, heartbeat...)
		if err := o.flush(); err != nil {
			return nil, fmt.Errorf("%w: %w", errUnsent, err)
		}
	}
}

// renewWait sets when the next waits for events end: when a comment is due, or when the
// client sends no more.
func (o *sseWriter) renewWait(ctx context.Context) {
	o.end()
	until, end := context.WithDeadline(ctx, o.wrote.Add(o.x.s.opts.Heartbeat))
	o.until, o.end = until, end
	if !o.asked {
		unwatch := context.AfterFunc(o.x.r.Context(), end)
		o.end = func() { unwatch(); end() }
	}
}

// mustProbe reports whether the client has begun to send no more: a comment now
// shows whether it is gone (presence.go).
func (o *sseWriter) mustProbe() bool {
	if o.asked || o.x.r.Context().Err() == nil {
		return false
	}
	o.asked = true
	return true
}

// heartbeatWithin makes the first comment due after d, if nothing else is sent before.
func (o *sseWriter) heartbeatWithin(d time.Duration) {
	if every := o.x.s.opts.Heartbeat; d < every {
		o.wrote = o.wrote.Add(d - every)
	}
}

// event adds an event with its id. Its frame was encoded once for all subscribers; only the
// request's id differs between them.
func (o *sseWriter) event(e *a2a.Event, last bool) {
	b := *o.buf
	if e.ID != 0 || e.Task != nil { // a new task's is 0: its stream begins anew
		b = append(b, "id: "...)
		b = strconv.AppendUint(b, e.ID, 10)
		b = append(b, '\n')
	}
	b = append(b, o.prefix...)
	b = append(b, o.x.codec.EncodeEvent(e, last)...)
	*o.buf = append(b, o.suffix...)
}

// errorEvent adds an error event. Over REST it has an event name of its own, by which the
// JavaScript client recognizes it.
func (o *sseWriter) errorEvent(e *a2a.Error) {
	b := *o.buf
	if o.x.rpc {
		b = append(b, "data: "+rpcPrefix...)
		b = append(b, o.x.rpcID()...)
		b = append(b, rpcError...)
		b = append(b, o.x.codec.ErrorObject(e)...)
		b = append(b, '}')
	} else {
		b = append(b, "event: error\ndata: "...)
		b = append(b, o.x.codec.EncodeRESTError(e)...)
	}
	*o.buf = append(b, "\n\n"...)
}

// flush sends what was added. It fails if the client is gone or has stalled.
func (o *sseWriter) flush() error {
	if len(*o.buf) == 0 {
		return nil
	}
	if !o.x.started {
		o.header()
	}
	o.x.stall.arm()
	err := o.x.writePart(*o.buf)
	*o.buf = (*o.buf)[:0]
	if err == nil {
		err = o.x.stall.rc.Flush()
	}
	o.wrote = time.Now()
	return err
}

func (o *sseWriter) header() {
	o.x.streamHeader()
	o.x.w.Header().Set("Content-Type", a2a.TypeSSE)
	o.x.start(http.StatusOK)
}

// streamHeader sets the headers that keep proxies from holding events back.
func (x *exchange) streamHeader() {
	h := x.w.Header()
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no") // nginx would
}
