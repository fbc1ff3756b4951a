package egress_test

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// rig is a proxy whose listener, names and targets are all in memory.
type rig struct {
	t        testing.TB
	p        *egress.Proxy
	listener *listener

	// names are what the resolver knows; each list is one answer, the last one stays.
	names map[string][][]string
	// serve plays every target.
	serve func(conn net.Conn)
	// down are addresses that refuse connections.
	down map[string]bool

	mu       sync.Mutex
	resolved []string
	dialed   []string
	told     []egress.Attempt
	targets  sync.WaitGroup
}

func newRig(t testing.TB, patterns string, tweak ...func(*rig, *egress.Options)) *rig {
	t.Helper()
	hosts, err := netguard.ParseHosts(strings.Fields(patterns))
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, listener: newListener(), names: map[string][][]string{}, down: map[string]bool{}, serve: echo}
	o := egress.Options{Dialer: &egress.Dialer{Hosts: hosts, Resolve: r.resolve, Connect: r.connect}, Tell: r.tell}
	for _, f := range tweak {
		f(r, &o)
	}
	r.p = egress.New(o)
	r.p.Serve(r.listener)
	t.Cleanup(func() {
		r.p.Close()
		r.targets.Wait()
	})
	return r
}

func (r *rig) resolve(_ context.Context, name string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resolved = append(r.resolved, name)
	answers := r.names[name]
	if len(answers) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	if len(answers) > 1 {
		r.names[name] = answers[1:]
	}
	var all []netip.Addr
	for _, s := range answers[0] {
		all = append(all, netip.MustParseAddr(s))
	}
	return all, nil
}

func (r *rig) connect(_ context.Context, to netip.AddrPort) (net.Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dialed = append(r.dialed, to.String())
	if r.down[to.Addr().String()] {
		return nil, errors.New("connection refused")
	}
	ours, theirs := net.Pipe()
	r.targets.Go(func() {
		defer theirs.Close()
		r.serve(theirs)
	})
	return ours, nil
}

func (r *rig) tell(a egress.Attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.told = append(r.told, a)
}

// seen returns what was resolved, dialed and told, after the proxy was closed.
func (r *rig) seen() (resolved, dialed []string, told []egress.Attempt) {
	r.p.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.resolved, r.dialed, r.told
}

// echo plays a target that says all that it hears.
func echo(conn net.Conn) { _, _ = io.Copy(conn, conn) }

// dial opens a connection to the proxy.
func (r *rig) dial() net.Conn {
	r.t.Helper()
	ours, theirs := net.Pipe()
	select {
	case r.listener.conns <- theirs:
	case <-r.listener.closed:
		r.t.Fatal("the proxy does not listen")
	}
	r.t.Cleanup(func() { ours.Close() })
	return ours
}

// secret is the proxy's, as a program finds it in its environment.
func (r *rig) secret() string { return secretOf(r.t, r.p) }

func secretOf(t testing.TB, p *egress.Proxy) string {
	t.Helper()
	for _, v := range p.Environ() {
		if rest, ok := strings.CutPrefix(v, "http_proxy=http://call:"); ok {
			secret, _, _ := strings.Cut(rest, "@")
			return secret
		}
	}
	t.Fatal("no http_proxy")
	return ""
}

func basic(secret string) string {
	return "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("call:"+secret)) + "\r\n"
}

// connected asks for a tunnel by HTTP and returns the status.
func (r *rig) connected(target, secret string) (net.Conn, *bufio.Reader, int) {
	r.t.Helper()
	conn := r.dial()
	head := "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n"
	if secret != "" {
		head += basic(secret)
	}
	go io.WriteString(conn, head+"\r\n")
	br := bufio.NewReader(conn)
	return conn, br, status(r.t, br)
}

// status reads the head of an answer; the body, if any, is left.
func status(t testing.TB, br *bufio.Reader) int {
	t.Helper()
	line, err := br.ReadString('\n')
	if err != nil {
		t.Fatalf("no answer: %q, %v", line, err)
	}
	var code int
	if _, err := fmt.Sscanf(line, "HTTP/1.1 %d", &code); err != nil {
		t.Fatalf("answer %q", line)
	}
	for {
		h, err := br.ReadString('\n')
		if err != nil {
			t.Fatalf("the head of an answer: %v", err)
		}
		if h == "\r\n" {
			return code
		}
	}
}

// sock asks for a tunnel by SOCKS and returns the reply, -1 if the secret was not taken.
func (r *rig) sock(host string, port uint16, secret string) (net.Conn, int) {
	r.t.Helper()
	conn := r.dial()
	exchange := func(send []byte, n int) []byte {
		r.t.Helper()
		go conn.Write(send)
		b := make([]byte, n)
		if _, err := io.ReadFull(conn, b); err != nil {
			r.t.Fatalf("socks: %v", err)
		}
		return b
	}
	if m := exchange([]byte{5, 2, 0, 2}, 2); m[1] != 2 {
		r.t.Fatalf("method %d", m[1])
	}
	if s := exchange(append([]byte{1, 4, 'c', 'a', 'l', 'l', byte(len(secret))}, secret...), 2); s[1] != 0 {
		return conn, -1
	}
	request := []byte{5, 1, 0}
	if ip, err := netip.ParseAddr(host); err != nil {
		request = append(append(request, 3, byte(len(host))), host...)
	} else if ip.Is4() {
		request = append(append(request, 1), ip.AsSlice()...)
	} else {
		request = append(append(request, 4), ip.AsSlice()...)
	}
	return conn, int(exchange(append(request, byte(port>>8), byte(port)), 10)[1])
}

// says writes a text and reads as much back.
func says(t testing.TB, conn io.Writer, r io.Reader, text string) {
	t.Helper()
	go io.WriteString(conn, text)
	b := make([]byte, len(text))
	if _, err := io.ReadFull(r, b); err != nil || string(b) != text {
		t.Fatalf("the tunnel says %q, %v", b, err)
	}
}

// listener is a listener in memory.
type listener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newListener() *listener {
	return &listener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 3128} }

// gone reports whether the connection ends within d.
func gone(conn net.Conn, d time.Duration) bool {
	_ = conn.SetReadDeadline(time.Now().Add(d))
	_, err := io.Copy(io.Discard, conn)
	var timeout net.Error
	return !errors.As(err, &timeout) || !timeout.Timeout()
}
