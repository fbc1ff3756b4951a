package server

// share is what an exchange holds of its caller's limits.
type share struct {
	key string // "": it is not counted
	held
}

// enter counts the request, until leave.
func (x *exchange) enter() error {
	if x.s.callers == nil {
		return nil
	}
	x.share.key = callerKey(x.r, x.params.Caller)
	return x.reserve(held{requests: 1})
}

// enterOpen counts a request that needs no authentication, until release.
func (x *exchange) enterOpen() error {
	if x.s.callers == nil {
		return nil
	}
	x.share.key = callerKey(x.r, "")
	return x.reserve(held{open: 1})
}

// reserve changes what the exchange holds.
func (x *exchange) reserve(d held) error {
	if x.share.key == "" {
		return nil
	}
	if err := x.s.callers.change(x.share.key, d); err != nil {
		return err
	}
	x.share.add(d)
	return nil
}

// reserveBody counts the memory that a body has come to need.
func (x *exchange) reserveBody(n int64) error {
	if n <= x.share.bytes {
		return nil
	}
	return x.reserve(held{bytes: n - x.share.bytes})
}

// release gives everything back: before an answer goes out, since a client that
// has it may send its next request at once; a stream, at its end.
func (x *exchange) release() {
	answering(x.r.Context())
	h := x.share.held
	if h == (held{}) {
		return
	}
	_ = x.reserve(held{requests: -h.requests, open: -h.open, streams: -h.streams, bytes: -h.bytes}) // always fits
}

// becomeStream makes a stream of the request. Its body is not needed any more.
func (x *exchange) becomeStream() error {
	return x.reserve(held{requests: -x.share.requests, streams: 1, bytes: -x.share.bytes})
}

// beginIfNew is beginWork if the request asks for something new.
func (x *exchange) beginIfNew() error {
	if !x.asksWork {
		return nil
	}
	return x.beginWork()
}

// beginWork takes the caller's leave to begin something new.
func (x *exchange) beginWork() error {
	if x.share.key == "" {
		return nil
	}
	return x.s.callers.allowWork(x.share.key)
}

// refuseBody marks the body as unwanted: nobody is going to read it, and the answer
// does not wait for it.
func (x *exchange) refuseBody() {
	if x.r.ContentLength != 0 && x.body == bodyUnread {
		x.body = bodyUnwanted
	}
}
