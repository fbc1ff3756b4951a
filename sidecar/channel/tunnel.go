package channel

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// socket is a connection whose descriptor can be written to without waiting.
type socket interface {
	net.Conn
	syscall.Conn
}

// proxied reports whether the address of a channel is one behind a proxy.
func proxied(path string) bool { return strings.HasPrefix(path, "http://") }

const (
	// tunnelTime bounds the time until a proxy has answered.
	tunnelTime = 10 * time.Second
	// maxTunnelHead is the longest answer of a proxy, in bytes.
	maxTunnelHead = 4 << 10
)

// dialTunnel connects by the proxy of a process that can make no Unix socket: see
// [egress.Options].
func dialTunnel(ctx context.Context, address string) (socket, error) {
	at, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the channel's address is no URL") // which has a secret
	}
	nc, err := new(net.Dialer).DialContext(ctx, "tcp", at.Host)
	if err != nil {
		return nil, err
	}
	s, ok := nc.(socket)
	if !ok {
		_ = nc.Close()
		return nil, fmt.Errorf("%T has no descriptor", nc)
	}
	stop := context.AfterFunc(ctx, func() { _ = nc.SetDeadline(time.Now()) })
	defer stop()
	_ = nc.SetDeadline(time.Now().Add(tunnelTime))
	if err := connectTunnel(nc, at.User); err != nil {
		_ = nc.Close()
		return nil, errors.Join(err, context.Cause(ctx))
	}
	return s, nc.SetDeadline(time.Time{})
}

// connectTunnel asks a proxy for the channel, and reads its answer: not a byte of what follows.
func connectTunnel(nc net.Conn, user *url.Userinfo) error {
	secret, _ := user.Password()
	host := fmt.Sprintf("%s:%d", egress.ChannelHost, egress.ChannelPort)
	_, err := fmt.Fprintf(nc, "CONNECT %s HTTP/1.1\r\nHost: %s\r\nProxy-Authorization: Basic %s\r\n\r\n", host, host,
		base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+secret)))
	if err != nil {
		return err
	}
	var head []byte
	for one := make([]byte, 1); !strings.HasSuffix(string(head), "\r\n\r\n"); head = append(head, one[0]) {
		if _, err := nc.Read(one); err != nil {
			return err
		}
		if len(head) >= maxTunnelHead {
			return errors.New("the answer of the sidecar's proxy is too long")
		}
	}
	line, _, _ := strings.Cut(string(head), "\r\n")
	if _, status, _ := strings.Cut(line, " "); !strings.HasPrefix(status, "200") {
		return fmt.Errorf("the sidecar's proxy answers %q", line)
	}
	return nil
}
