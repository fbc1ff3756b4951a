package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// What only the process itself can do before its program's first instruction, the shim does: it is
// started as that process, says that it is there, is told what to do, and becomes the program. The
// pid stays.

// shimTimeout bounds each answer of the shim.
const shimTimeout = 10 * time.Second

// What the shim is started for.
const (
	shimInside = "inside" // a namespace: it first makes what is in it
	shimHere   = "here"
)

// shim is a process that is not yet its program.
type shim struct {
	process *os.Process
	conn    *net.UnixConn
}

// startShim starts the shim. After the process's files it has a socket, and more.
func startShim(program, where, path string, argv []string, attr *os.ProcAttr, more ...*os.File) (*shim, error) {
	ours, theirs, err := shimSockets()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	a := *attr
	a.Files = append(append(attr.Files[:len(attr.Files):len(attr.Files)], theirs), more...)
	a.Sys = &syscall.SysProcAttr{}
	if attr.Sys != nil {
		*a.Sys = *attr.Sys
	}
	if where == shimInside {
		uid, gid := os.Geteuid(), os.Getegid()
		a.Sys.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNET
		a.Sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.Sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
		a.Sys.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN} // for the loopback
	}
	p, err := os.StartProcess(program, append([]string{ShimName, where, strconv.Itoa(len(attr.Files)), path}, argv...), &a)
	if err != nil {
		if fault := unix.Access(program, unix.X_OK); fault != nil {
			err = fmt.Errorf("sandbox: the shim %s cannot be executed: %s", program, fault) // not the program
		}
		return nil, errors.Join(err, ours.Close())
	}
	return &shim{process: p, conn: ours}, nil
}

// shimSockets returns both ends of a connection that keeps messages apart.
func shimSockets() (ours *net.UnixConn, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "the shim's end")
	f := os.NewFile(uintptr(fds[0]), "our end")
	defer f.Close()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return conn.(*net.UnixConn), theirs, nil
}

// greeting waits until the shim says that it is there, and returns the control message with that.
func (s *shim) greeting() ([]byte, error) {
	message, rights := make([]byte, shimMessage), make([]byte, unix.CmsgSpace(4))
	_ = s.conn.SetReadDeadline(time.Now().Add(shimTimeout))
	n, r, _, _, err := s.conn.ReadMsgUnix(message, rights)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("sandbox: the shim does not answer: %w", err)
	case n == 0:
		return nil, errors.New("sandbox: the shim ended before it answered")
	case n > 1:
		return nil, readComplaint(message[:n]).err("")
	}
	return rights[:r], nil
}

// become has the shim become its program, or says why it cannot. A shim that is killed meanwhile
// is a program that was killed.
func (s *shim) become(path string, o *order) error {
	_ = s.conn.SetDeadline(time.Now().Add(shimTimeout))
	if _, err := s.conn.Write(o.bytes()); err != nil && !errors.Is(err, unix.EPIPE) {
		return fmt.Errorf("sandbox: the shim takes no rules: %w", err)
	}
	message := make([]byte, shimMessage)
	n, err := s.conn.Read(message)
	switch {
	case n > 0:
		return readComplaint(message[:n]).err(path)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("sandbox: the shim does not become its program")
	}
	return nil // exec has closed the socket
}

// end kills a process that must not run on, and waits for it.
func end(p *os.Process) error {
	if err := p.Kill(); err != nil {
		return err
	}
	_, err := p.Wait()
	return err
}
