package call_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
)

// bashEscapes are lines by which a command tries to get at what is not its own. Each prints "out" if it does. The mode and
// the times of a file are not among it: Landlock does not hold them.
func bashEscapes(dir, workspace, tcp string) []string {
	secret, victim := dir+"/secret", dir+"/victim"
	host, port, _ := strings.Cut(tcp, ":")
	return []string{
		"cat " + secret + " && echo out",
		"cat ../secret && echo out",
		"cat planted && echo out",
		"cat /proc/self/root" + secret + " && echo out",
		"cat /proc/$PPID/environ && echo out",
		"cat /proc/$PPID/cmdline && echo out",
		"ln -s " + secret + " l && cat l && echo out",
		"ln " + secret + " hard && echo out",
		"cp " + secret + " c && echo out",
		"mv " + secret + " m && echo out",
		"cd .. && ls && echo out",
		"ls " + dir + " && echo out",
		"echo x > " + dir + "/new && echo out",
		"echo x > ../new && echo out",
		": > " + victim + " && echo out",
		"echo x >> " + victim + " && echo out",
		"rm " + victim + " && echo out",
		"mkdir " + dir + "/d && echo out",
		"mv " + workspace + " " + dir + "/moved && echo out",
		"cat /etc/shadow && echo out",
		"cat /etc/passwd && echo out",
		"ls /tmp && echo out",
		"echo x > /tmp/bash-escape && echo out",
		"echo x > /dev/shm/bash-escape && echo out",
		"kill -0 $PPID && echo out",
		"mount -t tmpfs none . && echo out",
		"unshare -U true && echo out",
		"unshare -m true && echo out",
		"chroot . /bin/true && echo out",
		"bash -c 'exec 3<>/dev/tcp/" + host + "/" + port + "' && echo out",
		"(setsid sh -c 'cat " + secret + " && echo out')",
		"find / -maxdepth 3 -name secret 2>/dev/null | grep -q . && echo out",
	}
}

// Nothing that a command does gets it out of the workspace; without a sandbox most of it would. The audit says what held it.
func TestBashEscapes(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, name := range []string{"core.bash", "core.background"} {
		kept := &inMemory{}
		workspace := filepath.Join(base, name)
		r, _ := shellRig(t, sandboxed(t, confine.Required), func(o *call.Options) { o.Workspace, o.Audit = workspace, kept })
		put(t, filepath.Join(workspace, "in"), "in")
		for _, line := range bashEscapes(base, workspace, l.Addr().String()) {
			put(t, filepath.Join(base, "secret"), "s3cret")
			put(t, filepath.Join(base, "victim"), "v")
			_ = os.Symlink(filepath.Join(base, "secret"), filepath.Join(workspace, "planted"))
			e := r.escape(name, line)
			if strings.Contains(e, "out\n") || strings.Contains(e, "s3cret") {
				t.Errorf("%s: %s\n%s", name, line, e)
			}
		}
		if got := kept.records()[1]; name == "core.bash" && (strings.Join(got.Sandbox, " ") != "landlock seccomp capabilities" || got.ExitCode == nil) {
			t.Errorf("the audit has %+v", got)
		}
	}
}

// escape runs a line by a tool, and returns what it said.
func (r *rig) escape(name, line string) string {
	if name == "core.bash" {
		e := r.bash(line)
		if len(e.env.Data) == 0 {
			return "" // it said nothing
		}
		return e.said()
	}
	_, all := r.conversation("escapes").start(line, "has ended")
	return all
}

// Ordinary work is possible: what the workspace has is read, written, built and run.
func TestBashWorks(t *testing.T) {
	r, dir := shellRig(t, sandboxed(t, confine.Required))
	put(t, filepath.Join(dir, "hello.sh"), "#!/bin/sh\necho hello from $0\n")
	for line, want := range map[string]string{
		"chmod +x hello.sh && ./hello.sh":                                      "hello from ./hello.sh\n",
		"mkdir -p a/b && printf x > a/b/c && mv a/b/c d && cat d && rm -r a d": "x",
		"printf x > $TMPDIR/t && cat $TMPDIR/t":                                "x",
		"printf x > $HOME/t && cat ~/t":                                        "x",
		"printf '3\n1\n2\n' | sort | head -1 | tee first | cat":                "1\n",
		"test -t 0 || echo no terminal":                                        "no terminal\n",
	} {
		if e := r.bash(line); e.said() != want {
			t.Errorf("%s: %s", line, e.inv.Envelope())
		}
	}
}

// There is no network, but to the hosts that the policy file grants.
func TestBashNetwork(t *testing.T) {
	confined := networked(t)
	four, _, _ := upstreams(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		hosts       []string
		proxy, bare string
	}{{nil, "no proxy", "no"}, {[]string{four}, "200 hello", "no"}, {[]string{"other.example"}, "403", "no"}} {
		_, dir := shellRig(t)
		scope, err := capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{dir}})
		if err != nil {
			t.Fatal(err)
		}
		scope = scope.WithGrants(func() *manifest.Requires {
			return &manifest.Requires{NetHosts: c.hosts, FSRead: []string{filepath.Dir(self)}}
		})
		r, _ := shellRig(t, confined, func(o *call.Options) { o.Workspace, o.Scope = dir, scope })
		e := r.bash(fmt.Sprintf("%s tool:reach 'proxy http://%s/' 'tcp %s'", self, four, four))
		var got map[string]string
		if err := json.Unmarshal([]byte(e.said()), &got); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got["proxy http://"+four+"/"], c.proxy) || got["tcp "+four] != c.bare {
			t.Errorf("%v: %v", c.hosts, got)
		}
	}
}

// 100 MB of output: the head is kept, the side file has all of it or says where it ends, and memory is bounded.
func TestBashHugeOutput(t *testing.T) {
	const line = "yes 0123456789abcdef | head -c 100000000"
	for _, limit := range []int64{1 << 30, 10 << 20} {
		r, _ := shellRig(t, withOutputs(t, limit))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		e := r.bash(line)
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 32<<20 {
			t.Errorf("%d MiB were allocated", got>>20)
		}
		var data struct{ Head string }
		if err := json.Unmarshal(e.env.Data, &data); err != nil || len(data.Head) != 200_000 || !e.env.Metadata.Truncated {
			t.Fatalf("%d bytes, %v", len(data.Head), err)
		}
		file, err := os.ReadFile(e.env.Metadata.OutputPath)
		if err != nil || !strings.HasPrefix(string(file), data.Head) || int64(len(file)) != min(100_000_000, limit) {
			t.Errorf("the side file has %d bytes, %v", len(file), err)
		}
		if limit < 100_000_000 && (e.inv.Outcome().String() != "partial" || e.env.Metadata.Reason != "too_large") {
			t.Errorf("%v", e.inv.Outcome())
		}
	}
}

// Bytes that are no text are a file of the result; those that come later are marked.
func TestBashBinary(t *testing.T) {
	r, _ := shellRig(t)
	e := r.bash(`printf '\000\001\377'`).is("artifact", a2a.StateCompleted, 200)
	if p := e.artifact("output"); string(p.Raw) != "\x00\x01\xff" {
		t.Errorf("%q", p.Raw)
	}
	if got := r.bash(`printf 'a\377b\n'; exit 1`); got.text() != "exit status 1" {
		t.Errorf("%s", got.inv.Envelope())
	}
}

// Secrets are taken out of what a command says, also of one that goes on.
func TestBashSecrets(t *testing.T) {
	r, _ := shellRig(t, hiding(t))
	r.bash("printf 'it is acme-0123'; printf '456789abcdef\n'").is("redacted", a2a.StateCompleted, 200).data(`"it is [redacted]\n"`)
	r.bash("echo acme-0123456789abcdef; exit 1").says("exit status 1").data(`"[redacted]\n"`)
	b := r.conversation("a")
	if _, got := b.start("printf 'it is acme-0123'; printf '456789abcdef\n'", "has ended"); !strings.Contains(got, "[redacted]\n") || strings.Contains(got, "acme") || strings.Contains(got, "456789") {
		t.Errorf("%q", got)
	}
}

// A command runs as the user of tools.
func TestBashAsAnotherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	dir, err := os.MkdirTemp("", "bash-user")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	user := &proc.User{UID: 65532, GID: 65532}
	if err := os.Chown(dir, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	runtimeDir, err := os.MkdirTemp("", "bash-run")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(runtimeDir)
	if err := os.Chmod(runtimeDir, 0o711); err != nil {
		t.Fatal(err)
	}
	keeper, err := confine.New(confine.Options{Mode: confine.Auto, User: user})
	if err != nil {
		t.Fatal(err)
	}
	r, _ := shellRig(t, func(o *call.Options) { o.User, o.Workspace, o.RuntimeDir, o.Sandbox = user, dir, runtimeDir, keeper })
	if e := r.bash("id -u; echo x > new; stat -c %u new; echo y > $TMPDIR/t && cat $TMPDIR/t"); e.said() != "65532\n65532\ny\n" {
		t.Errorf("%s", e.inv.Envelope())
	}
}

// A command that multiplies is ended with all that it has started.
func TestBashEndsWhatMultiplies(t *testing.T) {
	r, dir := shellRig(t)
	e := r.bash(`trap '' TERM; i=0; while [ $i -lt 100 ]; do (trap '' TERM; (setsid sleep 600) & sleep 600) & i=$((i+1)); done; echo $$ > pid; echo all; wait`, "timeout", 3000)
	if e.env.Metadata.Reason != "timed_out" || e.said() != "all\n" {
		t.Errorf("%s", e.inv.Envelope())
	}
	pid, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if alive(number(t, pid)) {
		t.Error("the shell lives")
	}
}
