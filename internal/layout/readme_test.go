package layout

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestREADMEsJourneys does what the README shows with a $, in order, and compares
// what it prints; … stands for anything.
func TestREADMEsJourneys(t *testing.T) {
	for _, program := range []string{"sh", "curl", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs " + program)
		}
	}
	bin := t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "sidecar"), ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	done := 0
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		title, _, _ := strings.Cut(section, "\n")
		if steps := stepsOf(section); len(steps) > 0 {
			done++
			t.Run(title, func(t *testing.T) { walk(t, bin, steps) })
		}
	}
	if done != 3 {
		t.Errorf("%d journeys", done)
	}
}

type step struct{ command, prints string }

// stepsOf are the commands of a section, with the indented lines that follow each.
func stepsOf(section string) (steps []step) {
	for line := range strings.SplitSeq(section, "\n") {
		indented, isCode := strings.CutPrefix(line, "    ")
		command, isCommand := strings.CutPrefix(indented, "$ ")
		switch {
		case isCode && isCommand:
			steps = append(steps, step{command: command})
		case len(steps) > 0 && isCode:
			steps[len(steps)-1].prints += indented + "\n"
		case len(steps) > 0 && line == "":
			steps[len(steps)-1].prints += "\n"
		case len(steps) > 0:
			return steps
		}
	}
	return steps
}

// walk does the steps in one folder, with a port of their own.
func walk(t *testing.T, bin string, steps []step) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dir, at := t.TempDir(), filepath.Join(t.TempDir(), "pwd")
	shell := func(command string) *exec.Cmd {
		c := exec.CommandContext(ctx, "sh", "-c", strings.ReplaceAll(command, "localhost:8999", "127.0.0.1:"+port)+"\npwd >"+at)
		c.Dir = dir
		c.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "AGENT_PORT="+port, "SIDECAR_HOST=127.0.0.1", "SIDECAR_URL=")
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
		return c
	}
	for _, s := range steps {
		if strings.Contains(s.command, "sidecar run ") {
			run := shell(s.command)
			if err := run.Start(); err != nil {
				t.Fatal(err)
			}
			defer run.Wait()
			defer syscall.Kill(-run.Process.Pid, syscall.SIGTERM)
			if out, err := shell("exec sidecar introspect").CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", s.command, err, out)
			}
			continue
		}
		out, _ := shell(s.command).CombinedOutput()
		want := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(s.prints)), "…", ".*")
		if !regexp.MustCompile("^" + want + "$").MatchString(strings.TrimSpace(string(out))) {
			t.Errorf("%s\nprints\n%s\nwant\n%s", s.command, out, s.prints)
		}
		if now, err := os.ReadFile(at); err == nil {
			dir = strings.TrimSpace(string(now))
		}
	}
}
