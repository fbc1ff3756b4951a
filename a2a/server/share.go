package server

// share is the part of its caller's limits that an exchange holds.
type share struct {
	key string // "" if the exchange is not counted
	held
}

// enter counts the request until release.
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

// reserveBody counts the memory that a body needs so far.
func (x *exchange) reserveBody(n int64) error {
	if n <= x.share.bytes {
		return nil
	}
	return x.reserve(held{bytes: n - x.share.bytes})
}

// release gives everything back. It is called before an answer goes out, since a client
// that has the answer may send its next request at once; for a stream it is called at its
// end.
func (x *exchange) release() {
	answering(x.r.Context())
	h := x.share.held
	if h == (held{}) {
		return
	}
	_ = x.reserve(held{requests: -h.requests, open: -h.open, streams: -h.streams, bytes: -h.bytes}) // always fits
}

// becomeStream counts the request as a stream from now on. Its body is not needed any more.
func (x *exchange) becomeStream() error {
	return x.reserve(held{requests: -x.share.requests, streams: 1, bytes: -x.share.bytes})
}

// beginIfNew calls beginWork if the request asks for new work.
func (x *exchange) beginIfNew() error {
	if !x.asksWork {
		return nil
	}
	return x.beginWork()
}

// beginWork checks whether the caller may begin new work now.
func (x *exchange) beginWork() error {
	if x.share.key == "" {
		return nil
	}
	return x.s.callers.allowWork(x.share.key)
}

// refuseBody marks the body as unwanted: nobody will read it, and the answer does not wait
// for it.
func (x *exchange) refuseBody() {
	if x.r.ContentLength != 0 && x.body == bodyUnread {
		x.body = bodyUnwanted
	}
}
