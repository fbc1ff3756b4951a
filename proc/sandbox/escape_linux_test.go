package sandbox_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

const (
	landlock     = sandbox.Landlock
	seccomp      = sandbox.Seccomp
	capabilities = sandbox.Capabilities
)

// escapes are what a program does to get at what is not in its directory. Each succeeds without
// a sandbox.
var escapes = []struct {
	name string
	play func(p *prison) error
	// by are the layers each of which stops it alone, 0 if it is stopped without any.
	by sandbox.Layer
	// abi is the first version of Landlock that stops it.
	abi int
	// root: only root could do it.
	root bool
}{
	{"a path that goes up", func(p *prison) error { return read(p.data + "/../secret") }, landlock, 1, false},
	{"an absolute path", func(p *prison) error { return read(p.secret()) }, landlock, 1, false},
	{"the root in proc", func(p *prison) error { return read("/proc/self/root" + p.secret()) }, landlock, 1, false},
	{"a link that was there", func(p *prison) error { return read(p.data + "/planted") }, landlock, 1, false},
	{"a link made meanwhile", swapLink, landlock, 1, false},
	{"a hard link", hardLink, landlock, 1, false},
	{"a new file outside", func(p *prison) error { return os.WriteFile(p.dir+"/open/new", nil, 0o600) }, landlock, 1, false},
	{"truncation", func(p *prison) error { return unix.Truncate(p.dir+"/open/victim", 0) }, landlock, 3, false},
	{"truncation by opening", truncateByOpening, landlock, 3, false},
	{"an inherited file", func(p *prison) error { _, err := unix.Pread(p.fd, make([]byte, 1), 0); return err }, 0, 0, false},
	{"an abstract socket", func(p *prison) error { return dial("unix", p.abstract) }, landlock | seccomp, 6, false},
	{"a Unix socket by path", func(p *prison) error { return dial("unix", p.dir+"/open/socket") }, seccomp, 99, false},
	{"TCP", func(p *prison) error { return dial("tcp", p.tcp) }, landlock | seccomp, 4, false},
	{"a datagram", sendDatagram, seccomp, 99, false},
	{"a raw socket", func(*prison) error { return socket(unix.SOCK_RAW, unix.IPPROTO_ICMP) }, seccomp | capabilities, 99, true},
	{"a listening port", listenUnbound, seccomp, 99, false},
	{"a netlink socket", netlink, seccomp, 99, false},
	{"a signal", func(p *prison) error { return unix.Kill(p.sibling, 0) }, landlock, 6, false},
	{"the caller's environment", func(p *prison) error { return read(fmt.Sprintf("/proc/%d/environ", p.caller)) }, landlock | capabilities, 1, true},
	{"tracing the caller", func(p *prison) error { return seize(p.caller) }, landlock | seccomp | capabilities, 1, true},
	{"memory of another", peek, landlock | seccomp | capabilities, 1, true},
	{"io_uring", ioUring, seccomp, 99, false},
	{"a user namespace", userNamespace, seccomp, 99, false},
	{"unshare", func(*prison) error { return unix.Unshare(unix.CLONE_NEWUTS) }, seccomp | capabilities, 99, true},
	{"a mount", mount, landlock | seccomp | capabilities, 1, true},
	{"another root", func(p *prison) error { return unix.Chroot(p.data) }, seccomp | capabilities, 99, true},
}

// prison is where a program finds what it must not reach.
type prison struct {
	dir, data     string // data is what it may use
	program       string
	abstract, tcp string
	udp           string
	fd            int // inherited
	caller        int // the test's process
	sibling       int // a process of the same user
}

func (p *prison) secret() string { return p.dir + "/secret" }

func (p *prison) args() []string {
	return []string{p.dir, p.abstract, p.tcp, p.udp, strconv.Itoa(p.fd), strconv.Itoa(p.caller), strconv.Itoa(p.sibling)}
}

// played is how a program of these tests ends when it has played. It is not 0: at that the race
// detector lingers for a second, and in a sandbox it cannot read that it should not.
const played = 3

// playEscape is a program that tries one escape and prints what came of it.
func playEscape(args []string) int {
	n, _ := strconv.Atoi(args[0])
	p := &prison{dir: args[1], data: args[1] + "/data", abstract: args[2], tcp: args[3], udp: args[4]}
	p.fd, _ = strconv.Atoi(args[5])
	p.caller, _ = strconv.Atoi(args[6])
	p.sibling, _ = strconv.Atoi(args[7])
	if err := escapes[n].play(p); err != nil {
		fmt.Print("held: ", err)
		return played
	}
	fmt.Print("out")
	return played
}

// newPrison makes all that the escapes need, for a user.
func newPrison(t *testing.T, h *proc.Host, program string, user *proc.User) *prison {
	t.Helper()
	dir, err := os.MkdirTemp("", "prison")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p := &prison{dir: dir, data: dir + "/data", program: program, caller: os.Getpid()}
	for _, d := range []string{"data", "open", "moved"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range map[string]string{"secret": "s", "moved/secret": "s", "open/victim": "v"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(p.secret(), p.data+"/planted"); err != nil {
		t.Fatal(err)
	}
	if p.fd, err = unix.Open(p.secret(), unix.O_RDONLY, 0); err != nil { // not closed on exec
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(p.fd) })
	p.listen(t)
	if user != nil {
		err := filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(path, int(user.UID), int(user.GID))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	c := proctest.Shell("echo up; exec sleep 600")
	c.User = user
	sibling := proctest.Start(t, h, c)
	proctest.Follow(t, sibling).Line("up")
	p.sibling = sibling.PID()
	return p
}

// everybodysProgram returns a copy of the test binary that every user can run.
func everybodysProgram(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "program")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.ReadFile(proctest.Self(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(dir+"/program", self, 0o755), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return dir + "/program"
}

// listen opens the sockets that nobody may reach.
func (p *prison) listen(t *testing.T) {
	t.Helper()
	p.abstract = "@" + filepath.Base(p.dir)
	for _, address := range []string{p.abstract, p.dir + "/open/socket"} {
		l, err := net.Listen("unix", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p.tcp = l.Addr().String()
	u, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	p.udp = u.LocalAddr().String()
}

// try runs one escape, in the sandbox if there is one, and reports whether it got out.
func (p *prison) try(t *testing.T, h *proc.Host, n int, box *sandbox.Sandbox, user *proc.User) (out bool, says string) {
	t.Helper()
	c := proctest.Command(t, append([]string{"escape", strconv.Itoa(n)}, p.args()...)...)
	c.Argv[0], c.Sandbox, c.User = p.program, box, user
	says, stderr, exit := proctest.Output(proctest.Start(t, h, c))
	if exit.Code != played || says != "out" && !strings.HasPrefix(says, "held: ") {
		t.Fatalf("the program failed: %q %q %v", says, stderr, exit)
	}
	return says == "out", says
}

// rules let the program start, use its directory, and read another one.
func (p *prison) rules() sandbox.Rules {
	r := sandbox.System()
	r.Exec = append(r.Exec, sandbox.Root{Path: p.program})
	r.Write = []sandbox.Root{{Base: p.dir, Path: "data"}}
	r.Read = append(r.Read, sandbox.Root{Base: p.dir, Path: "open"})
	return r
}

// users are those as whom the escapes are tried.
func users() map[string]*proc.User {
	all := map[string]*proc.User{"ourselves": nil}
	if os.Geteuid() == 0 {
		all["another user"] = &proc.User{UID: 65532, GID: 65532}
	}
	return all
}

// TestEscapes shows each escape succeed without a sandbox, fail in one, and fail under each layer
// alone that is said to stop it.
func TestEscapes(t *testing.T) {
	program := everybodysProgram(t)
	for who, user := range users() {
		t.Run(who, func(t *testing.T) {
			for n, e := range escapes {
				t.Run(e.name, func(t *testing.T) {
					if e.root && (user != nil || os.Geteuid() != 0) {
						t.Skip("only root could do it")
					}
					h := proctest.NewHost(t)
					p := newPrison(t, h, program, user)
					full := newSandbox(t, p.rules(), sandbox.AllLayers)
					if out, says := p.try(t, h, n, full, user); out {
						t.Error("it got out of the whole sandbox")
					} else {
						t.Log(says)
					}
					for _, layer := range []sandbox.Layer{landlock, seccomp, capabilities} {
						if user != nil {
							break // the layers are the same for every user
						}
						r := p.rules()
						r.Off = sandbox.AllLayers &^ layer
						stopped := e.by == 0 || e.by&layer != 0 && (layer != landlock || sandbox.Probe().ABI >= e.abi)
						if out, says := p.try(t, h, n, newSandbox(t, r, layer), user); out == stopped {
							t.Errorf("under %s alone it got out: %t (%s), want %t", layer, out, says, !stopped)
						}
					}
					p = newPrison(t, h, program, user)
					if out, says := p.try(t, h, n, nil, user); !out {
						t.Skipf("it does not succeed here without a sandbox either: %s", says)
					}
				})
			}
		})
	}
}

// TestOlderKernels masks the kernel's Landlock: an older version stops what it knows, and with
// the other layers everything but what Gaps says.
func TestOlderKernels(t *testing.T) {
	program := everybodysProgram(t)
	h := proctest.NewHost(t)
	p := newPrison(t, h, program, nil)
	newest := min(sandbox.Probe().ABI, 7)
	for abi := 1; abi <= newest; abi++ {
		for n, e := range escapes {
			if e.by&landlock == 0 || e.root || abi != e.abi && abi != e.abi-1 {
				continue
			}
			r := p.rules()
			r.ABI, r.Off = abi, seccomp|capabilities
			if out, says := p.try(t, h, n, newSandbox(t, r, landlock), nil); out != (abi < e.abi) {
				t.Errorf("ABI %d alone, %s: out %t (%s)", abi, e.name, out, says)
			}
			r = p.rules()
			r.ABI = abi
			open := e.name == "a signal" && len(sandbox.Gaps(abi)) > 0 && abi < 6
			if out, says := p.try(t, h, n, newSandbox(t, r, sandbox.AllLayers), nil); out != open {
				t.Errorf("ABI %d with the other layers, %s: out %t (%s)", abi, e.name, out, says)
			}
		}
	}
}

func read(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.ReadFull(f, make([]byte, 1))
	return err
}
