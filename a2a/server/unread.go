package server

import (
	"errors"
	"io"
	"time"
)

const (
	// maxSkip is the longest unwanted body that a connection is kept for.
	maxSkip = 256 << 10
	// drainTimes is how many times MaxBody of an unwanted body are read and
	// thrown away, so that a client that first sends and then reads gets to
	// its answer.
	drainTimes = 16
)

// bodyState says what has become of a request's body.
type bodyState uint8

const (
	bodyUnread   bodyState = iota // nothing of it has been read
	bodyRead                      // it is off the connection
	bodyUnwanted                  // it is refused while the client still sends
	bodyLate                      // it stopped coming
)

// skipBody deals with a body that nobody has read when the answer begins. A
// short one is taken off the connection, else the connection ends with the
// answer. net/http would do the same, but wait for the body for ever.
func (x *exchange) skipBody() {
	if x.r.ContentLength == 0 || x.body == bodyRead {
		return
	}
	if x.body == bodyUnread {
		if x.body = x.skipShort(); x.body == bodyRead {
			return
		}
	}
	_ = x.stall.rc.EnableFullDuplex() // answer before the body is in
	x.w.Header().Set("Connection", "close")
}

func (x *exchange) skipShort() bodyState {
	if x.r.ContentLength > maxSkip || x.r.Header.Get("Expect") != "" {
		return bodyUnwanted
	}
	_ = x.stall.rc.SetReadDeadline(time.Now().Add(x.s.opts.StallTimeout))
	_, err := io.CopyN(io.Discard, x.r.Body, maxSkip+1)
	switch {
	case errors.Is(err, io.EOF):
		_ = x.stall.rc.SetReadDeadline(time.Time{})
		return bodyRead
	case err != nil:
		return bodyLate
	}
	return bodyUnwanted
}

// leaveBody ends an exchange whose body is not off the connection. What the
// client still sends is thrown away for a while: closing the connection under it
// would take the answer from it. One that asked first (Expect) sends nothing,
// and one that was too slow has had its time.
func (x *exchange) leaveBody() {
	if x.body != bodyUnwanted && x.body != bodyLate || x.stall.rc.Flush() != nil {
		return
	}
	if x.body == bodyLate || x.r.Header.Get("Expect") != "" {
		_ = x.stall.rc.SetReadDeadline(time.Now()) // net/http would wait for it
		return
	}
	giveUp(x.r.Context())
	_ = x.stall.rc.SetReadDeadline(time.Now().Add(x.s.opts.StallTimeout))
	_, _ = io.CopyN(io.Discard, x.r.Body, drainTimes*x.s.opts.MaxBody) // it is unwanted
}
