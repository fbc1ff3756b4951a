package server

import (
	"errors"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// Observer is told what passes through a Server. Its methods are called from
// many goroutines at once, some of them with every event: they must be quick
// and must not block.
type Observer interface {
	// Began comes with every request, before it is looked at. Answered follows
	// when the request is over, a stream's when it has ended.
	Began()
	Answered(Observation)
	// StreamBegan and StreamEnded come in pairs around every stream of events.
	StreamBegan()
	StreamEnded()
	// Received and Sent count bytes of bodies, events included, as they pass.
	Received(n int)
	Sent(n int)
}

// Observation is one request, as it ended. Its texts come from short fixed
// lists, never from the request.
type Observation struct {
	// Operation is a method's name as 1.0 has it, one of those that HTTP adds
	// (AgentCard, ListTools, CallTool, Health, Metrics), or "" where the request
	// was refused before it meant one.
	Operation string
	// Binding is "jsonrpc", "rest" or, where the protocol plays no part, "http".
	Binding string
	// Version is the dialect of the answer, "" where the protocol plays no part.
	Version a2a.Version
	// Status is the HTTP status. For an error of JSON-RPC it is the one that the
	// error has over REST, although most go out with 200; 499 stands for a
	// client that did not wait for its answer.
	Status int
	// Duration is from the header's arrival to the end of the answer.
	Duration time.Duration
}

// The bindings, as an Observation names them.
const (
	BindingJSONRPC = "jsonrpc"
	BindingREST    = "rest"
	BindingHTTP    = "http"
)

// statusGone is for a client that went away before its answer began.
const statusGone = 499

// observed is what the observer is told of an exchange, as it comes to be known.
type observed struct {
	began   time.Time
	name    string // of the operation
	binding string // "": HTTP, unless it is JSON-RPC
	status  int
}

// observe begins the observation of an exchange; what it returns ends it.
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

// observeStream tells of a stream; what it returns tells of its end.
func (x *exchange) observeStream() func() {
	o := x.s.opts.Observer
	if o == nil {
		return func() {}
	}
	o.StreamBegan()
	return o.StreamEnded
}

// noteStatus notes what an answer's status means; the first counts.
func (x *exchange) noteStatus(status int) {
	if x.seen.status == 0 {
		x.seen.status = status
	}
}

// noteFailure notes what an error's answer means. One that nobody named is ours,
// unless the client went away: then it is what came of that.
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
