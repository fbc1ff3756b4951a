package sidecar_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// cell is what the program of a tool knows of its surroundings. Its tool requires
// {workspace}/data, and nothing else.
type cell struct {
	Escape, Dir             string
	Sidecar, Agent          int
	Abstract, TCP, TCP6     string
	UDP, UDP6, Unix, Secret string
}

func (c *cell) workspace() string { return c.Dir + "/ws" }
func (c *cell) data() string      { return c.Dir + "/ws/data" }

// toolEscapes are what that program does to get at more.
var toolEscapes = []struct {
	name  string
	play  func(c *cell) error
	layer string // what holds it
	root  bool   // only root could do it
}{
	{"a path that goes up", func(c *cell) error { return reads(c.data() + "/../../secret") }, "Landlock", false},
	{"an absolute path", func(c *cell) error { return reads(c.Secret) }, "Landlock", false},
	{"the root in /proc", func(c *cell) error { return reads("/proc/self/root" + c.Secret) }, "Landlock", false},
	{"a link planted before the call", func(c *cell) error { return reads(c.data() + "/planted") }, "Landlock", false},
	{"a link that it makes", ownLink, "Landlock", false},
	{"its directory swapped for a link during the call", waitsForSwap, "Landlock", false},
	{"a hard link", func(c *cell) error {
		return errors.Join(os.Link(c.Secret, c.data()+"/hard"), reads(c.data()+"/hard"))
	}, "Landlock", false},
	{"a new file in the workspace", func(c *cell) error { return os.WriteFile(c.workspace()+"/new", nil, 0o600) }, "Landlock", false},
	{"an inherited descriptor", inherited, "proc", false},
	{"an abstract socket", func(c *cell) error { return dials("unix", c.Abstract) }, "seccomp, Landlock", false},
	{"a Unix socket by path", func(c *cell) error { return dials("unix", c.Unix) }, "seccomp", false},
	{"the sidecar's environment", func(c *cell) error { return reads(fmt.Sprintf("/proc/%d/environ", c.Sidecar)) }, "Landlock, capabilities", true},
	{"the agent's memory", func(c *cell) error { return reads(fmt.Sprintf("/proc/%d/maps", c.Agent)) }, "Landlock, capabilities", false},
	{"tracing the sidecar", func(c *cell) error { return traces(c.Sidecar) }, "seccomp, Landlock, capabilities", true},
	{"tracing the agent", func(c *cell) error { return traces(c.Agent) }, "seccomp, Landlock, capabilities", true},
	{"a signal to the sidecar", func(c *cell) error { return unix.Kill(c.Sidecar, 0) }, "Landlock", false},
	{"a signal to the agent", func(c *cell) error { return unix.Kill(c.Agent, 0) }, "Landlock", false},
	{"io_uring", func(*cell) error { return calls(unix.SYS_IO_URING_SETUP, 1, make([]byte, 120)) }, "seccomp", false},
	{"a raw socket", func(*cell) error { return makes(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP, 0) }, "seccomp, capabilities", true},
	{"TCP to the sidecar", func(c *cell) error { return dials("tcp", strings.TrimPrefix(os.Getenv("SIDECAR_URL"), "http://")) }, "seccomp, Landlock", false},
	{"TCP", func(c *cell) error { return dials("tcp", c.TCP) }, "seccomp, Landlock", false},
	{"TCP by IPv6", func(c *cell) error { return dials("tcp", c.TCP6) }, "seccomp, Landlock", false},
	{"a DNS query", func(c *cell) error { return dials("udp", c.UDP) }, "seccomp", false},
	{"a DNS query by IPv6", func(c *cell) error { return dials("udp", c.UDP6) }, "seccomp", false},
	{"a listening port", func(*cell) error { return makes(unix.AF_INET, unix.SOCK_STREAM, 0, 1) }, "seccomp", false},
	{"a user namespace", func(*cell) error { return unshares() }, "seccomp", false},
	{"unshare", func(*cell) error { return unix.Unshare(unix.CLONE_NEWUTS) }, "seccomp, capabilities", true},
	{"a file of 10 GiB", func(c *cell) error {
		return errors.Join(os.WriteFile(c.data()+"/big", nil, 0o600), os.Truncate(c.data()+"/big", 10<<30))
	}, "limits", false},
}

// endless makes the program write without an end.
const endless = "output without an end"

// escaper is the program of a tool: it tries one escape and prints what came of it.
func escaper() int {
	var c cell
	must(json.NewDecoder(os.Stdin).Decode(&c))
	for chunk := bytes.Repeat([]byte("no end\n"), 10000); c.Escape == endless; {
		if _, err := os.Stdout.Write(chunk); err != nil {
			return 1
		}
	}
	for _, e := range toolEscapes {
		if e.name == c.Escape {
			if err := e.play(&c); err != nil {
				fmt.Print("held: ", strings.ReplaceAll(err.Error(), "\n", ", "))
			} else {
				fmt.Print("out")
			}
		}
	}
	return 0
}

func reads(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	return err
}

func ownLink(c *cell) error {
	return errors.Join(os.Symlink(c.Dir, c.data()+"/link"), reads(c.data()+"/link/secret"))
}

// waitsForSwap has somebody outside replace its directory by a link to another one.
func waitsForSwap(c *cell) error {
	f, err := os.OpenFile(c.data()+"/ready", os.O_WRONLY, 0)
	must(err)
	must(f.Close())
	for {
		if info, err := os.Lstat(c.data()); err == nil && info.Mode()&os.ModeSymlink != 0 {
			return reads(c.data() + "/secret")
		}
	}
}

// inherited looks for a file among the descriptors that it did not open itself.
func inherited(*cell) error {
	for fd := 3; fd < 256; fd++ {
		found := make([]byte, 6) // the runtime has files of its own
		if _, err := unix.Pread(fd, found, 0); err == nil && string(found) == "secret" {
			return nil
		}
	}
	return errors.New("there is none")
}

func dials(network, address string) error {
	c, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte("x"))
	return err
}

// makes makes a socket, and listens if it is told to.
func makes(family, kind, protocol, backlog int) error {
	fd, err := unix.Socket(family, kind, protocol)
	if err == nil && backlog > 0 {
		err = unix.Listen(fd, backlog)
	}
	return err
}

func traces(pid int) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, 0, 0, 0)
	return errnoOf(errno)
}

func errnoOf(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}

func unshares() error {
	p, err := os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER}})
	if err == nil {
		_, err = p.Wait()
	}
	return err
}

// jail is a sidecar with that tool.
type jail struct {
	*running
	cell cell
}

const jailTool = `[{"name":"test.escape","description":"Tries to get out.","inputSchema":{"type":"object"},"x-sidecar":{
	"bridge":{"exec":{"command":["PROGRAM"],"env":["` + asAgent + `"],"output":"text"}},
	"requires":{"fs":{"read":["{workspace}/data"],"write":["{workspace}/data"]}},"limits":{"disk":"1GiB"},"timeout":"30s"}}]`

// newCell makes a cell of a user, 0 for ours, and returns the definition of its tool.
func newCell(t *testing.T, uid int) (c cell, definition string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "escapes")
	sure(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	c = cell{Dir: dir, Secret: dir + "/secret", Unix: dir + "/socket", Abstract: "@" + filepath.Base(dir)}
	sure(t, errors.Join(os.Chmod(dir, 0o755), os.MkdirAll(c.data(), 0o755), os.Mkdir(dir+"/tmp", 0o755), os.Mkdir(dir+"/bin", 0o755), os.Symlink(c.Secret, c.data()+"/planted")))
	writeFile(t, c.Secret, "secret")
	self, err := os.ReadFile("/proc/self/exe")
	sure(t, err)
	sure(t, os.WriteFile(c.program(), self, 0o755))
	c.listens(t)
	if uid != 0 {
		sure(t, filepath.Walk(dir, func(path string, _ os.FileInfo, err error) error { return errors.Join(err, os.Lchown(path, uid, uid)) }))
	}
	return c, strings.ReplaceAll(jailTool, "PROGRAM", c.program())
}

func (c *cell) program() string { return c.Dir + "/bin/program" }

// clean removes what an escape may have left.
func (c *cell) clean() {
	for _, left := range []string{c.data() + "/link", c.data() + "/hard", c.data() + "/big", c.workspace() + "/new"} {
		if err := os.Remove(left); !errors.Is(err, os.ErrNotExist) {
			must(err)
		}
	}
}

// starts starts the program of a command in a cell, as a user, with a descriptor that it
// inherits.
func (c *cell) starts(t *testing.T, uid int, cmd *exec.Cmd) {
	t.Helper()
	cmd.Path, cmd.Dir = c.program(), c.Dir
	cmd.Env = append(cmd.Env, "HOME="+c.Dir, "TMPDIR="+c.Dir+"/tmp", "XDG_RUNTIME_DIR=")
	inherited, err := os.Open(c.Secret)
	sure(t, err)
	t.Cleanup(func() { inherited.Close() })
	cmd.ExtraFiles = []*os.File{inherited}
	if uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
}

// newJail starts a sidecar as a user, 0 for ours, with a sandbox or without.
func newJail(t *testing.T, uid int, sandbox string) *jail {
	t.Helper()
	c, definition := newCell(t, uid)
	j := &jail{cell: c}
	writeFile(t, c.Dir+"/tools.json", definition)
	cmd := sidecarCommand("run", "--host", "127.0.0.1", "--port", "0", "--log-format", "json", "--workspace", j.cell.workspace(),
		"--manifest", c.Dir+"/tools.json", "--output-bytes", "1MiB", "--sandbox", sandbox, "--mode", "lines", "--", "cat")
	cmd.Env = append(cmd.Env, asAgent+"=escaper")
	c.starts(t, uid, cmd)
	j.running = startCommand(t, cmd)
	j.waitServing()
	j.cell.Sidecar = cmd.Process.Pid
	j.cell.Agent = j.cell.Sidecar
	await.True(t, "the agent", func() bool {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", j.cell.Sidecar))
		sure(t, err)
		for _, path := range tasks {
			if b, err := os.ReadFile(path); err == nil && len(b) > 0 {
				_, err = fmt.Sscan(string(b), &j.cell.Agent)
				return err == nil
			}
		}
		return false
	})
	return j
}

// listens opens what the tool must not reach.
func (c *cell) listens(t *testing.T) {
	t.Helper()
	for _, l := range []struct {
		network, address string
		at               *string
	}{{"unix", c.Abstract, nil}, {"unix", c.Unix, nil}, {"tcp", "127.0.0.1:0", &c.TCP}, {"tcp", "[::1]:0", &c.TCP6}} {
		s, err := net.Listen(l.network, l.address)
		sure(t, err)
		t.Cleanup(func() { s.Close() })
		if l.at != nil {
			*l.at = s.Addr().String()
		}
	}
	for address, at := range map[string]*string{"127.0.0.1:0": &c.UDP, "[::1]:0": &c.UDP6} {
		s, err := net.ListenPacket("udp", address)
		sure(t, err)
		t.Cleanup(func() { s.Close() })
		*at = s.LocalAddr().String()
	}
}

// try has the tool try one escape and returns what it says.
func (j *jail) try(name string) string {
	t := j.t
	t.Helper()
	c := j.cell
	c.Escape = name
	arguments, err := json.Marshal(c)
	sure(t, err)
	if strings.Contains(name, "swapped") {
		back := c.swap()
		defer func() { sure(t, back()) }()
	}
	rep := j.do(http.MethodPost, "/a2a/tools/test.escape", "application/json", string(arguments))
	var e envelope
	var said string
	if json.Unmarshal([]byte(rep.body), &e) == nil && name == endless {
		return e.Metadata.Outcome + " " + e.Metadata.Reason
	}
	if json.Unmarshal(e.Data, &said) != nil {
		return "held: " + e.ErrorText
	}
	return said
}

// swap replaces the tool's directory by a link to another one, as soon as its program
// runs, and puts it back when the function that it returns is called.
func (c *cell) swap() (back func() error) {
	data, swapped := c.data(), make(chan error, 1)
	made := errors.Join(syscall.Mkfifo(data+"/ready", 0o666), os.Chmod(data+"/ready", 0o666))
	go func() {
		f, err := os.Open(data + "/ready") // waits for the program
		swapped <- errors.Join(made, err, f.Close(), os.Remove(data+"/ready"), os.Rename(data, data+".away"), os.Symlink(c.Dir, data))
	}()
	return func() error {
		if fd, err := unix.Open(data+"/ready", unix.O_WRONLY|unix.O_NONBLOCK, 0); err == nil {
			unix.Close(fd) // the program has never come
		}
		return errors.Join(<-swapped, os.Remove(data), os.Rename(data+".away", data))
	}
}

// TestToolEscapes shows each escape of a tool's program succeed with --sandbox off, and held by
// default. `make escapes` prints the table.
func TestToolEscapes(t *testing.T) {
	for _, l := range confine.Layers() {
		if !l.On {
			t.Skipf("the sandbox has no %s here: %s", l.Name, l.Why)
		}
	}
	users := []int{0}
	if os.Geteuid() == 0 {
		users = append(users, 65532)
	}
	for _, uid := range users {
		t.Run(fmt.Sprintf("user %d", max(uid, os.Geteuid())), func(t *testing.T) {
			off, auto := newJail(t, uid, "off"), newJail(t, uid, "auto")
			for _, e := range toolEscapes {
				free, held := off.try(e.name), auto.try(e.name)
				t.Logf("| %s | %s | %s | %s |", e.name, free, held, e.layer)
				if !strings.HasPrefix(held, "held: ") {
					t.Errorf("%s: it got out: %q", e.name, held)
				}
				if free != "out" && e.layer != "proc" && !e.root && !kernelRefuses(free) {
					t.Errorf("%s: without a sandbox it does not succeed either: %q", e.name, free)
				}
			}
			for _, j := range []*jail{off, auto} {
				if said := j.try(endless); said != "partial too_large" {
					t.Errorf("10 GiB of output: %s", said)
				}
			}
		})
	}
}

// kernelRefuses reports whether some things are not to be had on this machine at all.
func kernelRefuses(said string) bool {
	return strings.HasSuffix(said, "operation not permitted") || strings.HasSuffix(said, "function not implemented")
}

// calls makes a system call with a number and a place for its answer.
func calls(trap, n uintptr, answer []byte) error {
	fd, _, errno := unix.Syscall(trap, n, uintptr(unsafe.Pointer(&answer[0])), 0)
	if errno == 0 {
		unix.Close(int(fd))
	}
	return errnoOf(errno)
}
