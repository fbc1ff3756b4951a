package peertest

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Ways returns all ways to hide.
func Ways() []string { return []string{Thread, Flight, Ring, Leader} }

// Hide connects, sends the request, and hides the connection before the request arrives: the
// request is held back for 200 ms (TCP_CORK). It returns the local address. If the kernel does
// not allow io_uring, the error is the one of io_uring.
func Hide(way string, server netip.AddrPort, request string) (local netip.AddrPort, err error) {
	type result struct {
		local netip.AddrPort
		err   error
	}
	done := make(chan result)
	onThread(false, func() {
		if way == Thread {
			err = os.NewSyscallError("unshare", unix.Unshare(unix.CLONE_FILES))
		}
		var r result
		var fd int
		if r.err = err; r.err == nil {
			fd, r.local, r.err = send(server, request)
		}
		if r.err == nil {
			r.err = hide(way, fd)
		}
		done <- r
		select {} // so that the thread keeps its files
	})
	r := <-done
	if way == Leader && r.err == nil {
		onThread(true, func() { _, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0) })
		r.err = leaderEnds()
	}
	return r.local, r.err
}

// Play is a program that connects to the address args[1], says hello, hides the connection in
// the way args[0], prints "hidden" and its pid, and lives on.
func Play(args []string) int {
	if _, err := Hide(args[0], netip.MustParseAddrPort(args[1]), "hello\n"); err != nil {
		fmt.Println("cannot", err)
		return 1
	}
	fmt.Println("hidden", os.Getpid())
	select {}
}

// onThread runs f on the process's main thread, or on another thread. From then on the thread
// belongs to f's goroutine alone.
func onThread(main bool, f func()) {
	found := make(chan struct{})
	var try func()
	try = func() {
		runtime.LockOSThread()
		if (unix.Gettid() == os.Getpid()) == main {
			close(found)
			f()
			return
		}
		go try()
		<-found // until then no other goroutine gets this thread
		runtime.UnlockOSThread()
	}
	go try()
}

// leaderEnds waits until the process shows as a zombie.
func leaderEnds() error {
	for over := time.Now().Add(10 * time.Second); time.Now().Before(over); {
		stat, err := os.ReadFile("/proc/self/stat")
		if err != nil {
			return err
		}
		if strings.Contains(string(stat), ") Z ") {
			return nil
		}
		<-time.After(time.Millisecond)
	}
	return fmt.Errorf("the main thread does not end")
}

// send connects and writes the request, which is not sent yet.
func send(server netip.AddrPort, request string) (fd int, local netip.AddrPort, err error) {
	fd, err = unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, local, err
	}
	if err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_CORK, 1); err != nil {
		return -1, local, err
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: int(server.Port()), Addr: server.Addr().As4()}); err != nil {
		return -1, local, err
	}
	if _, err := unix.Write(fd, []byte(request)); err != nil {
		return -1, local, err
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return -1, local, err
	}
	in4 := name.(*unix.SockaddrInet4)
	return fd, netip.AddrPortFrom(netip.AddrFrom4(in4.Addr), uint16(in4.Port)), nil
}

func hide(way string, fd int) error {
	switch way {
	case Flight:
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		if err := unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
			return err
		}
		return unix.Close(fd)
	case Ring:
		if err := register(fd); err != nil {
			return err
		}
		return unix.Close(fd)
	}
	return nil
}

// register registers the file with a new io_uring.
func register(fd int) error {
	var params [120]byte // struct io_uring_params
	ring, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params)), 0)
	if errno != 0 {
		return os.NewSyscallError("io_uring_setup", errno)
	}
	const registerFiles = 2
	files := [1]int32{int32(fd)}
	if _, _, errno = unix.Syscall6(unix.SYS_IO_URING_REGISTER, ring, registerFiles, uintptr(unsafe.Pointer(&files)), 1, 0, 0); errno != 0 {
		return os.NewSyscallError("io_uring_register", errno)
	}
	return nil
}

// Answered waits until the connection has received something, whichever process holds it.
func Answered(local netip.AddrPort) error {
	a := local.Addr().As4()
	slices.Reverse(a[:])
	want := strings.ToUpper(hex.EncodeToString(a[:])) + fmt.Sprintf(":%04X", local.Port())
	for over := time.Now().Add(30 * time.Second); time.Now().Before(over); {
		table, err := os.Open("/proc/thread-self/net/tcp")
		if err != nil {
			return err
		}
		for lines := bufio.NewScanner(table); lines.Scan(); {
			c := strings.Fields(lines.Text())
			if c[1] == want && !strings.HasSuffix(c[4], ":00000000") {
				table.Close()
				return nil
			}
		}
		table.Close()
		<-time.After(5 * time.Millisecond)
	}
	return fmt.Errorf("nothing came for %v", local)
}
