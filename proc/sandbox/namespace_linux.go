package sandbox

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// newNamespace makes a network namespace. That takes CAP_SYS_ADMIN.
func newNamespace() (*Namespace, error) {
	n := &Namespace{}
	var err error
	onThrowawayThread(func() { err = n.enter() })
	if err != nil {
		return nil, fmt.Errorf("a network namespace: %w", err)
	}
	return n, nil
}

// probeNamespaces makes a network namespace and lets it go. user says that it takes a user
// namespace.
func probeNamespaces(shim string) (user bool, err error) {
	n, err := newNamespace()
	if err == nil {
		return false, n.Close()
	}
	if !errors.Is(err, unix.EPERM) {
		return false, err
	}
	err = fmt.Errorf("%w: it takes root with CAP_SYS_ADMIN", err)
	if shim == "" || os.Geteuid() == 0 { // root in a container: no limit of its processes would hold
		return false, err
	}
	if inside := probeInside(shim); inside != nil {
		return false, fmt.Errorf("%w, or user namespaces: %w", err, inside)
	}
	return true, nil
}

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
	n.listener, err = config.Listen(context.Background(), "tcp4", namespaceAddr().String())
	if err != nil {
		return errors.Join(err, n.file.Close())
	}
	return nil
}

// join puts the calling thread into the namespace.
func (n *Namespace) join() error {
	return os.NewSyscallError("setns", unix.Setns(int(n.file.Fd()), unix.CLONE_NEWNET))
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
