package peer_test

import (
	"net"
	"net/netip"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/peer"
)

// connection is both ends of a TCP connection on this machine.
func connection(t *testing.T, network, address string) (ours, theirs *net.TCPConn) {
	t.Helper()
	ln, err := net.Listen(network, address)
	if err != nil {
		t.Skip(err)
	}
	defer ln.Close()
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	s, err := ln.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); s.Close() })
	return s.(*net.TCPConn), c.(*net.TCPConn)
}

func ends(t *testing.T, c net.Conn) (local, remote netip.AddrPort) {
	t.Helper()
	return netip.MustParseAddrPort(c.LocalAddr().String()), netip.MustParseAddrPort(c.RemoteAddr().String())
}

// give hands a connection's end to a child, or a child of that, alone.
func give(t *testing.T, c *net.TCPConn, script string) {
	t.Helper()
	f, err := c.File()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.ExtraFiles = []*os.File{f}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	f.Close()
	c.Close()
}

func TestOwnPeer(t *testing.T) {
	for _, c := range []struct{ name, network, address string }{
		{"IPv4", "tcp4", "127.0.0.1:0"}, {"IPv6", "tcp6", "[::1]:0"}, {"both", "tcp", ":0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours, theirs := connection(t, c.network, c.address)
			if local, remote := ends(t, ours); peer.Of(local, remote) != peer.Other {
				t.Error("this process is taken for one that it has started")
			}
			give(t, theirs, "exec 4<&0; cat <&4 & exec 3<&- 4<&-; wait")
			if local, remote := ends(t, ours); peer.Of(local, remote) != peer.Own {
				t.Error("a descendant is not recognised")
			}
		})
	}
}

// What ends at once has not closed its files before it is gone.
func TestOwnPeerEnds(t *testing.T) {
	for range 20 {
		ours, theirs := connection(t, "tcp4", "127.0.0.1:0")
		give(t, theirs, "exit 0")
		if local, remote := ends(t, ours); peer.Of(local, remote) == peer.Other {
			t.Fatal("a descendant that ends is not recognised")
		}
	}
}

// An end that nobody has any more may have been anybody's.
func TestOwnPeerGone(t *testing.T) {
	ours, theirs := connection(t, "tcp4", "127.0.0.1:0")
	theirs.Close()
	local, remote := ends(t, ours)
	for late := time.After(10 * time.Second); peer.Of(local, remote) != peer.Hidden; {
		select {
		case <-late:
			t.Fatal("a closed end is taken for somebody else's")
		default:
		}
	}
}
