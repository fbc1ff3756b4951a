package egress_test

import (
	"bufio"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// public lets every test name one host.
func public(r *rig, _ *egress.Options) { r.names["a.example"] = [][]string{{"8.8.8.8"}} }

// The first connection too many is closed; when one has ended there is room again.
func TestConnectionLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "*", public, func(_ *rig, o *egress.Options) { o.Connections = 2 })
		first, _, _ := r.connected("a.example:443", r.secret())
		second, br, _ := r.connected("a.example:443", r.secret())
		if extra := r.dial(); !gone(extra, time.Second) {
			t.Error("a third connection lives")
		}
		says(t, second, br, "still here")
		first.Close()
		synctest.Wait()
		if _, _, code := r.connected("a.example:443", r.secret()); code != 200 {
			t.Errorf("after one has ended: %d", code)
		}
		r.p.Close()
	})
}

func TestHeadLimit(t *testing.T) {
	r := newRig(t, "*", public, func(_ *rig, o *egress.Options) { o.HeadBytes = 8 << 10 })
	for size, want := range map[int]int{1 << 10: 200, 16 << 10: 431} {
		conn := r.dial()
		go io.WriteString(conn, "CONNECT a.example:443 HTTP/1.1\r\n"+basic(r.secret())+"X: "+strings.Repeat("x", size)+"\r\n\r\n")
		b := make([]byte, 12)
		if _, err := io.ReadFull(conn, b); err != nil || !strings.HasSuffix(string(b), map[int]string{200: "200", 431: "431"}[want]) {
			t.Errorf("a head of %d bytes: %q, %v", size, b, err)
		}
	}
}

// The head's limit does not count what comes after it.
func TestLongTunnel(t *testing.T) {
	r := newRig(t, "*", public, func(_ *rig, o *egress.Options) { o.HeadBytes = 1 << 10 })
	long := strings.Repeat("0123456789abcdef", 4<<10)
	conn, br, _ := r.connected("a.example:443", r.secret())
	says(t, conn, br, long)
	sock, _ := r.sock("a.example", 443, r.secret())
	says(t, sock, sock, long)
	_, _, told := r.seen()
	for _, a := range told {
		if a.Sent != int64(len(long)) || a.Received != a.Sent {
			t.Errorf("told %+v", a)
		}
	}
	if len(told) != 2 {
		t.Errorf("told %+v", told)
	}
}

// A client that does not say what it wants is not waited for, however slowly it speaks.
func TestHeadTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "*", public)
		for _, first := range []string{"", "C", "\x05", "\x05\x01\x02\x01"} {
			conn := r.dial()
			go io.WriteString(conn, first)
			go func() { // what the proxy says
				_, _ = io.Copy(io.Discard, conn)
			}()
			drip := conn
			begun := time.Now()
			for range 100 {
				time.Sleep(egress.DefaultHeadTimeout / 8)
				if _, err := io.WriteString(drip, "\x01"); err != nil {
					break
				}
			}
			if took := time.Since(begun); took > 2*egress.DefaultHeadTimeout {
				t.Errorf("%q: it took %s", first, took)
			}
		}
		r.p.Close()
	})
}

// A tunnel lives as long as something moves in one direction, and ends when nothing does.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "*", public)
		conn, br, _ := r.connected("a.example:443", r.secret())
		for range 5 {
			time.Sleep(egress.DefaultIdle * 3 / 4)
			says(t, conn, br, "alive")
		}
		ends := func(what string, br *bufio.Reader) {
			begun := time.Now()
			_, _ = br.ReadByte()
			if took := time.Since(begun); took != egress.DefaultIdle {
				t.Errorf("%s ended after %s", what, took)
			}
		}
		ends("a tunnel that was used", br)
		_, silent, _ := r.connected("a.example:443", r.secret())
		ends("one that was not", silent)
		r.p.Close()
	})
}

// A client that reads nothing holds up nobody else, and ends when it is idle.
func TestStalledReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		flood := func(r *rig, _ *egress.Options) {
			r.serve = func(conn net.Conn) {
				for {
					if _, err := io.WriteString(conn, strings.Repeat("x", 1<<10)); err != nil {
						return
					}
				}
			}
		}
		r := newRig(t, "*", public, flood)
		stalled, _, _ := r.connected("a.example:443", r.secret())
		_, br, _ := r.connected("a.example:443", r.secret())
		if n, err := io.CopyN(io.Discard, br, 1<<20); err != nil {
			t.Errorf("the other one got %d bytes: %v", n, err)
		}
		time.Sleep(egress.DefaultIdle + time.Second)
		if !gone(stalled, time.Second) {
			t.Error("the stalled one lives")
		}
		r.p.Close()
	})
}

// Close ends what is under way, at each stage; a synctest bubble fails if a goroutine stays.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "*", public)
		silent := r.dial()
		conn, br, _ := r.connected("a.example:443", r.secret())
		says(t, conn, br, "hello")
		sock, _ := r.sock("a.example", 443, r.secret())
		synctest.Wait()
		r.p.Close()
		for _, c := range []net.Conn{silent, conn, sock} {
			if !gone(c, time.Second) {
				t.Error("a connection lives")
			}
		}
		late := newListener()
		r.p.Serve(late)
		if _, err := late.Accept(); err == nil {
			t.Error("it listens after its end")
		}
		if _, _, told := r.seen(); len(told) != 2 {
			t.Errorf("told %+v", told)
		}
	})
}
