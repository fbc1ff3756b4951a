package egress

import (
	"io"
	"net"
	"time"
)

// tunnelBuffer is the size of each direction's buffer.
const tunnelBuffer = 32 << 10

// tunnel copies between a client and a target until both have said all, one of them has gone,
// or nothing was said for the idle time.
func (p *Proxy) tunnel(c *client, up *upstream, idle time.Duration) {
	w := newWatch(c, up, idle)
	defer w.end()
	back := make(chan struct{})
	p.work.Go(func() {
		defer close(back)
		w.copy(c, up)
	})
	w.copy(up, c)
	<-back
}

// watch ends a pair of connections on which nothing moves.
type watch struct {
	idle  time.Duration
	timer *time.Timer
	close func()
}

// watch begins to watch. end must follow.
func (p *Proxy) watch(c *client, up *upstream) *watch { return newWatch(c, up, p.o.Idle) }

func newWatch(c *client, up *upstream, idle time.Duration) *watch {
	w := &watch{idle: idle, close: func() {
		_ = up.Close() // whoever reads or writes notices
		_ = c.Close()
	}}
	w.timer = time.AfterFunc(w.idle, w.close)
	return w
}

func (w *watch) end() { w.timer.Stop() }

// moved is told that something was read or written.
func (w *watch) moved() { w.timer.Reset(w.idle) }

// copy copies one direction to its end, and passes the end on.
func (w *watch) copy(dst, src net.Conn) {
	_, err := io.CopyBuffer(w.to(dst), w.from(src), make([]byte, tunnelBuffer))
	if err != nil {
		w.close() // the other direction is of no use alone
		return
	}
	if half, ok := inner(dst).(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // it has gone already, if this fails
		return
	}
	w.close()
}

// inner returns the connection itself.
func inner(c net.Conn) net.Conn {
	switch c := c.(type) {
	case *client:
		return c.Conn
	case *upstream:
		return c.Conn
	}
	return c
}

// to and from tell the watch of what is written and read.
func (w *watch) to(dst io.Writer) io.Writer   { return watched{w: w, dst: dst} }
func (w *watch) from(src io.Reader) io.Reader { return watched{w: w, src: src} }

type watched struct {
	w   *watch
	dst io.Writer
	src io.Reader
}

func (x watched) Read(b []byte) (int, error) {
	n, err := x.src.Read(b)
	x.w.moved()
	return n, err
}

func (x watched) Write(b []byte) (int, error) {
	n, err := x.dst.Write(b)
	x.w.moved()
	return n, err
}
