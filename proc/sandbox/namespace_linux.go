package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// NewNamespace makes a network namespace. That takes CAP_SYS_ADMIN: see [NamespaceFault].
func NewNamespace() (*Namespace, error) {
	n := &Namespace{}
	var err error
	onThrowawayThread(func() { err = n.enter() })
	if err != nil {
		return nil, fmt.Errorf("a network namespace: %w", err)
	}
	return n, nil
}

// NamespaceFault says why this system has no network namespaces for us, nil if it has. It makes
// one, once for the whole process.
func NamespaceFault() error { return namespaceFault() }

var namespaceFault = sync.OnceValue(func() error {
	n, err := NewNamespace()
	switch {
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("%w: it takes root with CAP_SYS_ADMIN", err)
	case err != nil:
		return err
	}
	return n.Close()
})

// enter puts the calling thread into a new namespace, and makes what is in it.
func (n *Namespace) enter() (err error) {
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		return os.NewSyscallError("unshare", err)
	}
	if err := loopbackUp(); err != nil {
		return fmt.Errorf("its loopback: %w", err)
	}
	if n.file, err = os.Open("/proc/thread-self/ns/net"); err != nil {
		return err
	}
	var config net.ListenConfig
	config.SetMultipathTCP(false)
	// The socket belongs to the namespace of the thread that makes it, which is this one.
	n.listener, err = config.Listen(context.Background(), "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(NamespacePort)))
	if err != nil {
		return errors.Join(err, n.file.Close())
	}
	return nil
}

// loopbackUp brings up the loopback of the calling thread's namespace, which has the addresses
// 127.0.0.1 and, with IPv6, ::1 then.
func loopbackUp() error {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(s)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return os.NewSyscallError("ioctl", unix.IoctlIfreq(s, unix.SIOCSIFFLAGS, lo))
}
