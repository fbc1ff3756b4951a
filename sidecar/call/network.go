package call

import (
	"fmt"
	"os"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/egress"
)

// network is the way out of one call's program: a network namespace of its own, in which there
// is nothing but the call's proxy. A nil network is none.
type network struct {
	space *sandbox.Namespace
	proxy *egress.Proxy
}

// openNetwork makes a network from which the hosts of some patterns are reached. tell is told of
// each connection. close must follow when the program has ended.
func openNetwork(patterns []string, tell func(egress.Attempt)) (*network, error) {
	hosts, err := netguard.ParseHosts(patterns)
	if err != nil {
		return nil, err
	}
	space, err := sandbox.NewNamespace()
	if err != nil {
		return nil, fmt.Errorf("its network: %w", err)
	}
	n := &network{space: space, proxy: egress.New(egress.Options{Dialer: &egress.Dialer{Hosts: hosts}, Tell: tell})}
	n.proxy.Serve(space.Listener())
	return n, nil
}

// namespace returns what the program is started in, nil for our own network.
func (n *network) namespace() *os.File {
	if n == nil {
		return nil
	}
	return n.space.File()
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
	_ = n.space.Close() // only handles
}
