package server

import (
	"errors"
	"io"
	"time"
)

const (
	// maxSkip is the length in bytes of the longest unwanted body after which a connection
	// is kept.
	maxSkip = 256 << 10
	// drainTimes limits how much of an unwanted body is read and discarded, as a multiple
	// of MaxBody, so that a client that first sends and then reads gets its answer.
	drainTimes = 16
)

// bodyState is the state of a request's body.
type bodyState uint8

const (
	bodyUnread   bodyState = iota // nothing of it has been read
	bodyRead                      // it has been read completely
	bodyUnwanted                  // it was refused while the client still sends it
	bodyLate                      // it stopped arriving
)

// skipBody handles a body that nobody has read when the answer begins. It reads and
// discards a short one; after a longer one the connection ends with the answer. net/http
// would do the same, but wait for the body forever.
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

// leaveBody ends an exchange whose body was not read completely. It discards for a while
// what the client still sends: if the connection were closed at once, the client would lose
// the answer. It does not wait for a client that asked first (Expect), which sends nothing,
// or for one that was too slow.
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
