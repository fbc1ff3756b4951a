package sidecar_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// logs runs `sidecar logs` as that binary and returns what it said and its exit code.
func (r *running) logs(binary string, env []string, args ...string) (out, errs string, code int) {
	r.t.Helper()
	cmd := sidecarCommand(append([]string{"logs", "--url", r.url}, args...)...)
	if binary != "" {
		cmd.Path = binary
	}
	cmd.Env = append(cmd.Env, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// otherBinary is a copy of ours: the same program, as another file.
func otherBinary(t testing.TB) string {
	t.Helper()
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Skip("needs /proc")
	}
	defer self.Close()
	path := filepath.Join(t.TempDir(), "other")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(f, self); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// Whoever runs the sidecar reads its log, and follows it to its end.
func TestLogs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells whose a connection is")
	}
	r := run(t, "--mode", "oneshot", "--", "cat")
	task := r.send("hello")
	out, errs, code := r.logs("", nil)
	for _, want := range []string{" INFO  serving url=" + r.url, " INFO  task ended task=" + task.ID} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("no %q in %q %q, exit code %d", want, out, errs, code)
		}
	}
	if out, _, _ := r.logs("", nil, "-n", "1", "-o", "json"); strings.Count(out, "\n") != 1 || !strings.Contains(out, `"msg":"task ended"`) {
		t.Errorf("the last line is %q", out)
	}
	if out, _, _ := r.logs("", nil, "--level", "error"); out != "" {
		t.Errorf("errors are %q", out)
	}

	cmd := sidecarCommand("logs", "--url", r.url, "-f", "-n", "1")
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, task.ID) {
		t.Fatalf("%v, the last line is %q", err, line)
	}
	next := r.send("again")
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, next.ID) {
		t.Fatalf("%v, the next line is %q", err, line)
	}
	r.stop()
	rest, err := io.ReadAll(lines)
	if err != nil || cmd.Wait() != nil || !strings.Contains(string(rest), "drained") {
		t.Errorf("at the end: %v, %v, %q", err, cmd.ProcessState, rest)
	}
}

// The log is nobody else's: not that of another program, which may pass on what
// strangers ask, nor of callers that are not named, nor the agent's.
func TestLogsAreTheOperators(t *testing.T) {
	t.Parallel()
	other := otherBinary(t)
	r := run(t, "--mode", "oneshot", "--", "cat")
	if out, errs, code := r.logs(other, nil); code != 1 || out != "" || !strings.Contains(errs, "the log is for whoever operates the sidecar") {
		t.Errorf("another program: %q %q, exit code %d", out, errs, code)
	}

	r = run(t, "--mode", "oneshot", "--token-file", writeTokens(t), "--operators", "alice", "--", "cat")
	for token, want := range map[string]int{aliceToken: 0, bobToken: 1, "": 1} {
		out, errs, code := r.logs(other, []string{"SIDECAR_TOKEN=" + token})
		if code != want || want != 0 && out != "" {
			t.Errorf("%q: %q %q, exit code %d", token, out, errs, code)
		}
	}
	if out, errs, code := r.logs("", nil); code != 1 || out != "" {
		t.Errorf("without a token: %q %q, exit code %d", out, errs, code)
	}
}

// The agent gets no log, whatever it has found out.
func TestLogsAreNotTheAgents(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := runWith(t, []string{"SIDECAR_TOKEN=" + aliceToken}, "--mode", "oneshot", "--token-file", writeTokens(t), "--operators", "alice", "--",
		"env", asSidecar+"=1", "SIDECAR_TOKEN="+aliceToken, self, "logs")
	task := r.beginAs(aliceToken, "hello", "context")
	r.untilState(aliceToken, task.ID, a2a.StateFailed)
	task, err = r.as(aliceToken).Get(r.context(), &a2a.GetRequest{ID: task.ID})
	if err != nil {
		t.Fatal(err)
	}
	if got := artifact(task, "response"); got != "" || !strings.Contains(says(task), "own processes may not") {
		t.Errorf("the agent got %q, %q", got, says(task))
	}
}
