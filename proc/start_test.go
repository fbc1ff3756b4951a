package proc_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
)

// write makes a file and returns its path.
func write(t *testing.T, dir, name, content string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStartErrorsNameTheThingAndTheFix(t *testing.T) {
	h := proctest.NewHost(t)
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink("/no/such/target", link); err != nil {
		t.Fatal(err)
	}
	foreign := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x02\x00\x2b\x00" + strings.Repeat("\x00", 64)
	plain := write(t, dir, "plain", "echo hi\n", 0o644)
	run := func(argv ...string) proc.Command { return proc.Command{Argv: argv, Env: []string{"PATH=" + dir}} }
	cases := []struct {
		name string
		c    proc.Command
		code int
		says []string
	}{
		{"nothing", proc.Command{}, 127, []string{"no command given"}},
		{"empty name", run(""), 127, []string{"no command given"}},
		{"not in PATH", run("no-such-agent"), 127, []string{"no-such-agent", "not found in PATH", dir, "install it"}},
		{"no such path", run(dir + "/gone"), 127, []string{dir + "/gone", "does not exist"}},
		{"dangling link", run(link), 127, []string{"/no/such/target", "link"}},
		{"through a file", run(plain + "/x"), 127, []string{"not a directory"}},
		{"a directory", run(dir), 126, []string{"is a directory"}},
		{"no x bit", run(plain), 126, []string{"not executable", "chmod +x " + plain}},
		{"no x bit in PATH", run("plain"), 126, []string{"not executable", "chmod +x " + plain}},
		{"bad interpreter", run(write(t, dir, "bad", "#!/no/such/interp -x\n", 0o755)), 127, []string{"/no/such/interp", "install it"}},
		{"CRLF", run(write(t, dir, "crlf", "#!/bin/sh\r\necho\r\n", 0o755)), 127, []string{"carriage return", "Unix line ends"}},
		{"interpreter not executable", run(write(t, dir, "noexec", "#!"+plain+"\n", 0o755)), 126, []string{plain, "#! line"}},
		{"no #!", run(write(t, dir, "bare", "echo hi\n", 0o755)), 126, []string{"#!", "/bin/sh"}},
		{"other machine", run(write(t, dir, "foreign", foreign, 0o755)), 126, []string{"machine 43", "build for this machine"}},
		{"empty file", run(write(t, dir, "empty", "", 0o755)), 126, []string{"empty"}},
		{"no such directory", in(dir+"/nowhere", run("/bin/sh")), 126, []string{dir + "/nowhere", "create it"}},
		{"directory is a file", in(plain, run("/bin/sh")), 126, []string{plain, "not a directory"}},
		{"NUL in argument", run("/bin/sh", "a\x00b"), 126, []string{"argument 1", "NUL"}},
		{"NUL in environment", proc.Command{Argv: []string{"/bin/sh"}, Env: []string{"SECRET=hush\x00"}}, 126, []string{`"SECRET"`, "NUL"}},
		{"too long", run("/bin/sh", strings.Repeat("x", 8<<20)), 126, []string{"too long", "standard input"}},
		{"terminal and stdin", proc.Command{Argv: []string{"/bin/sh"}, Terminal: os.Stdin, Stdin: os.Stdin}, 126, []string{"terminal"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			child, err := h.Start(c.c)
			if err == nil {
				child.Kill()
				t.Fatal("it started")
			}
			var e *proc.StartError
			if !errors.As(err, &e) {
				t.Fatalf("%T: %v", err, err)
			}
			if checked := h.Check(c.c); checked == nil || checked.Error() != err.Error() {
				t.Errorf("Check says %v, Start %v", checked, err)
			}
			if e.ExitCode() != c.code {
				t.Errorf("exit code %d, want %d: %v", e.ExitCode(), c.code, e)
			}
			for _, s := range c.says {
				if !strings.Contains(e.Error(), s) {
					t.Errorf("%q does not say %q", e, s)
				}
			}
			if strings.Contains(e.Error(), "hush") {
				t.Errorf("%q gives a value away", e)
			}
			if e.Unwrap() == nil {
				t.Error("no cause")
			}
		})
	}
}

// TestCheckRunsNothing: a command that would start is found good without a
// single instruction of it being run, and leaves nothing behind.
func TestCheckRunsNothing(t *testing.T) {
	h := proctest.NewHost(t)
	dir := t.TempDir()
	script := write(t, dir, "script", "#!/bin/sh\n>ran\n", 0o755)
	for _, c := range []proc.Command{
		in(dir, proc.Command{Argv: []string{script}}),
		in(dir, proc.Command{Argv: []string{"sh", "-c", ">ran"}}),
		in(dir, proc.Command{Argv: []string{"./script"}}),
	} {
		for range 20 {
			if err := h.Check(c); err != nil {
				t.Errorf("%q: %v", c.Argv, err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("it was run")
	}
	if n := h.Running(); n != 0 {
		t.Errorf("%d run", n)
	}
}

func in(dir string, c proc.Command) proc.Command {
	c.Dir = dir
	return c
}

func TestLookPathIsTheChilds(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write(t, dir, "tool", "#!/bin/sh\n", 0o644) // found first, cannot run
	want := write(t, other, "tool", "#!/bin/sh\n", 0o755)
	env := []string{"PATH=relative:" + dir + ":" + other, "PATH=/later"}
	if got, err := proc.LookPath("tool", "", env); got != want {
		t.Errorf("in PATH: %q, %v; want %q", got, err, want)
	}
	if got, err := proc.LookPath("./tool", other, nil); got != want {
		t.Errorf("relative to the directory: %q, %v; want %q", got, err, want)
	}
	if got, err := proc.LookPath("sh", "", nil); err != nil || !filepath.IsAbs(got) {
		t.Errorf("without PATH: %q, %v", got, err)
	}
	t.Chdir(other)
	if got, err := proc.LookPath("tool", other, []string{"PATH=.:"}); err == nil {
		t.Errorf("a relative PATH entry found %q", got)
	}
}

func TestChildGetsDirectoryEnvironmentAndGroup(t *testing.T) {
	h := proctest.NewHost(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := in(dir, proctest.Command(t, "report", "dir", "env", "group"))
	c.Env = []string{proctest.ProgramVariable + "=1", proctest.NoExitPause, "ONLY=this"}
	out, _, _ := proctest.Output(proctest.Start(t, h, c))
	for _, want := range []string{"dir " + dir + "\n", `"ONLY=this"`, "group true\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing in %q", want, out)
		}
	}
	if strings.Contains(out, "PATH=") {
		t.Errorf("our environment leaked: %q", out)
	}
	out, _, _ = proctest.Output(proctest.Start(t, h, proc.Command{Argv: []string{"/usr/bin/env"}}))
	if strings.Contains(out, "HOME=") {
		t.Errorf("a nil environment is ours: %q", out)
	}
}

func TestParseUser(t *testing.T) {
	for s, want := range map[string]proc.User{
		"65532":     {UID: 65532, GID: 65532},
		"1234567:8": {UID: 1234567, GID: 8},
		"0:0":       {},
	} {
		got, err := proc.ParseUser(s)
		if err != nil || got.UID != want.UID || got.GID != want.GID {
			t.Errorf("%q: %+v, %v; want %+v", s, got, err, want)
		}
	}
	for _, s := range []string{"", "root", "1:", "1:staff", "-1", "4294967295", "1:2:3"} {
		if got, err := proc.ParseUser(s); err == nil || !strings.Contains(err.Error(), "id -u") {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
}

func TestStartAfterClose(t *testing.T) {
	h := proc.NewHost(proc.HostOptions{})
	s := proctest.Follow(t, proctest.Start(t, h, proctest.Command(t, "stubborn")))
	s.PID("pid")
	h.Close()
	if got := s.End(); got.Status() != 137 {
		t.Errorf("Close left the child to %v", got)
	}
	h.Close()
	if _, err := h.Start(proctest.Command(t, "exit", "0")); err == nil {
		t.Error("a closed host starts processes")
	}
}
