package channel_test

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// inside returns the address of the channel behind a proxy that joins it in the name of a token.
func inside(t *testing.T, s *channel.Server, token string) string {
	t.Helper()
	p := egress.New(egress.Options{Dialer: &egress.Dialer{}, Channel: func() (net.Conn, error) { return s.Join(token) }})
	t.Cleanup(p.Close)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p.Serve(l)
	return p.ChannelAddress()
}

// TestTheChannelBehindAProxy: a process that belongs to nobody known speaks for the grant whose network it is in.
func TestTheChannelBehindAProxy(t *testing.T) {
	s, o := listen(t), &owner{}
	child, _ := raise(t, newHost(t), s.Path(), "", "exec sleep 60")
	g := s.GrantProcess(o)
	g.Started(child)
	if _, err := channel.Dial(t.Context(), s.Path(), g.Token(), channel.Capabilities{}); err == nil {
		t.Fatal("this process is none of the token's")
	}
	c, err := channel.Dial(t.Context(), inside(t, s, g.Token()), g.Token(), channel.Capabilities{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	long := strings.Repeat("x", 1<<19) // more than any buffer on the way
	for _, text := range []string{"here", long} {
		if err := c.Status(t.Context(), channel.Status{Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	if got := o.take(); len(got) != 2 || !strings.Contains(got[1], long) {
		t.Errorf("%d statements arrived", len(got))
	}
}

// TestAnotherTokenBehindAProxy is refused, and so is one that is not granted any more, and whoever has not the proxy's secret.
func TestAnotherTokenBehindAProxy(t *testing.T) {
	s := listen(t)
	one, two := s.Grant(&owner{}), s.Grant(&owner{})
	at := inside(t, s, one.Token())
	for _, token := range []string{two.Token(), "guessed"} {
		var refused *channel.Error
		if _, err := channel.Dial(t.Context(), at, token, channel.Capabilities{}); !errors.As(err, &refused) {
			t.Errorf("another token: %v", err)
		}
	}
	wrong := strings.Replace(at, "@", "x@", 1)
	if _, err := channel.Dial(t.Context(), wrong, one.Token(), channel.Capabilities{}); err == nil || !strings.Contains(err.Error(), "407") {
		t.Errorf("without the secret: %v", err)
	}
	one.Revoke()
	if _, err := channel.Dial(t.Context(), at, one.Token(), channel.Capabilities{}); err == nil || !strings.Contains(err.Error(), "502") {
		t.Errorf("a token that was revoked: %v", err)
	}
}

// TestABadProxy: an answer that is none ends the dial.
func TestABadProxy(t *testing.T) {
	for says, want := range map[string]string{
		"HTTP/1.1 403 Forbidden\r\n\r\n":     "403",
		"":                                   "EOF",
		strings.Repeat("x", 10<<10) + "\r\n": "too long",
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		go func() {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadFull(nc, make([]byte, 20))
			_, _ = io.WriteString(nc, says)
			if says == "" {
				_ = nc.(*net.TCPConn).CloseWrite()
			}
			_, _ = io.Copy(io.Discard, nc)
			_ = nc.Close()
		}()
		if _, err := channel.Dial(t.Context(), "http://call:x@"+l.Addr().String(), "t", channel.Capabilities{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", says, err)
		}
	}
}
