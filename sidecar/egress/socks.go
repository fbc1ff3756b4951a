package egress

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"time"
)

// SOCKS, RFC 1928, and its user name and password, RFC 1929.
const (
	socksVersion = 5

	socksPassword = 2    // the method that we want
	socksNoMethod = 0xff // none of the client's methods will do

	passwordVersion = 1

	socksConnect = 1

	socksIPv4 = 1
	socksName = 3
	socksIPv6 = 4
)

// The replies.
const (
	socksGranted       = 0
	socksFailed        = 1
	socksNotAllowed    = 2
	socksUnreachable   = 4
	socksNoSuchCommand = 7
	socksNoSuchAddress = 8
	socksPasswordWrong = 1 // in the reply to a password
)

// socks serves one connection.
func (p *Proxy) socks(c *client) {
	if !p.socksGreet(c) {
		return
	}
	host, port, reply, err := socksRequest(c)
	if err != nil {
		return // the client has gone, or has said too much
	}
	if reply != socksGranted {
		socksReply(c, reply)
		return
	}
	_ = c.SetDeadline(time.Time{}) // the dialer has limits of its own
	up, a, err := p.open(host, port)
	if err != nil {
		socksReply(c, socksFault(err))
		return
	}
	defer p.done(up, a)
	if socksReply(c, socksGranted) == nil {
		c.unlimit()
		p.tunnel(c, up, p.o.Idle)
	}
}

// socksGreet agrees on the method and checks the secret.
func (p *Proxy) socksGreet(c *client) bool {
	var head [2]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return false
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(c, methods); err != nil {
		return false
	}
	method := byte(socksNoMethod)
	for _, m := range methods {
		if m == socksPassword {
			method = socksPassword
		}
	}
	if _, err := c.Write([]byte{socksVersion, method}); err != nil || method == socksNoMethod {
		return false
	}
	secret, err := socksSecret(c)
	if err != nil {
		return false
	}
	if !p.knows(secret) {
		p.tell(Attempt{Reason: wrongSecret})
		_, _ = c.Write([]byte{passwordVersion, socksPasswordWrong}) // the connection ends anyway
		return false
	}
	_, err = c.Write([]byte{passwordVersion, socksGranted})
	return err == nil
}

// socksSecret reads the user name and the password.
func socksSecret(c *client) (string, error) {
	var version [1]byte
	if _, err := io.ReadFull(c, version[:]); err != nil {
		return "", err
	}
	if version[0] != passwordVersion {
		return "", errors.New("an unknown version of the password")
	}
	if _, err := socksText(c); err != nil { // the name is not looked at
		return "", err
	}
	return socksText(c)
}

// socksText reads a text with its length in front.
func socksText(c *client) (string, error) {
	var n [1]byte
	if _, err := io.ReadFull(c, n[:]); err != nil {
		return "", err
	}
	b := make([]byte, n[0])
	_, err := io.ReadFull(c, b)
	return string(b), err
}

// socksRequest reads what the client wants. reply is a refusal unless it is socksGranted.
func socksRequest(c *client) (host string, port uint16, reply byte, err error) {
	var head [4]byte // version, command, reserved, type of the address
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return "", 0, 0, err
	}
	switch head[3] {
	case socksIPv4, socksIPv6:
		ip := make([]byte, map[byte]int{socksIPv4: 4, socksIPv6: 16}[head[3]])
		if _, err = io.ReadFull(c, ip); err == nil {
			addr, _ := netip.AddrFromSlice(ip)
			host = addr.String()
		}
	case socksName:
		host, err = socksText(c)
	default:
		return "", 0, socksNoSuchAddress, nil
	}
	var number [2]byte
	if err == nil {
		_, err = io.ReadFull(c, number[:])
	}
	if err == nil && (head[0] != socksVersion || head[1] != socksConnect) {
		reply = socksNoSuchCommand
	}
	return host, binary.BigEndian.Uint16(number[:]), reply, err
}

func socksReply(c *client, reply byte) error {
	_ = c.SetWriteDeadline(time.Now().Add(answerTimeout))
	_, err := c.Write([]byte{socksVersion, reply, 0, socksIPv4, 0, 0, 0, 0, 0, 0})
	_ = c.SetWriteDeadline(time.Time{})
	return err
}

// socksFault returns the reply for a target that was refused or not reached.
func socksFault(err error) byte {
	refused := (*RefusedError)(nil)
	dns := (*net.DNSError)(nil)
	switch {
	case errors.As(err, &refused):
		return socksNotAllowed
	case errors.As(err, &dns):
		return socksUnreachable
	}
	return socksFailed
}
