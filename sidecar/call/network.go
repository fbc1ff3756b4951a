package call

import (
	"fmt"
	"net"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// network is the way out of one call's program: the call's proxy, which is all there is in a
// network namespace of its own or, where that cannot be had, listens on the loopback. A nil
// network is none.
type network struct {
	space *sandbox.Namespace // nil: the proxy is in our own network
	ports []uint16           // that the program needs in our own network
	proxy *egress.Proxy
}

// openNetwork makes a network from which the hosts of some patterns are reached. spaces is nil
// if it cannot be one of its own. dialer judges each connection in addition, and tell is told of it.
// close must follow when the program has ended.
func openNetwork(patterns []string, spaces *sandbox.Namespaces, dialer egress.Dialer, tell func(egress.Attempt)) (*network, error) {
	var err error
	if dialer.Hosts, err = netguard.ParseHosts(patterns); err != nil {
		return nil, err
	}
	n := &network{}
	listener, err := n.listen(spaces)
	if err != nil {
		return nil, fmt.Errorf("its network: %w", err)
	}
	n.proxy = egress.New(egress.Options{Dialer: &dialer, Tell: tell})
	n.proxy.Serve(listener)
	return n, nil
}

// listen returns the listener of the proxy.
func (n *network) listen(spaces *sandbox.Namespaces) (l net.Listener, err error) {
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

// namespace returns what the program is started in, nil for our own network.
func (n *network) namespace() *sandbox.Namespace {
	if n == nil {
		return nil
	}
	return n.space
}

// connect returns the ports that the program needs in our own network.
func (n *network) connect() []uint16 {
	if n == nil {
		return nil
	}
	return n.ports
}

// environ returns an environment with the variables that lead to the proxy.
func (n *network) environ(env []string) []string {
	for _, v := range n.proxy.Environ() {
		name, value, _ := strings.Cut(v, "=")
		env = replace(env, name, value)
	}
	return env
}

// close ends all connections. What the program left running has no network from then on.
func (n *network) close() {
	if n == nil {
		return
	}
	n.proxy.Close()
	if n.space != nil {
		_ = n.space.Close() // only handles
	}
}
