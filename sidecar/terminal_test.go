package sidecar_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	realterm "golang.org/x/term"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// desk is a person's terminal: a shell in tmux.
type desk struct {
	t      *testing.T
	socket string
}

func sitDown(t *testing.T) *desk {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("needs tmux")
	}
	dir, err := os.MkdirTemp("", "desk") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t, filepath.Join(dir, "tmux")}
	t.Cleanup(func() {
		exec.Command("tmux", "-S", d.socket, "kill-server").Run()
		os.RemoveAll(dir) // tmux leaves its socket
	})
	d.tmux("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30", "env PS1='desk> ' HOME="+t.TempDir()+" sh -i")
	d.sees("desk>")
	return d
}

func (d *desk) tmux(args ...string) string {
	d.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", d.socket}, args...)...)
	cmd.Env = cleanEnviron()
	out, err := cmd.CombinedOutput()
	if err != nil {
		d.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

func (d *desk) types(line string) {
	d.t.Helper()
	d.tmux("send-keys", "-l", line)
	d.tmux("send-keys", "Enter")
}

func (d *desk) screen() string { return d.tmux("capture-pane", "-p", "-S", "-200") }

// sees waits until the screen matches and returns the submatches.
func (d *desk) sees(pattern string) []string {
	d.t.Helper()
	re := regexp.MustCompile(pattern)
	var m []string
	defer func() {
		if d.t.Failed() {
			d.t.Logf("screen:\n%s", d.screen())
		}
	}()
	await.True(d.t, "the screen shows "+pattern, func() bool {
		m = re.FindStringSubmatch(d.screen())
		return m != nil
	})
	return m
}

// modes are those that the terminal has.
func (d *desk) modes() realterm.State {
	d.t.Helper()
	tty, err := os.OpenFile(strings.TrimSpace(d.tmux("display-message", "-p", "#{pane_tty}")), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		d.t.Fatal(err)
	}
	defer tty.Close()
	modes, err := realterm.GetState(int(tty.Fd()))
	if err != nil {
		d.t.Fatal(err)
	}
	return *modes
}

// sane checks that the terminal is as a shell needs it.
func (d *desk) sane(code int) {
	d.t.Helper()
	d.types(`echo "code=$? $(stty -a | grep -Eow -- '-?(icanon|echo|isig|icrnl|opost)' | tr '\n' ' ')"`)
	m := d.sees(`(?m)^code=(\d+) (.*)$`)
	if m[1] != strconv.Itoa(code) {
		d.t.Errorf("exit %s, want %d", m[1], code)
	}
	for _, mode := range []string{"icanon", "echo", "isig", "icrnl", "opost"} {
		if !strings.Contains(" "+m[2]+" ", " "+mode+" ") {
			d.t.Errorf("the terminal is left with %s", m[2])
		}
	}
}

// TestPersonAtTheTerminal: a person uses Python through the sidecar while a
// client talks to the same session; the terminal is sane afterwards.
func TestPersonAtTheTerminal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	for _, c := range []struct {
		name string
		end  func(d *desk)
		code int
	}{
		{"exit", func(d *desk) { d.types("exit()") }, 0},
		{"killed", func(d *desk) {
			pid := d.sees(`pid=(\d+)`)[1]
			n, err := strconv.Atoi(pid)
			if err != nil {
				d.t.Fatal(err)
			}
			if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
				d.t.Fatal(err)
			}
		}, 137},
		{"sidecar killed", func(d *desk) {
			d.types("import os, signal; os.kill(os.getppid(), signal.SIGKILL)")
		}, 137},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := sitDown(t)
			before := d.modes()
			d.types(asScript(t) + " run --port 0 -- python3 -q")
			url := d.sees(`sidecar: serving A2A at (http://[^ \n]+)`)[1]
			d.sees(`(?m)^>>> ?$`)
			d.types("import os; print(f'pid={os.getpid()}', os.get_terminal_size())")
			d.sees(`pid=\d+ os.terminal_size\(columns=100, lines=30\)`)
			r := &running{t: t, url: url}
			if got := strings.TrimSpace(artifact(r.send("6*7"), "response")); got != "42" {
				t.Errorf("6*7 is %q", got)
			}
			d.sees(`(?m)^42$`)
			d.types("x = 'typed ' + 'later'")
			d.types("x")
			d.sees(`'typed later'`)
			if got := strings.TrimSpace(artifact(r.send("x"), "response")); got != "'typed later'" {
				t.Errorf("x is %q", got)
			}
			d.tmux("resize-window", "-x", "90", "-y", "25")
			d.types("next(s for s in iter(os.get_terminal_size, None) if s.columns != 100)") // it takes its time to get there
			d.sees(`columns=90, lines=25`)
			c.end(d)
			d.sees(`(?m)^ *desk>$`) // the shell's word for the end may come before the terminal's own modes
			await.True(t, "the terminal's own modes", func() bool { return d.modes() == before })
			d.sane(c.code)
		})
	}
}

// TestTerminalOff: without a terminal nothing is handed over, and the agent's
// screen goes nowhere.
func TestTerminalOff(t *testing.T) {
	t.Parallel()
	cmd := sidecarCommand("run", "--port", "0", "--log-format", "json", "--", "sh", "-c", "echo on the screen; cat")
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = out
	r := startCommand(t, cmd)
	r.waitServing()
	r.stop()
	if b, err := os.ReadFile(out.Name()); err != nil || len(b) != 0 {
		t.Errorf("stdout has %q, %v", b, err)
	}
}

// TestTerminalThatGoes: when the person closes the window, agent and sidecar go
// too, and leave nothing.
func TestTerminalThatGoes(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("needs python3")
	}
	dir := t.TempDir()
	d := sitDown(t)
	d.types(asScript(t) + " run --port 0 --runtime-dir " + dir + " -- python3 -q")
	d.sees(`(?m)^>>> ?$`)
	d.types("import os; print(f'pid={os.getpid()}')")
	pid, err := strconv.Atoi(d.sees(`pid=(\d+)`)[1])
	if err != nil {
		t.Fatal(err)
	}
	d.tmux("kill-server")
	await.True(t, "the agent's end", func() bool { return syscall.Kill(pid, 0) != nil })
	await.True(t, "the runtime directory to be empty", func() bool {
		left, err := os.ReadDir(dir)
		return err == nil && len(left) == 0
	})
}
