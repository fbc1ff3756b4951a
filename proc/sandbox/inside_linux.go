package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/reaper"
)

// A program of ours that is not root cannot enter a user namespace, because it has threads. So
// the process is started in a new one, with a network namespace that belongs to it, and there
// first runs the shim (RunShim): it makes the listener and sends it here, is told the rules, puts
// itself under them and becomes the program. The pid stays.

// shimTimeout bounds each answer of the shim.
const shimTimeout = 10 * time.Second

// shim is a process that is not yet its program.
type shim struct {
	process *os.Process
	conn    *net.UnixConn
}

// startInside is start for a namespace that is made now.
func (s *Sandbox) startInside(n *Namespace, set *ruleset, user *syscall.Credential, path string, argv []string, attr *os.ProcAttr) (*os.Process, error) {
	if user != nil {
		return nil, errors.New("sandbox: only root has network namespaces for another user")
	}
	var more []*os.File
	if set != nil {
		more = append(more, set.file)
	}
	sh, err := startShim(n.shim, path, argv, attr, more...)
	if err != nil {
		return nil, err
	}
	defer sh.conn.Close()
	l, err := sh.listener()
	if err == nil {
		err = n.arrival.deliver(l)
	}
	if err == nil {
		err = s.rules.Limits.set(sh.process.Pid)
	}
	if err == nil {
		err = sh.become(path, &order{hold: hold{layers: s.layers, flags: s.sets.lock.flags, code: s.code}, processes: s.rules.Limits.countInside()})
	}
	if err != nil {
		return nil, errors.Join(err, end(sh.process))
	}
	return sh.process, nil
}

// startShim starts the shim in namespaces of its own. After the process's files it has a socket,
// and more.
func startShim(program, path string, argv []string, attr *os.ProcAttr, more ...*os.File) (*shim, error) {
	ours, theirs, err := shimSockets()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	uid, gid := os.Geteuid(), os.Getegid()
	a := *attr
	a.Files = append(append(attr.Files[:len(attr.Files):len(attr.Files)], theirs), more...)
	a.Sys = &syscall.SysProcAttr{}
	if attr.Sys != nil {
		*a.Sys = *attr.Sys
	}
	a.Sys.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNET
	a.Sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	a.Sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	a.Sys.AmbientCaps = []uintptr{unix.CAP_NET_ADMIN} // for the loopback
	p, err := os.StartProcess(program, append([]string{ShimName, strconv.Itoa(len(attr.Files)), path}, argv...), &a)
	if err != nil {
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

// listener waits for the listener in the namespace.
func (s *shim) listener() (net.Listener, error) {
	message, rights := make([]byte, shimMessage), make([]byte, unix.CmsgSpace(4))
	_ = s.conn.SetReadDeadline(time.Now().Add(shimTimeout))
	n, r, _, _, err := s.conn.ReadMsgUnix(message, rights)
	if err != nil {
		return nil, fmt.Errorf("sandbox: the shim does not answer: %w", err)
	}
	if n == 0 {
		return nil, errors.New("sandbox: the shim ended before it answered")
	}
	if r == 0 {
		return nil, readComplaint(message[:n]).err("")
	}
	messages, err := unix.ParseSocketControlMessage(rights[:r])
	if err != nil {
		return nil, err
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fds[0])
	f := os.NewFile(uintptr(fds[0]), "listener")
	defer f.Close()
	return net.FileListener(f)
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

// order says what the shim must do before it becomes the program.
type order struct {
	hold
	processes uint64 // the limit of RLIMIT_NPROC, 0 for none
}

// shimMessage is more than the longest message between the shim and us.
const shimMessage = 64 << 10

func (o *order) bytes() []byte {
	var b bytes.Buffer
	// Nothing of this can fail: the sizes are fixed and a buffer takes everything.
	_ = binary.Write(&b, binary.NativeEndian, []uint64{uint64(o.layers), uint64(o.flags), o.processes})
	_ = binary.Write(&b, binary.NativeEndian, o.code)
	return b.Bytes()
}

func readOrder(b []byte) (*order, error) {
	r := bytes.NewReader(b)
	var head [3]uint64
	if err := binary.Read(r, binary.NativeEndian, &head); err != nil {
		return nil, err
	}
	o := &order{hold: hold{layers: Layer(head[0]), flags: uintptr(head[1])}, processes: head[2]}
	o.code = make([]unix.SockFilter, r.Len()/binary.Size(unix.SockFilter{}))
	return o, binary.Read(r, binary.NativeEndian, o.code)
}

// complaint says why the shim cannot go on: a layer, an error number, and what was tried.
type complaint struct {
	layer Layer // 0: none of them
	errno syscall.Errno
	did   string // "exec": the program itself cannot be executed
}

func (c *complaint) bytes() []byte {
	b := binary.NativeEndian.AppendUint32(nil, uint32(c.layer))
	return append(binary.NativeEndian.AppendUint32(b, uint32(c.errno)), c.did...)
}

func readComplaint(b []byte) *complaint {
	if len(b) < 8 {
		return &complaint{errno: unix.EPROTO, did: "the shim's answer"}
	}
	return &complaint{Layer(binary.NativeEndian.Uint32(b)), syscall.Errno(binary.NativeEndian.Uint32(b[4:])), string(b[8:])}
}

// err returns the error as it would have been without a shim.
func (c *complaint) err(path string) error {
	switch {
	case c.did == "exec":
		return &fs.PathError{Op: "fork/exec", Path: path, Err: c.errno}
	case c.layer != 0:
		return &LayerError{c.layer, os.NewSyscallError(c.did, c.errno)}
	}
	return fmt.Errorf("sandbox: the network namespace: %w", os.NewSyscallError(c.did, c.errno))
}

// probeInside says why no network namespace can be made in a user namespace, nil if one can.
func probeInside(program string) error {
	var sh *shim
	release, err := reaper.Register(func() (_ int, err error) {
		if sh, err = startShim(program, "", nil, &os.ProcAttr{Dir: "/", Env: []string{}}); err != nil {
			return 0, err
		}
		return sh.process.Pid, nil
	})
	if err != nil {
		return explainInside(err)
	}
	defer release()
	l, err := sh.listener()
	if err == nil {
		err = l.Close()
	}
	_ = sh.conn.Close() // which ends the shim
	if err != nil {
		return errors.Join(explainInside(err), end(sh.process))
	}
	_, err = sh.process.Wait()
	return err
}

// explainInside adds what the administrator can change.
func explainInside(err error) error {
	for _, knob := range []struct{ file, closed, name string }{
		{"kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone is 0"},
		{"user/max_user_namespaces", "0", "user.max_user_namespaces is 0"},
		{"kernel/apparmor_restrict_unprivileged_userns", "1", "AppArmor restricts them (kernel.apparmor_restrict_unprivileged_userns is 1)"},
	} {
		if value, _ := os.ReadFile("/proc/sys/" + knob.file); strings.TrimSpace(string(value)) == knob.closed {
			return fmt.Errorf("%s: %w", knob.name, err)
		}
	}
	if errors.Is(err, unix.EPERM) {
		return fmt.Errorf("the container or the system refuses them: %w", err)
	}
	return err
}
