package egress

import (
	"io"
	"time"
)

// ChannelHost is the host, of no network, whose CONNECT is the sidecar's own channel: see
// Options.Channel. Nobody can own the name (RFC 2606).
const ChannelHost = "channel.sidecar.invalid"

// ChannelPort is its port, which means nothing.
const ChannelPort = 1

// channelIdle is how long a connection to the channel may be silent: for the time of any question
// to a person. Its program's end, and that of the proxy, end it.
const channelIdle = 30 * 24 * time.Hour

// ChannelAddress returns the address of the channel by the proxy, as a URL with the secret: a
// program connects to its host, and asks there for CONNECT to ChannelHost. The proxy must have been
// given its listener.
func (p *Proxy) ChannelAddress() string { return p.address("http") }

// channel passes a client on to the channel. No rule judges that, and nobody is told: it is no
// network.
func (p *Proxy) channel(c *client) {
	conn, err := p.o.Channel()
	if err == nil && !p.keep(conn) {
		err = errEnded
	}
	if err != nil {
		fail(c, err)
		return
	}
	defer p.drop(conn)
	if _, err := io.WriteString(c, established); err != nil {
		return
	}
	c.unlimit()
	p.tunnel(c, &upstream{Conn: conn}, channelIdle)
}

// isChannel reports whether a host is that of the channel, if there is one.
func (p *Proxy) isChannel(host string, port uint16) bool {
	return p.o.Channel != nil && host == ChannelHost && port == ChannelPort
}
