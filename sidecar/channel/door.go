package channel

import (
	"context"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Door is a way to the server for a process that can make no connection itself: a socket that
// it inherits. To connect, it makes a socket pair and sends one end through the door (as
// SCM_RIGHTS, with one byte of data); the other end is then a connection as any. So all
// processes that have inherited the door can use it at once, each with a connection of its own.
type Door struct {
	theirs *os.File
	ours   *net.UnixConn
	close  sync.Once
}

// OpenDoor makes a door. The caller closes it.
func (s *Server) OpenDoor() (*Door, error) {
	ends, err := pair(unix.SOCK_DGRAM)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	d := &Door{theirs: os.NewFile(uintptr(ends[1]), "channel door")}
	if d.ours, err = unixConn(ends[0]); err != nil {
		_ = d.theirs.Close()
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		d.Close()
		return nil, ErrDenied.With("the sidecar is ending")
	}
	forget := context.AfterFunc(s.ctx, d.Close)
	s.wg.Go(func() {
		defer forget()
		d.serve(s)
	})
	return d, nil
}

// pair makes two ends that no process inherits, however many start at this moment.
func pair(kind int) (ends [2]int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if ends, err = unix.Socketpair(unix.AF_UNIX, kind, 0); err != nil {
		return ends, err
	}
	for _, fd := range ends {
		unix.CloseOnExec(fd)
	}
	return ends, nil
}

// File returns the end that the process inherits. Close closes it.
func (d *Door) File() *os.File { return d.theirs }

// Close closes both ends. Connections that came through the door go on. It may be called more
// than once.
func (d *Door) Close() {
	d.close.Do(func() { _, _ = d.theirs.Close(), d.ours.Close() })
}

// maxRights bounds how many descriptors one message may bring.
const maxRights = 8

// serve takes connections until the door is closed.
func (d *Door) serve(s *Server) {
	defer d.Close()
	rights := make([]byte, unix.CmsgSpace(4*maxRights))
	for {
		_, n, flags, _, err := d.ours.ReadMsgUnix(make([]byte, 1), rights)
		if err != nil {
			return
		}
		fds := received(rights[:n])
		if len(fds) != 1 || flags&unix.MSG_CTRUNC != 0 {
			closeAll(fds)
			continue
		}
		if nc, err := unixConn(fds[0]); err == nil {
			s.start(nc)
		}
	}
}

// received returns the descriptors of a message.
func received(rights []byte) (fds []int) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for i := range messages {
		if more, err := unix.ParseUnixRights(&messages[i]); err == nil {
			fds = append(fds, more...)
		}
	}
	return fds
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

// unixConn makes a connection of a descriptor, which it takes.
func unixConn(fd int) (*net.UnixConn, error) {
	f := os.NewFile(uintptr(fd), "channel")
	defer f.Close()
	nc, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := nc.(*net.UnixConn)
	if !ok {
		_ = nc.Close()
		return nil, fmt.Errorf("descriptor %d is no Unix socket", fd)
	}
	return u, nil
}

// DialDoor is Dial through a door that this process has inherited as descriptor fd. An error
// that is no *Error says that the descriptor is no door.
func DialDoor(ctx context.Context, fd int, token string, o Capabilities) (*Client, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	for _, end := range ends {
		unix.CloseOnExec(end)
	}
	err = unix.Sendmsg(fd, []byte{0}, unix.UnixRights(ends[1]), nil, 0)
	_ = unix.Close(ends[1])
	if err != nil {
		_ = unix.Close(ends[0])
		return nil, os.NewSyscallError("sendmsg", err)
	}
	nc, err := unixConn(ends[0])
	if err != nil {
		return nil, err
	}
	return newClient(ctx, nc, token, o)
}
