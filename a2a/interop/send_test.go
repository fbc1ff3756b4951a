package interop

import (
	"bufio"
	"bytes"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// sending is our own client at work.
type sending struct {
	cmd    *exec.Cmd
	lines  *bufio.Scanner
	stderr bytes.Buffer
	count  int
}

// startSend runs sidecar send. It is ended after two minutes.
func startSend(t *testing.T, base string, args ...string) *sending {
	t.Helper()
	s := &sending{cmd: exec.Command(binary, append([]string{"send", "--url", base}, args...)...)}
	s.cmd.Stderr = &s.stderr
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.lines = bufio.NewScanner(stdout)
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(2*time.Minute, func() { s.cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
	return s
}

// next reads a line, which has to be the next of the agent's.
func (s *sending) next(t *testing.T) bool {
	t.Helper()
	if !s.lines.Scan() {
		return false
	}
	if got, want := s.lines.Text()+"\n", line(s.count); got != want {
		t.Fatalf("printed %q in place of %q", got, want)
	}
	s.count++
	return true
}

// TestSendReconnects: what sidecar send prints is whole and in order, however
// often its connection breaks.
func TestSendReconnects(t *testing.T) {
	g, gateURL := startGate(t)
	t.Setenv(agentGate, gateURL)
	g.reset(2 * agentBlock)
	base := serve(t, "--mode", "oneshot", "--", agentBinary(t))
	proxy, through := startBreaker(t, base, breaks)
	s := startSend(t, through, "go")
	for s.next(t) {
		g.saw(s.count)
	}
	if err := s.cmd.Wait(); err != nil || s.count != agentEvents || s.stderr.Len() > 0 {
		t.Errorf("%d lines, %v: %s", s.count, err, &s.stderr)
	}
	if n := proxy.broken(); n != breaks {
		t.Errorf("%d connections were broken", n)
	}
}

// TestSendAcrossACrash: a sidecar is killed in the middle of a task and comes up
// again. Who followed the task learns what became of it, and was told nothing
// twice.
func TestSendAcrossACrash(t *testing.T) {
	g, gateURL := startGate(t)
	t.Setenv(agentGate, gateURL)
	g.reset(4 * agentBlock)
	state := t.TempDir()
	args := []string{"--state-dir", state, "--mode", "oneshot", "--", agentBinary(t)}
	first := run(t, args...)
	u, err := url.Parse(first.url)
	if err != nil {
		t.Fatal(err)
	}
	s := startSend(t, first.url, "go")
	for s.count < agentBlock {
		if !s.next(t) {
			t.Fatalf("ended after %d lines: %s", s.count, &s.stderr)
		}
	}
	g.await(t)
	first.kill(t)
	serve(t, append([]string{"--port", u.Port()}, args...)...)
	for s.next(t) {
	}
	err = s.cmd.Wait()
	if code := s.cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(s.stderr.String(), "failed: interrupted by restart") {
		t.Errorf("exit %d, %v: %s", code, err, &s.stderr)
	}
	if s.count < agentBlock || s.count > 4*agentBlock {
		t.Errorf("%d lines", s.count)
	}
}
