package server

import (
	"errors"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Observer observes the traffic of a Server. Its methods are called from many goroutines at
// once, some of them for every event: they must be fast and must not block.
type Observer interface {
	// Began is called for every request before it is examined. Answered is called after the
	// request is over; for a stream, after it has ended.
	Began()
	Answered(Observation)
	// StreamBegan and StreamEnded are called in pairs around every stream of events.
	StreamBegan()
	StreamEnded()
	// Received and Sent count bytes of bodies, events included, as they pass.
	Received(n int)
	Sent(n int)
}

// Observation describes one request after it ended. Its texts come from short fixed lists,
// never from the request.
type Observation struct {
	// Operation is a method's name as 1.0 has it, one of those that HTTP adds (AgentCard,
	// ListTools, SearchTools, CallTool, Health, Metrics), or "" if the request was refused before its
	// operation was known.
	Operation string
	// Binding is "jsonrpc", "rest" or, if the protocol is not involved, "http".
	Binding string
	// Version is the dialect of the answer, "" if the protocol is not involved.
	Version a2a.Version
	// Status is the HTTP status. For an error of JSON-RPC it is the one that the
	// error has over REST, although most go out with 200; 499 stands for a
	// client that did not wait for its answer.
	Status int
	// Duration is the time from the arrival of the header to the end of the answer.
	Duration time.Duration
}

// The names of the bindings in an Observation.
const (
	BindingJSONRPC = "jsonrpc"
	BindingREST    = "rest"
	BindingHTTP    = "http"
)

// statusGone is for a client that went away before its answer began.
const statusGone = 499

// observed collects what the observer is told about an exchange.
type observed struct {
	began   time.Time
	name    string // of the operation
	binding string // "": HTTP, unless it is JSON-RPC
	status  int
}

// observe begins the observation of an exchange and returns a function that ends it.
func (x *exchange) observe() func() {
	o := x.s.opts.Observer
	if o == nil {
		return func() {}
	}
	x.seen.began = time.Now()
	o.Began()
	return func() {
		if x.seen.status == 0 {
			x.seen.status = statusGone
		}
		a := Observation{Operation: x.seen.name, Binding: x.binding(), Status: x.seen.status, Duration: time.Since(x.seen.began)}
		if a.Binding != BindingHTTP {
			a.Version = x.codec.Version()
		}
		o.Answered(a)
	}
}

func (x *exchange) binding() string {
	switch {
	case x.rpc:
		return BindingJSONRPC
	case x.seen.binding != "":
		return x.seen.binding
	}
	return BindingHTTP
}

// observeStream reports the begin of a stream and returns a function that reports its end.
func (x *exchange) observeStream() func() {
	o := x.s.opts.Observer
	if o == nil {
		return func() {}
	}
	o.StreamBegan()
	return o.StreamEnded
}

// noteStatus records the status of an answer. Only the first one counts.
func (x *exchange) noteStatus(status int) {
	if x.seen.status == 0 {
		x.seen.status = status
	}
}

// noteFailure records the status of an error. An unknown error is an internal one, unless
// the client went away: then it is a result of that.
func (x *exchange) noteFailure(err error, e *a2a.Error) {
	var known *a2a.Error
	if !errors.As(err, &known) && x.ctx.Err() != nil {
		x.noteStatus(statusGone)
		return
	}
	x.noteStatus(e.HTTP)
}

func (x *exchange) received(n int) {
	if o := x.s.opts.Observer; o != nil && n > 0 {
		o.Received(n)
	}
}

func (x *exchange) sent(n int) {
	if o := x.s.opts.Observer; o != nil && n > 0 {
		o.Sent(n)
	}
}
