package confine

import (
	"fmt"
	"net"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// Net is the way out of one confined program: a proxy of its own, which is all there is in
// a network namespace of its own or, where that cannot be had, listens on the loopback. A nil
// Net is none.
type Net struct {
	space *sandbox.Namespace // nil: the proxy is in our own network
	ports []uint16           // that the program needs in our own network
	proxy *egress.Proxy
}

// Open makes the network of one program, from which its Hosts are reached; nil if it has none.
// dialer judges each connection in addition, and tell, unless it is nil, is told of it. Close must
// follow when the program has ended.
func (c *Confined) Open(dialer egress.Dialer, tell func(egress.Attempt)) (*Net, error) {
	if len(c.Hosts) == 0 {
		return nil, nil
	}
	return c.openNetwork(dialer, egress.Options{Tell: tell})
}

// openNetwork makes the network from which the Hosts are reached, by a proxy with these options.
func (c *Confined) openNetwork(dialer egress.Dialer, o egress.Options) (*Net, error) {
	var err error
	if dialer.Hosts, err = netguard.ParseHosts(c.Hosts); err != nil {
		return nil, err
	}
	n := &Net{}
	listener, err := n.listen(c.Namespaces)
	if err != nil {
		return nil, fmt.Errorf("its network: %w", err)
	}
	o.Dialer = &dialer
	n.proxy = egress.New(o)
	n.proxy.Serve(listener)
	return n, nil
}

// listen returns the listener of the proxy.
func (n *Net) listen(spaces *sandbox.Namespaces) (l net.Listener, err error) {
	if spaces != nil {
		if n.space, err = spaces.New(); err != nil {
			return nil, err
		}
		return n.space.Listener(), nil
	}
	tcp, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	n.ports = []uint16{tcp.Addr().(*net.TCPAddr).AddrPort().Port()}
	return tcp, nil
}

// Namespace returns what the program is started in, nil for our own network.
func (n *Net) Namespace() *sandbox.Namespace {
	if n == nil {
		return nil
	}
	return n.space
}

// Connect returns the ports that the program needs in our own network.
func (n *Net) Connect() []uint16 {
	if n == nil {
		return nil
	}
	return n.ports
}

// Environ returns an environment with the variables that lead to the proxy.
func (n *Net) Environ(env []string) []string {
	if n == nil {
		return env
	}
	for _, v := range n.proxy.Environ() {
		name, value, _ := strings.Cut(v, "=")
		env = SetVariable(env, name, value)
	}
	return env
}

// Close ends all connections. What the program left running has no network from then on.
func (n *Net) Close() {
	if n == nil {
		return
	}
	n.proxy.Close()
	if n.space != nil {
		_ = n.space.Close() // only handles
	}
}
