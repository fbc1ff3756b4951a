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
	// bodyRate is the average rate at which a body must arrive after its first
	// StallTimeout, in bytes per second.
	bodyRate = 64 << 10
	// firstRead limits what is allocated before anything has arrived, in bytes.
	firstRead = 64 << 10
)

// readBody reads the whole body, which may be at most MaxBody long and must arrive at
// bodyRate.
func (x *exchange) readBody() ([]byte, error) {
	limit := x.s.opts.MaxBody
	if x.r.ContentLength > limit {
		x.body = bodyUnwanted
		return nil, x.bodyTooLarge()
	}
	gzipped, err := x.gzipped()
	if err != nil {
		x.body = bodyUnwanted
		return nil, err
	}
	paced := &pacedBody{x: x, pace: bodyPace{rc: &x.stall.rc, start: time.Now(), grace: x.s.opts.StallTimeout}}
	body := io.Reader(paced)
	if gzipped {
		body = &gzipBody{body: paced}
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

// pacedBody is a request's body as it arrives over the connection.
type pacedBody struct {
	x    *exchange
	pace bodyPace
	n    int64
	err  error
}

// Read implements io.Reader. A compressed body has the same length limit as an uncompressed
// one.
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

// after returns the state of the body after reading ended with err.
func (b *pacedBody) after(err error) bodyState {
	switch {
	case errors.Is(b.err, io.EOF):
		return bodyRead // but it is not valid
	case b.err != nil:
		return bodyLate
	}
	return bodyUnwanted
}

// grown returns buf with twice the capacity, but at most one byte more than the limit,
// which shows that the body is too long.
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

// bodyPace extends the read deadline as a body arrives.
type bodyPace struct {
	rc    *http.ResponseController
	start time.Time
	grace time.Duration
	armed time.Time
}

// arm sets the deadline for n bytes: the grace plus the time that they take at bodyRate.
func (p *bodyPace) arm(n int) {
	deadline := p.start.Add(p.grace + time.Duration(n)*time.Second/bodyRate)
	if deadline.Sub(p.armed) < time.Second/4 {
		return
	}
	p.armed = deadline
	_ = p.rc.SetReadDeadline(deadline) // a writer without deadlines is a test's
}

// done removes the deadline: if it expired, it would look like a client that went away.
func (p *bodyPace) done() {
	_ = p.rc.SetReadDeadline(time.Time{})
}
