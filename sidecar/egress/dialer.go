package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

// Attempt is one target that a program asked for.
type Attempt struct {
	Host    string     // as it was asked for, "" if a client did not come so far
	Port    uint16     // 0 as for Host
	Address netip.Addr // that was dialed or refused, invalid if none was known
	Allowed bool       // whether the patterns, and the secret, allow it
	// Reason says why the target was refused, or why an allowed one was not reached; "" if it
	// was.
	Reason string
	// Rule, File and Line name the rule of Dialer.Judge that decided; "" and 0 if none was asked.
	Rule, File string
	Line       int
	// Sent and Received are bytes to and from the target.
	Sent, Received int64
}

// Dialer connects to the hosts that patterns allow. It must not be changed after its first use;
// then it may be used by many goroutines.
type Dialer struct {
	// Hosts say what is allowed. None allow nothing.
	Hosts netguard.Hosts
	// Judge rules on a target that the patterns allow. It has JudgeTimeout, after which its
	// context ends; a target that it has not ruled on by then, or during whose judgement it
	// panicked, is refused. nil: the patterns are enough.
	Judge func(ctx context.Context, to netguard.Target) Ruling
	// Log gets a line about a Judge that panicked or was too slow. nil: none.
	Log *slog.Logger
	// Resolve returns the addresses of a name. nil: the system's resolver.
	Resolve func(ctx context.Context, name string) ([]netip.Addr, error)
	// Connect connects to an address that was judged. nil: TCP.
	Connect func(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// RefusedError is the error of a target that no pattern allows, or that Dialer.Judge refuses.
type RefusedError struct {
	Host   string // as it was asked for
	Port   uint16
	Reason string
	// Judged says that it is Dialer.Judge that refuses it.
	Judged bool
	err    error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("connections to %s are not allowed: %s", net.JoinHostPort(e.Host, strconv.Itoa(int(e.Port))), e.Reason)
}

func (e *RefusedError) Unwrap() error { return e.err }

// DialAddress is Dial for host:port, as an http.Transport has it, which must use no proxy.
func (d *Dialer) DialAddress(ctx context.Context, address string) (net.Conn, Attempt, error) {
	host, port, err := splitAddress(address)
	if err != nil {
		return nil, Attempt{Host: address, Reason: err.Error()}, err
	}
	return d.Dial(ctx, host, port)
}

// Dial judges a host and connects to it. It also returns what is to be told of that, but for the
// bytes. A host that is not allowed is a *RefusedError.
func (d *Dialer) Dial(ctx context.Context, host string, port uint16) (net.Conn, Attempt, error) {
	a := Attempt{Host: host, Port: port, Allowed: true}
	conn, err := d.dial(ctx, &a)
	if refused := (*RefusedError)(nil); errors.As(err, &refused) {
		a.Allowed, a.Reason = false, refused.Reason
	} else if err != nil {
		a.Reason = err.Error()
	}
	return conn, a, err
}

// dial judges a host and connects to it. It notes the rule that decided, and the address that was
// dialed last or, if none was allowed, the first one that was refused.
func (d *Dialer) dial(ctx context.Context, a *Attempt) (conn net.Conn, err error) {
	refused := func(err error) error {
		return &RefusedError{Host: a.Host, Port: a.Port, Reason: err.Error(), err: err}
	}
	target, err := netguard.NewTarget(a.Host, a.Port)
	if err != nil {
		return nil, refused(err)
	}
	a.Address = target.Addr
	if err := d.Hosts.Check(target); err != nil {
		return nil, refused(err)
	}
	if d.Judge != nil {
		r := d.judge(ctx, target)
		a.Rule, a.File, a.Line = r.Rule, r.File, r.Line
		if !r.Allowed {
			return nil, &RefusedError{Host: a.Host, Port: a.Port, Reason: r.Reason, Judged: true}
		}
	}
	addresses, err := d.addresses(ctx, target)
	if err != nil {
		return nil, err
	}
	var refusal error // of the first address that is not allowed
	tried := 0
	for _, ip := range addresses {
		if err := d.Hosts.CheckAddress(target, ip); err != nil {
			if refusal == nil && tried == 0 {
				refusal, a.Address = refused(err), ip
			}
			continue
		}
		a.Address = ip
		if conn, err = d.connect(ctx, netip.AddrPortFrom(ip, a.Port)); err == nil {
			return conn, nil
		}
		if tried++; tried == maxDialed || ctx.Err() != nil {
			break
		}
	}
	if tried == 0 {
		err = refusal
	}
	return nil, err
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
