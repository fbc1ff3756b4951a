package peer_test

import (
	"bufio"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/peer"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// playElsewhere runs in a network namespace of its own, is called from another
// one, and says who that was taken for.
func playElsewhere([]string) int {
	exe, err := os.Executable()
	if err != nil {
		return 1
	}
	caller := exec.Command(exe, "dial")
	caller.Stderr, caller.SysProcAttr = os.Stderr, &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: unix.SIGKILL}
	in, err := caller.StdinPipe()
	if err != nil {
		return 1
	}
	if err := caller.Start(); err != nil {
		fmt.Println("cannot", err)
		return 1
	}
	defer caller.Wait()
	defer in.Close()
	at := []string{"nsenter", "-n", "-t", strconv.Itoa(caller.Process.Pid)}
	for _, c := range [][]string{
		{"ip", "link", "add", "near", "type", "veth", "peer", "name", "far", "netns", strconv.Itoa(caller.Process.Pid)},
		{"ip", "addr", "add", "192.0.2.1/24", "dev", "near"}, {"ip", "link", "set", "near", "up"},
		append(at, "ip", "addr", "add", "192.0.2.2/24", "dev", "far"), append(at, "ip", "link", "set", "far", "up"),
	} {
		if out, err := exec.Command(c[0], c[1:]...).CombinedOutput(); err != nil {
			fmt.Printf("cannot %q: %v %q\n", c, err, out)
			return 1
		}
	}
	ln, err := net.Listen("tcp4", "192.0.2.1:0")
	if err != nil {
		return 1
	}
	fmt.Fprintln(in, ln.Addr())
	return sayPeer(ln.Accept())
}

// playDial connects to the address that it is told, and stays.
func playDial([]string) int {
	lines := bufio.NewReader(os.Stdin)
	address, err := lines.ReadString('\n')
	if err != nil {
		return 1
	}
	c, err := net.Dial("tcp", strings.TrimSpace(address))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer c.Close()
	_, _ = lines.ReadString('\n')
	return 0
}

func sayPeer(c net.Conn, err error) int {
	if err != nil {
		fmt.Println("cannot", err)
		return 1
	}
	defer c.Close()
	local, remote := netip.MustParseAddrPort(c.LocalAddr().String()), netip.MustParseAddrPort(c.RemoteAddr().String())
	fmt.Println("peer", int(peer.Of(local, remote)))
	return 0
}

// playWithoutProc runs in a mount namespace of its own and calls itself where
// /proc is empty.
func playWithoutProc([]string) int {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		fmt.Println("cannot", err)
		return 1
	}
	if err := unix.Mount("none", "/proc", "tmpfs", 0, ""); err != nil {
		fmt.Println("cannot", err)
		return 1
	}
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 1
	}
	if _, err := net.Dial("tcp4", ln.Addr().String()); err != nil {
		return 1
	}
	return sayPeer(ln.Accept())
}

func TestPeerApart(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root to make namespaces")
	}
	for _, c := range []struct {
		program string
		flag    uintptr
		want    peer.Holder
	}{
		{"elsewhere", unix.CLONE_NEWNET, peer.Other},
		{"noproc", unix.CLONE_NEWNS, peer.Unseen},
	} {
		t.Run(c.program, func(t *testing.T) {
			exe, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(exe, c.program)
			cmd.Env = append(os.Environ(), proctest.ProgramVariable+"=1", proctest.NoExitPause)
			cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: c.flag, Pdeathsig: unix.SIGKILL}
			out, err := cmd.CombinedOutput()
			if strings.HasPrefix(string(out), "cannot") {
				t.Skipf("no such namespace here: %s", out)
			}
			if want := fmt.Sprintln("peer", int(c.want)); err != nil || string(out) != want {
				t.Errorf("%v, %q instead of %q", err, out, want)
			}
		})
	}
}
