package sandbox_test

import (
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// swapLink puts a link in the place of a directory that it may use.
func swapLink(p *prison) error {
	if err := os.Mkdir(p.data+"/sub", 0o755); err != nil {
		return err
	}
	if err := os.Rename(p.data+"/sub", p.data+"/away"); err != nil {
		return err
	}
	if err := os.Symlink(p.dir+"/moved", p.data+"/sub"); err != nil {
		return err
	}
	defer os.RemoveAll(p.data + "/away")
	defer os.Remove(p.data + "/sub")
	return read(p.data + "/sub/secret")
}

func hardLink(p *prison) error {
	defer os.Remove(p.data + "/hard")
	if err := os.Link(p.secret(), p.data+"/hard"); err != nil {
		return err
	}
	return read(p.data + "/hard")
}

// truncateByOpening opens a file for reading only, which truncates it all the same.
func truncateByOpening(p *prison) error {
	fd, err := unix.Open(p.dir+"/open/victim", unix.O_RDONLY|unix.O_TRUNC, 0)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

func dial(network, address string) error {
	conn, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	return conn.Close()
}

func sendDatagram(p *prison) error {
	conn, err := net.Dial("udp", p.udp)
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte("x"))
	return err
}

func socket(kind, protocol int) error {
	fd, err := unix.Socket(unix.AF_INET, kind, protocol)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// listenUnbound listens without a bind, at a port that the kernel chooses.
func listenUnbound(*prison) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.Listen(fd, 1)
}

func netlink(*prison) error {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE)
	if err != nil {
		return err
	}
	return unix.Close(fd)
}

// seize becomes the tracer of a process, which goes on.
func seize(pid int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// peek reads the memory of a process of the same user; that there is nothing at the address
// says that it may be read.
func peek(p *prison) error {
	b := make([]byte, 1)
	local := []unix.Iovec{{Base: &b[0], Len: 1}}
	_, err := unix.ProcessVMReadv(p.sibling, local, []unix.RemoteIovec{{Base: 4096, Len: 1}}, 0)
	if err == unix.EFAULT {
		return nil
	}
	return err
}

func ioUring(*prison) error {
	var params [120]byte
	fd, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	if errno != 0 {
		return errno
	}
	return unix.Close(int(fd))
}

// userNamespace starts a program in a user namespace of its own.
func userNamespace(*prison) error {
	p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}})
	if err != nil {
		return err
	}
	_, err = p.Wait()
	return err
}

func mount(p *prison) error {
	if err := unix.Mount("none", p.data, "tmpfs", 0, ""); err != nil {
		return err
	}
	return unix.Unmount(p.data, unix.MNT_DETACH)
}
