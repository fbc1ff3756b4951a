package sandbox_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// playReach is a program that tries to get out. Its arguments are "network address"; it prints
// for each whether there was somebody. "listen network address" listens there until standard input
// ends.
func playReach(args []string) int {
	for _, a := range args {
		f := strings.Fields(a)
		if f[0] == "listen" {
			l, err := net.Listen(f[1], f[2])
			fmt.Println(a, err == nil)
			_, _ = io.Copy(io.Discard, os.Stdin)
			if err == nil {
				l.Close()
			}
			continue
		}
		fmt.Println(a, reaches(f[0], f[1]))
	}
	return 0
}

// reaches reports whether somebody at an address answers with a word.
func reaches(network, address string) bool {
	conn, err := net.DialTimeout(network, address, 5*time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := conn.Write([]byte("?")); err != nil {
		return false
	}
	b := make([]byte, 5)
	n, err := conn.Read(b)
	return err == nil && string(b[:n]) == "hello"
}

// answer says hello to everyone who comes.
func answer(t *testing.T, l net.Listener) {
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.CopyN(io.Discard, conn, 1)
			_, _ = io.WriteString(conn, "hello")
			conn.Close()
		}
	}()
}

// outside listens in the test's own network, and returns what reaches it.
func outside(t *testing.T) (targets []string) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			continue // there is no IPv6 here
		}
		answer(t, l)
		targets = append(targets, "tcp "+l.Addr().String())
	}
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	go func() {
		b := make([]byte, 1)
		for {
			_, from, err := u.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = u.WriteTo([]byte("hello"), from)
		}
	}()
	abstract, err := net.Listen("unix", "@"+filepath.Base(t.TempDir())+t.Name())
	if err != nil {
		t.Fatal(err)
	}
	answer(t, abstract)
	return append(targets, "udp "+u.LocalAddr().String(), "unix "+abstract.Addr().String())
}

// newNamespace makes a namespace, or skips the test.
func newNamespace(t testing.TB) *sandbox.Namespace {
	t.Helper()
	spaces := sandbox.NewNamespaces(proctest.Self(t))
	if err := spaces.Fault(); err != nil {
		t.Skip(err)
	}
	n, err := spaces.New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// A namespace alone, without any other layer, keeps a program in: each way out is open without it.
func TestNamespace(t *testing.T) {
	n := newNamespace(t)
	answer(t, n.Listener())
	ours := fmt.Sprintf("tcp 127.0.0.1:%d", sandbox.NamespacePort)
	open := sandbox.Rules{Net: &sandbox.Net{Listen: true, Datagrams: true, Local: true}, Off: sandbox.AllLayers}
	box := newSandbox(t, open, 0)
	targets := outside(t)
	h := proctest.NewHost(t)
	for _, inside := range []bool{false, true} {
		c := proctest.Command(t, append([]string{"reach"}, append(targets, ours)...)...)
		c.Sandbox = box
		if inside {
			c.Sandbox = box.With(sandbox.More{Namespace: n})
		}
		out, stderr, _ := proctest.Output(proctest.Start(t, h, c))
		for _, target := range targets {
			if want := fmt.Sprintln(target, !inside); !strings.Contains(out, want) {
				t.Errorf("inside %v, %s: %q %q", inside, target, out, stderr)
			}
		}
		if want := fmt.Sprintln(ours, inside); !strings.Contains(out, want) {
			t.Errorf("inside %v, our listener: %q %q", inside, out, stderr)
		}
	}
}

// What a program listens at in its namespace is reached by nobody, nor is our listener from
// outside or from another namespace.
func TestNamespaceIsClosed(t *testing.T) {
	n, other := newNamespace(t), newNamespace(t)
	answer(t, n.Listener())
	box := newSandbox(t, sandbox.Rules{Net: &sandbox.Net{Listen: true}, Off: sandbox.AllLayers}, 0)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	free.Close()
	c := proctest.Command(t, "reach", fmt.Sprintf("listen tcp :%d", port))
	c.Sandbox = box.With(sandbox.More{Namespace: n})
	child := proctest.Start(t, proctest.NewHost(t), c)
	listens := proctest.Follow(t, child)
	if word := listens.Line("listen"); !strings.HasSuffix(word, "true") {
		t.Fatal(word)
	}
	for _, at := range []int{port, sandbox.NamespacePort} {
		if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", at)); err == nil {
			conn.Close()
			t.Errorf("port %d is reached from outside", at)
		}
	}
	child.Stdin().Close()
	c = proctest.Command(t, "reach", fmt.Sprintf("tcp 127.0.0.1:%d", sandbox.NamespacePort))
	c.Sandbox = box.With(sandbox.More{Namespace: other})
	if out, _, _ := proctest.Output(proctest.Start(t, proctest.NewHost(t), c)); !strings.Contains(out, "false") {
		t.Errorf("another namespace's listener is reached: %q", out)
	}
}

// The caller stays in its own network, however many namespaces are made at once.
func TestNamespacesLeaveTheCallerAlone(t *testing.T) {
	spaces := sandbox.NewNamespaces("")
	if err := spaces.Fault(); err != nil {
		t.Skip(err)
	}
	before, err := os.Readlink("/proc/self/ns/net")
	if err != nil {
		t.Skip(err)
	}
	made := make(chan error)
	for range 16 {
		go func() {
			n, err := spaces.New()
			if err == nil {
				err = n.Close()
			}
			made <- err
		}()
	}
	for range 16 {
		if err := <-made; err != nil {
			t.Error(err)
		}
	}
	proctest.Eventually(t, "the end of the threads", func() bool {
		threads, _ := filepath.Glob("/proc/self/task/*/ns/net")
		for _, f := range threads {
			if at, err := os.Readlink(f); err == nil && at != before {
				return false
			}
		}
		return true
	})
}
