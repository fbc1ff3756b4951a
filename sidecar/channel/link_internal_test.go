package channel

import (
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// connected is both ends of a connection.
func connected(t *testing.T) (near, far *net.UnixConn) {
	t.Helper()
	ln, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	one, err := net.Dial("unix", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { one.Close() })
	other, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	return one.(*net.UnixConn), other.(*net.UnixConn)
}

// A peer that reads nothing is cut off when some frames, or some megabytes, wait for
// it: no sooner, and not much later for what the socket itself takes.
func TestQueueOfAPeerThatReadsNothing(t *testing.T) {
	for name, c := range map[string]struct{ text, least, most int }{
		"short frames": {1, 256, 1200},
		"long frames":  {256 << 10, 12, 32},
	} {
		t.Run(name, func(t *testing.T) {
			near, _ := connected(t)
			l := newLink(near, false, MaxCalls)
			defer l.writer.Wait()
			defer l.kill()
			var err error
			sent, text := 0, strings.Repeat("x", c.text)
			for ; err == nil && sent <= c.most; sent++ {
				err = l.notify("task/status", statusParams{Text: text})
			}
			if sent < c.least || sent > c.most || !errors.Is(err, ErrLost) {
				t.Errorf("after %d frames: %v, want between %d and %d", sent, err, c.least, c.most)
			}
		})
	}
}

// patience is a connection that tells for how long its ends are waited for.
type patience struct {
	net.Conn
	read, write chan time.Duration
}

func patient(nc net.Conn) *patience {
	return &patience{nc, make(chan time.Duration, 16), make(chan time.Duration, 16)}
}

func (p *patience) SetReadDeadline(at time.Time) error {
	p.read <- time.Until(at)
	return p.Conn.SetReadDeadline(at)
}

func (p *patience) SetWriteDeadline(at time.Time) error {
	p.write <- time.Until(at)
	return p.Conn.SetWriteDeadline(at)
}

// isAbout reports whether a time is what was meant, less what a busy machine took.
func isAbout(got, meant time.Duration) bool { return got <= meant && got > meant/2 }

// Who has not said initialize after ten seconds, or reads nothing of a frame for
// thirty, is waited for no longer.
func TestPatience(t *testing.T) {
	s, err := Listen(Options{RuntimeDir: t.TempDir(), UID: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	near, far := connected(t)
	c, p := newConn(s, near, peer{}, 0), patient(near)
	c.link.nc = p
	s.strangers[0]++
	go c.run()
	if got := await.One(t, p.read, "the read's deadline"); !isAbout(got, 10*time.Second) {
		t.Errorf("a stranger may say nothing for %v", got)
	}
	far.Close()
	await.One(t, c.ended, "the end")

	near, far = connected(t)
	l, p := newLink(near, false, MaxCalls), patient(near)
	l.nc = p
	if err := l.notify("task/status", statusParams{Text: strings.Repeat("x", 900<<10)}); err != nil { // more than the socket takes
		t.Fatal(err)
	}
	if got := await.One(t, p.write, "the write's deadline"); !isAbout(got, 30*time.Second) {
		t.Errorf("a peer may read nothing for %v", got)
	}
	far.Close()
	l.writer.Wait()
}

// Only the sidecar says why a connection ends. What an agent once said of no request
// is not why its connection is lost later.
func TestLostConnectionOfAnAgent(t *testing.T) {
	for patient, want := range map[bool]error{false: ErrLost, true: ErrBusy} {
		near, _ := connected(t)
		l := newLink(near, patient, MaxCalls)
		m, fault := parseMessage([]byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32004,"message":"busy"}}`))
		if fault != nil {
			t.Fatal(fault)
		}
		l.settle(m)
		l.kill()
		l.abandon()
		if _, err := l.start(methodInitialize, nil); !errors.Is(err, want) {
			t.Errorf("patient %v: %v, want %v", patient, err, want)
		}
		l.writer.Wait()
	}
}
