package sandbox

import (
	"errors"
	"net"
	"os"
	"sync"
)

// NamespacePort is the port of a namespace's listener, on 127.0.0.1.
const NamespacePort = 3128

// ShimName is the name, as argument 0, under which a program is started that calls RunShim.
const ShimName = "sandbox-shim"

// Namespace is a network namespace of its own: in it are the loopback and one listener of ours,
// and no way out but through that.
type Namespace struct {
	listener net.Listener
	file     *os.File // nil: it is made when its program starts, in a user namespace
	shim     string   // the program that makes it then
	arrival  *arrival // the listener, then
}

// Listener accepts the connections that programs in the namespace make to NamespacePort. It may
// be closed before the Namespace.
func (n *Namespace) Listener() net.Listener { return n.listener }

// Close lets go of the namespace. It exists until the last program in it has ended.
func (n *Namespace) Close() error {
	err := n.listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil
	}
	if n.file == nil {
		return err
	}
	return errors.Join(err, n.file.Close())
}

// Namespaces makes network namespaces in the way that this system has: as root directly, and
// otherwise in a user namespace. It may be used by many goroutines.
type Namespaces struct {
	shim  string
	probe sync.Once
	user  bool // they are made in user namespaces
	fault error
}

// NewNamespaces returns what makes network namespaces. Nothing is tried before it is needed.
// shim is the path of a program whose main function first calls RunShim if it is named ShimName;
// "": there is none, and so nothing is made in user namespaces.
func NewNamespaces(shim string) *Namespaces { return &Namespaces{shim: shim} }

// Fault says why this system has no network namespaces for us, nil if it has. The first call
// makes one.
func (s *Namespaces) Fault() error {
	s.probe.Do(func() { s.user, s.fault = probeNamespaces(s.shim) })
	return s.fault
}

// New makes a network namespace. In a user namespace, it is for one program. The caller closes
// it.
func (s *Namespaces) New() (*Namespace, error) {
	if err := s.Fault(); err != nil {
		return nil, err
	}
	if !s.user {
		return newNamespace()
	}
	a := &arrival{came: make(chan struct{}), closed: make(chan struct{})}
	return &Namespace{listener: a, arrival: a, shim: s.shim}, nil
}

// InUserNamespaces reports whether each namespace is made in a user namespace, which costs a
// start of the shim.
func (s *Namespaces) InUserNamespaces() bool { return s.Fault() == nil && s.user }

// arrival is a listener that is to come from a namespace that is still to be made.
type arrival struct {
	came, closed chan struct{}

	mu sync.Mutex
	l  net.Listener // nil before it came, or if it was closed before
	is bool         // came or closed
}

// deliver takes the listener.
func (a *arrival) deliver(l net.Listener) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.is {
		return errors.Join(errors.New("the network namespace is for one program, and is closed or in use"), l.Close())
	}
	a.l, a.is = l, true
	close(a.came)
	return nil
}

// Accept waits for the listener, and then for a connection.
func (a *arrival) Accept() (net.Conn, error) {
	select {
	case <-a.came:
		return a.l.Accept()
	case <-a.closed:
		return nil, net.ErrClosed
	}
}

// Close closes the listener, even if it has not come.
func (a *arrival) Close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.l != nil {
		return a.l.Close()
	}
	if !a.is {
		a.is = true
		close(a.closed)
	}
	return nil
}

// Addr returns the listener's address, which is known before it comes.
func (a *arrival) Addr() net.Addr { return namespaceAddr() }

func namespaceAddr() *net.TCPAddr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: NamespacePort}
}
