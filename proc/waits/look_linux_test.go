package waits_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/waits"
	"github.com/creack/pty"
)

// TestLook: a look says of a program what strace shows.
func TestLook(t *testing.T) {
	strace, missing := exec.LookPath("strace")
	for _, c := range programs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, c.mark, c.argv[0], c.argv[1:]...)
			look := p.sees(t, c.kind, c.doing)
			if look.Timeout != (c.name == "until some time") && look.Kind != waits.Watches {
				t.Errorf("a wait with an end: %v", look.Timeout)
			}
			switch {
			case missing != nil:
				t.Log("strace is not installed: nothing was compared")
			case c.calls != nil:
				traced(t, strace, p, c.calls)
			}
		})
	}
}

// traced checks that strace shows one of the calls for a thread of the program.
func traced(t *testing.T, strace string, p *program, calls []string) {
	t.Helper()
	tty, err := os.Readlink("/proc/" + strconv.Itoa(p.pid) + "/fd/1")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "calls")
	tracer := exec.Command(strace, "-f", "-y", "-o", file, "-p", strconv.Itoa(p.pid))
	messages, err := tracer.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := tracer.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = tracer.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, messages)
		_ = tracer.Wait()
	}()
	var shown []byte
	shows := func() bool {
		shown, err = os.ReadFile(file)
		for _, call := range calls {
			if bytes.Contains(shown, []byte(strings.ReplaceAll(call, "{tty}", tty))) {
				return true
			}
		}
		return err != nil && !errors.Is(err, os.ErrNotExist)
	}
	await.True(t, fmt.Sprintf("strace shows one of %q", calls), shows)
}

// TestSwitches: a program that reads, takes a line and reads again has woken in between.
func TestSwitches(t *testing.T) {
	p := start(t, "", "cat")
	before := p.sees(t, waits.Reads, 0)
	if _, err := p.terminal.WriteString("a line\n"); err != nil {
		t.Fatal(err)
	}
	await.True(t, "the reader has woken and reads again", func() bool {
		now := waits.Of(p.pid).Look()
		return now.Kind == waits.Reads && !now.Same(before)
	})
}

// TestForeground: a look inspects the program that a shell runs, and not the shell. A program that is
// stopped or in the background is not inspected.
func TestForeground(t *testing.T) {
	p := start(t, "ready> ", "bash", "--norc", "--noprofile", "-i")
	at := p.sees(t, waits.Polls, 0)
	typed := func(text string) {
		t.Helper()
		if _, err := p.terminal.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	typed("sleep 100 | sleep 100\r")
	asleep := p.sees(t, waits.Busy, waits.Sleeps)
	if asleep.Group == at.Group {
		t.Errorf("the foreground is still %d", at.Group)
	}
	typed("\x1a") // the shell takes the terminal back
	p.sees(t, waits.Polls, 0)
	typed("cat | cat\r")
	if look := p.sees(t, waits.Reads, 0); look.PID == p.pid {
		t.Errorf("the shell reads, and not cat")
	}
	_ = syscall.Kill(-waits.Of(p.pid).Look().Group, syscall.SIGSTOP)
	p.sees(t, waits.Polls, 0)
}

// TestInnerBusy: if a program only relays another terminal, a look tells whether the program on that
// terminal is busy.
func TestInnerBusy(t *testing.T) {
	for command, busy := range map[string]bool{"sleep 100": true, "cat": false} {
		p := start(t, "up", "script", "-qec", "echo up; exec "+command, "/dev/null")
		if look := p.sees(t, waits.Watches, 0); look.InnerBusy != busy {
			await.True(t, command+" inside script", func() bool { return waits.Of(p.pid).Look().InnerBusy == busy })
		}
	}
}

// TestStopped: a program that is stopped waits for nothing.
func TestStopped(t *testing.T) {
	p := start(t, "", "cat")
	p.sees(t, waits.Reads, 0)
	_ = syscall.Kill(p.pid, syscall.SIGSTOP)
	p.sees(t, waits.Busy, waits.Stopped)
	_ = syscall.Kill(p.pid, syscall.SIGCONT)
	p.sees(t, waits.Reads, 0)
}

// TestGone: nothing waits on the terminal of a process that has ended, or has none.
func TestGone(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if look := waits.Of(cmd.Process.Pid).Look(); look.Kind != waits.Gone {
		t.Errorf("a process that has ended %v", look.Kind)
	}
	still := exec.Command("sleep", "100")
	still.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := still.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = still.Process.Kill(), still.Wait() }()
	if look := waits.Of(still.Process.Pid).Look(); look.Kind != waits.Hidden || !strings.Contains(look.Why, "no terminal") {
		t.Errorf("a process without a terminal %v: %s", look.Kind, look.Why)
	}
}

// TestHidden: the kernel does not tell what another user's program waits for, and the look says so.
func TestHidden(t *testing.T) {
	if pid := os.Getenv("LOOK_AT"); pid != "" {
		n, _ := strconv.Atoi(pid)
		look := waits.Of(n).Look()
		if look.Kind != waits.Hidden || !strings.Contains(look.Why, "another user") {
			t.Errorf("another user's program %v: %+v", look.Kind, look)
		}
		return
	}
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	p := start(t, "", "cat")
	p.sees(t, waits.Reads, 0)
	binary := filepath.Join(t.TempDir(), "look")
	self, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = errors.Join(os.WriteFile(binary, self, 0o755), os.Chmod(binary, 0o755), openUp(binary))
	}
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command(binary, "-test.run=^TestHidden$", "-test.v")
	other.Dir = "/"
	other.Env = append(os.Environ(), "LOOK_AT="+strconv.Itoa(p.pid))
	const nobody = 65534
	other.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := other.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// openUp lets all users reach a file.
func openUp(file string) error {
	for dir := filepath.Dir(file); dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// BenchmarkLook is the cost of one look: at a program that reads, at one that waits for a child,
// and at one with many threads.
func BenchmarkLook(b *testing.B) {
	for _, argv := range [][]string{{"cat"}, {"dash", "-c", "sleep 100; true"}, {"node", "-i"}} {
		b.Run(argv[0], func(b *testing.B) {
			cmd := exec.Command(argv[0], argv[1:]...)
			master, err := pty.Start(cmd)
			if err != nil {
				b.Skip(err)
			}
			defer func() { _, _, _ = cmd.Process.Kill(), master.Close(), cmd.Wait() }()
			terminal := waits.Of(cmd.Process.Pid)
			for b.Loop() {
				terminal.Look()
			}
		})
	}
}
