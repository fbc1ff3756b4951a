package server

import (
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

const (
	// bodyRate is what a body must come at on average after its first
	// StallTimeout, in bytes a second.
	bodyRate = 64 << 10
	// firstRead bounds what is allocated before anything has come.
	firstRead = 64 << 10
)

// readBody reads the whole body within MaxBody and at a decent rate.
func (x *exchange) readBody() ([]byte, error) {
	limit := x.s.opts.MaxBody
	if x.r.ContentLength > limit {
		x.body = bodyUnwanted
		return nil, x.bodyTooLarge()
	}
	paced := &pacedBody{x: x, pace: bodyPace{rc: &x.stall.rc, start: time.Now(), grace: x.s.opts.StallTimeout}}
	body, err := x.decoded(paced)
	if err != nil {
		x.body = bodyUnwanted
		return nil, err
	}
	defer paced.pace.done()
	size := x.r.ContentLength
	if size < 0 {
		size = 512
	}
	buf := make([]byte, 0, min(size, firstRead)+1)
	for {
		if len(buf) == cap(buf) {
			buf = grown(buf, limit)
		}
		if err := x.reserveBody(int64(cap(buf))); err != nil {
			x.body = bodyUnwanted
			return nil, err
		}
		n, err := body.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case int64(len(buf)) > limit:
			x.body = bodyUnwanted
			return nil, x.bodyTooLarge()
		case errors.Is(err, io.EOF):
			x.body = bodyRead
			return buf, nil
		case err != nil:
			x.body = paced.after(err)
			return nil, bodyError(err)
		}
	}
}

// pacedBody is a request's body as it comes over the connection.
type pacedBody struct {
	x    *exchange
	pace bodyPace
	n    int64
	err  error
}

// Read implements io.Reader. What is packed may be no longer than what is not.
func (b *pacedBody) Read(p []byte) (int, error) {
	b.pace.arm(int(b.n))
	n, err := b.x.r.Body.Read(p)
	b.n += int64(n)
	b.x.received(n)
	if err != nil {
		b.err = err
	} else if b.n > b.x.s.opts.MaxBody {
		err = b.x.bodyTooLarge()
	}
	return n, err
}

// after says what has become of the body when reading ended with err.
func (b *pacedBody) after(err error) bodyState {
	switch {
	case errors.Is(b.err, io.EOF):
		return bodyRead // but it makes no sense
	case b.err != nil:
		return bodyLate
	}
	return bodyUnwanted
}

// grown returns buf with twice the room, and no more than shows that the limit
// was passed.
func grown(buf []byte, limit int64) []byte {
	more := make([]byte, len(buf), min(2*int64(cap(buf)), limit+1))
	copy(more, buf)
	return more
}

func (x *exchange) bodyTooLarge() error {
	return errBodyTooLarge.With("the body is larger than %d bytes", x.s.opts.MaxBody)
}

func bodyError(err error) error {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return errBodyTimeout
	}
	var known *a2a.Error
	if errors.As(err, &known) {
		return known
	}
	return a2a.ErrInvalidRequest.With("the body broke off: %v", err)
}

// bodyPace moves the read deadline on as a body comes.
type bodyPace struct {
	rc    *http.ResponseController
	start time.Time
	grace time.Duration
	armed time.Time
}

// arm lets n bytes have taken the grace and their time at bodyRate.
func (p *bodyPace) arm(n int) {
	deadline := p.start.Add(p.grace + time.Duration(n)*time.Second/bodyRate)
	if deadline.Sub(p.armed) < time.Second/4 {
		return
	}
	p.armed = deadline
	_ = p.rc.SetReadDeadline(deadline) // a writer without deadlines is a test's
}

// done takes the deadline away: it would pass for a client that went away.
func (p *bodyPace) done() {
	_ = p.rc.SetReadDeadline(time.Time{})
}
