package peer_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc/peer"
	"github.com/a2a-sidecar/sidecar/proc/peer/peertest"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// accepted is the server's end of the next connection, after its first line.
func accepted(t *testing.T, ln net.Listener) net.Conn {
	t.Helper()
	ln.(*net.TCPListener).SetDeadline(time.Now().Add(proctest.Patience))
	c, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(proctest.Patience))
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || line != "hello\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return c
}

// hidden is a connection that a process of ours has hidden.
func hidden(t *testing.T, how, way string) net.Conn {
	t.Helper()
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	args := []string{"hidden", way, ln.Addr().String()}
	if how != "" {
		args = append([]string{"spawn", how}, args...)
	}
	s := proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), proctest.Command(t, args...)))
	if said := s.Line(""); strings.HasPrefix(said, "cannot") {
		if way == peertest.Ring {
			t.Skip("the kernel refuses io_uring:", said)
		}
		t.Fatal(said)
	}
	return accepted(t, ln)
}

// Whoever hides is taken for nobody else.
func TestHiddenPeer(t *testing.T) {
	for way, want := range map[string]peer.Holder{
		peertest.Thread: peer.Own, peertest.Leader: peer.Own,
		peertest.Flight: peer.Hidden, peertest.Ring: peer.Hidden,
	} {
		t.Run(way, func(t *testing.T) {
			local, remote := ends(t, hidden(t, "", way))
			if got := peer.Of(local, remote); got != want {
				t.Errorf("a descendant that hides is taken for %v, not %v", got, want)
			}
		})
	}
}

// Of a socket that nobody is seen to have nothing is known but who made it.
func TestHiddenPeerOfAnother(t *testing.T) {
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	// Its parent ends, and it is nobody's of ours.
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "spawn", "sx", "hidden", peertest.Flight, ln.Addr().String())
	cmd.Env = append(os.Environ(), proctest.ProgramVariable+"=1", proctest.NoExitPause)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Fscanf(out, "hidden %d\n", &pid); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL); cmd.Wait() })
	if err := cmd.Process.Signal(syscall.Signal(0)); err != nil {
		t.Fatal(err)
	}
	proctest.Eventually(t, "its parent to end", func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
		return strings.Contains(string(stat), ") Z ")
	})
	local, remote := ends(t, accepted(t, ln))
	if got := peer.Of(local, remote); got != peer.Other {
		t.Errorf("none of ours can have made it, and it is taken for %v", got)
	}
	proctest.Follow(t, proctest.Start(t, proctest.NewHost(t), proctest.Command(t, "block"))).Line("pid")
	if got := peer.Of(local, remote); got != peer.Hidden {
		t.Errorf("one of the same user's may have made it, and it is taken for %v", got)
	}
}

// A connection that was reset is in no table any more.
func TestResetPeerIsNotAnotherMachine(t *testing.T) {
	ours, theirs := connection(t, "tcp4", "127.0.0.1:0")
	local, remote := ends(t, ours)
	theirs.SetLinger(0)
	theirs.Close()
	if got := peer.Of(local, remote); got != peer.Hidden {
		t.Errorf("taken for %v", got)
	}
}

// playHandOn connects when it is told to, and gives the connection away.
func playHandOn(args []string) int {
	if _, err := fmt.Scanln(); err != nil && err.Error() != "unexpected newline" {
		return 1
	}
	c, err := net.Dial("tcp", args[0])
	if err != nil {
		return 1
	}
	fmt.Fprintln(c, "hello")
	f, err := c.(*net.TCPConn).File()
	if err != nil {
		return 1
	}
	to, err := net.Dial("unix", args[1])
	if err != nil {
		return 1
	}
	if _, _, err := to.(*net.UnixConn).WriteMsgUnix([]byte{0}, unix.UnixRights(int(f.Fd())), nil); err != nil {
		return 1
	}
	f.Close()
	c.Close()
	fmt.Println("handed on")
	select {}
}

// A program that takes files from anybody can be made to hold one. The cgroup
// that the socket was made in tells.
func TestHandedOnPeer(t *testing.T) {
	group := filepath.Join("/sys/fs/cgroup/unified", fmt.Sprint("sidecar-test-", os.Getpid()))
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.procs"); err == nil {
		group = filepath.Join("/sys/fs/cgroup", filepath.Base(group))
	}
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Skip("no cgroup can be made here: ", err)
	}
	defer os.Remove(group)
	ln, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	taker, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer taker.Close()
	child := proctest.Start(t, proctest.NewHost(t), proctest.Command(t, "handon", ln.Addr().String(), taker.Addr().String()))
	defer child.Kill()
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(child.PID())), 0); err != nil {
		t.Skip("no process can be put into a cgroup here: ", err)
	}
	fmt.Fprintln(child.Stdin())
	s := proctest.Follow(t, child)
	from, err := taker.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	oob := make([]byte, unix.CmsgSpace(4))
	if _, _, _, _, err := from.(*net.UnixConn).ReadMsgUnix(make([]byte, 1), oob); err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(int(oob[unix.CmsgLen(0)]))
	s.Line("handed on")
	local, remote := ends(t, accepted(t, ln))
	if got := peer.Of(local, remote); got != peer.Hidden {
		t.Errorf("a connection that one of ours has made and given away is taken for %v", got)
	}
	s.Child.Kill() // the cgroup can be removed then
}
