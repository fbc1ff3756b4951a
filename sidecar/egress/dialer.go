package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
)

// Limits of one connection.
const (
	// ResolveTimeout bounds the resolution of a name.
	ResolveTimeout = 10 * time.Second
	// DialTimeout bounds the connection to one address.
	DialTimeout = 10 * time.Second
	// maxDialed is how many of a name's addresses are tried, one after the other.
	maxDialed = 4
)

// Dialer connects to the hosts that patterns allow. It must not be changed after its first use;
// then it may be used by many goroutines.
type Dialer struct {
	// Hosts say what is allowed. None allow nothing.
	Hosts netguard.Hosts
	// Resolve returns the addresses of a name. nil: the system's resolver.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
	// Connect connects to an address that was judged. nil: TCP.
	Connect func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// RefusedError is the error of a target that no pattern allows.
type RefusedError struct {
	Host   string // as it was asked for
	Port   uint16
	Reason string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("connections to %s are not allowed: %s", net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port))), e.Reason)
}

// DialContext is for an http.Transport, which must use no proxy: it judges the address's host,
// and connects to it. A host that is not allowed is a *RefusedError. network is ignored.
func (d *Dialer) DialContext(ctx context.Context, _, address string) (net.Conn, error) {
	host, port, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	conn, _, err := d.dial(ctx, host, port)
	return conn, err
}

// dial judges a host and connects to it. to is the address that was dialed last or, if none was
// allowed, the first one that was refused.
func (d *Dialer) dial(ctx context.Context, host string, port uint16) (conn net.Conn, to netip.Addr, err error) {
	refused := func(err error) error { return &RefusedError{Host: host, Port: port, Reason: err.Error()} }
	target, err := netguard.NewTarget(host, port)
	if err != nil {
		return nil, to, refused(err)
	}
	if err := d.Hosts.Check(target); err != nil {
		return nil, target.Addr, refused(err)
	}
	addresses, err := d.addresses(ctx, target)
	if err != nil {
		return nil, to, err
	}
	var refusal error // of the first address that is not allowed
	tried := 0
	for _, ip := range addresses {
		if err := d.Hosts.CheckAddress(target, ip); err != nil {
			if refusal == nil && tried == 0 {
				refusal, to = refused(err), ip
			}
			continue
		}
		to = ip
		if conn, err = d.connect(ctx, netip.AddrPortFrom(ip, port)); err == nil {
			return conn, to, nil
		}
		if tried++; tried == maxDialed || ctx.Err() != nil {
			break
		}
	}
	if tried == 0 {
		err = refusal
	}
	return nil, to, err
}

// addresses returns the addresses of a target, at least one.
func (d *Dialer) addresses(ctx context.Context, t netguard.Target) ([]netip.Addr, error) {
	if t.Name == "" {
		return []netip.Addr{t.Addr}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, ResolveTimeout)
	defer cancel()
	resolve := d.Resolve
	if resolve == nil {
		resolve = systemResolver
	}
	all, err := resolve(ctx, t.Name)
	if err != nil {
		return nil, fmt.Errorf("the name cannot be resolved: %w", err)
	}
	if len(all) == 0 {
		return nil, errors.New("the name has no addresses")
	}
	for i := range all {
		all[i] = all[i].Unmap()
	}
	return all, nil
}

func systemResolver(ctx context.Context, name string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
}

func (d *Dialer) connect(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, DialTimeout)
	defer cancel()
	if d.Connect != nil {
		return d.Connect(ctx, to)
	}
	var nd net.Dialer
	return nd.DialContext(ctx, "tcp", to.String())
}

// splitAddress splits host:port; the port is a number.
func splitAddress(address string) (host string, port uint16, err error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, err
	}
	n, err := strconv.ParseUint(service, 10, 16)
	if err != nil {
		return "", 0, fmt.Errorf("the port %q is no number from 1 to 65535", service)
	}
	return host, uint16(n), nil
}
