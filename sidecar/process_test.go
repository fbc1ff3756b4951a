package sidecar_test

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// TestExitCodes: the agent's end is the sidecar's, with the agent's code.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	notExecutable := filepath.Join(t.TempDir(), "plain")
	writeFile(t, notExecutable, "just text")
	noInterpreter, noFormat := filepath.Join(t.TempDir(), "script"), filepath.Join(t.TempDir(), "text")
	writeFile(t, noInterpreter, "#!/no/such/interpreter\n")
	writeFile(t, noFormat, "echo hi\n")
	for _, name := range []string{noInterpreter, noFormat} {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no interpreter", []string{"--", noInterpreter}, 127, "/no/such/interpreter"},
		{"no interpreter, oneshot", []string{"--mode", "oneshot", "--", noInterpreter}, 127, "/no/such/interpreter"},
		{"wrong format", []string{"--", noFormat}, 126, noFormat},
		{"wrong format, oneshot", []string{"--mode", "oneshot", "--", noFormat}, 126, noFormat},
		{"zero", []string{"--", "true"}, 0, ""},
		{"seven", []string{"--", "sh", "-c", "exit 7"}, 7, ""},
		{"killed", []string{"--", "sh", "-c", "kill -KILL $$"}, 137, ""},
		{"terminated", []string{"--", "sh", "-c", "kill -TERM $$"}, 143, ""},
		{"not found", []string{"--", "no-such-program"}, 127, "no-such-program"},
		{"not found, oneshot", []string{"--mode", "oneshot", "--", "no-such-program"}, 127, "no-such-program"},
		{"not executable", []string{"--", notExecutable}, 126, notExecutable},
		{"a directory", []string{"--", "/"}, 126, "/"},
		{"no command", nil, 2, "AGENT_CMD"},
		{"unknown flag", []string{"--no-such-flag"}, 2, "no-such-flag"},
		{"bad manifest", []string{"--manifest", notExecutable, "--", "cat"}, 125, notExecutable + ":1:1"},
		{"bad card", []string{"--card", notExecutable, "--", "cat"}, 125, notExecutable},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := startOnly(t, []string{"container=", "KUBERNETES_SERVICE_HOST="}, c.args...)
			if got := r.wait(); got != c.code {
				t.Errorf("exit %d, want %d", got, c.code)
			}
			if !strings.Contains(r.log.String(), c.says) {
				t.Errorf("does not say %q:\n%s", c.says, r.log)
			}
		})
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	marker := filepath.Join(t.TempDir(), "started")
	r := startOnly(t, []string{"SIDECAR_PORT=" + port}, "--port", port, "--", "touch", marker)
	if code := r.wait(); code != 125 || !strings.Contains(r.log.String(), port) || !strings.Contains(r.log.String(), "--port 0") {
		t.Errorf("exit %d:\n%s", code, r.log)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("the agent was started all the same")
	}
}

// asPID1 runs the sidecar as PID 1 of a PID namespace, and waits until it
// serves.
func asPID1(t *testing.T, args ...string) *running {
	t.Helper()
	r := namespaced(t, args...)
	r.waitServing()
	return r
}

// namespaced is asPID1 for a sidecar that may end at once.
func namespaced(t *testing.T, args ...string) *running {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root to make a PID namespace")
	}
	if err := exec.Command("unshare", "--fork", "--pid", "--mount-proc", "true").Run(); err != nil {
		t.Skipf("no PID namespaces here: %v", err)
	}
	cmd := sidecarCommand(append([]string{"run", "--port", "0", "--log-format", "json", "--host", "127.0.0.1"}, args...)...)
	cmd.Args = append([]string{"unshare", "--fork", "--pid", "--mount-proc", "--kill-child", cmd.Path}, cmd.Args[1:]...)
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		t.Skip(err)
	}
	cmd.Path = unshare
	return startCommand(t, cmd)
}

// TestPID1ReapsOrphans: 300 orphans beside 300 turns of its own: none stays a
// zombie, and no turn's exit status is lost.
func TestPID1ReapsOrphans(t *testing.T) {
	t.Parallel()
	script := `read n; if [ "$n" = left ]; then grep -l 'State:.Z' /proc/[0-9]*/status 2>/dev/null | wc -l; exit 0; fi
		(sh -c "(exit $n) &" ); exit "$n"`
	r := asPID1(t, "--mode", "oneshot", "--queue", "1000", "--", "sh", "-c", script)
	var ids []string
	for i := range 300 {
		ids = append(ids, r.begin(strconv.Itoa(i%7)).ID)
	}
	for i, id := range ids {
		task := r.settle(id)
		want := a2a.StateCompleted
		if i%7 != 0 {
			want = a2a.StateFailed
		}
		if task.Status.State != want || i%7 != 0 && !strings.Contains(says(task), "exit status "+strconv.Itoa(i%7)) {
			t.Fatalf("turn %d: %s %q", i, task.Status.State, says(task))
		}
	}
	await.True(r.t, "no zombies", func() bool { return strings.TrimSpace(artifact(r.send("left"), "response")) == "0" })
	if code := r.stopInNamespace(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestPID1ExitCodes: as PID 1 too the agent's end is the sidecar's.
func TestPID1ExitCodes(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -KILL $$": 137, "kill -TERM $$": 143} {
		if got := namespaced(t, "--", "sh", "-c", script).wait(); got != want {
			t.Errorf("%s: exit %d, want %d", script, got, want)
		}
	}
	for program, want := range map[string]int{"no-such-program": 127, "/": 126} {
		if got := namespaced(t, "--", program).wait(); got != want {
			t.Errorf("%s: exit %d, want %d", program, got, want)
		}
	}
}

// TestPID1Term: TERM in the middle of a task whose agent and grandchild ignore
// it.
func TestPID1Term(t *testing.T) {
	t.Parallel()
	r := asPID1(t, append([]string{"--mode", "oneshot", "--drain-timeout", "300ms", "--cancel-grace", "300ms", "--"}, agentCommand(t, "stubborn")...)...)
	id := r.begin("go").ID
	await.True(r.t, "the agent has started", func() bool { return strings.Contains(artifact(r.get(id), "response"), "stubborn") })
	if code := r.stopInNamespace(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if n := r.processes("stubborn-"); n != 0 {
		t.Errorf("%d grandchildren live on", n)
	}
}

// stopInNamespace sends TERM to the sidecar below unshare and returns its code.
func (r *running) stopInNamespace() int {
	r.t.Helper()
	out, err := exec.Command("pgrep", "-P", strconv.Itoa(r.cmd.Process.Pid)).Output()
	if err != nil {
		r.t.Fatalf("the sidecar below unshare: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		r.t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		r.t.Fatal(err)
	}
	return r.wait()
}

// TestTermWithStubbornGrandchild: an agent and its grandchild that ignore TERM
// do not hold up the end, and do not outlive it. (How soon is in proc's and
// turn's tests: a time measured here would be the machine's.)
func TestTermWithStubbornGrandchild(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"oneshot", "pty"} {
		t.Run(mode, func(t *testing.T) {
			r := run(t, append([]string{"--mode", mode, "--drain-timeout", "300ms", "--cancel-grace", "300ms", "--"}, agentCommand(t, "stubborn")...)...)
			if mode == "oneshot" {
				id := r.begin("go").ID
				await.True(r.t, "the agent has started", func() bool { return strings.Contains(artifact(r.get(id), "response"), "stubborn") })
			}
			await.True(r.t, "the grandchild is there", func() bool { return r.processes("stubborn-") == 1 })
			code := r.stop()
			if want := map[string]int{"oneshot": 0, "pty": 137}[mode]; code != want {
				t.Errorf("exit %d, want %d", code, want)
			}
			if n := r.processes("stubborn-"); n != 0 {
				t.Errorf("%d grandchildren live on", n)
			}
		})
	}
}

// TestDrain: running work gets its time, queued work is told that it was not
// started, new work is refused, and a stream sees the end.
func TestDrain(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--max-concurrency", "1", "--drain-timeout", "10s", "--", "sh", "-c",
		`read name; echo "begun $name"; while [ ! -e "$name" ]; do sleep 0.02; done; echo "done $name"`)
	gate := filepath.Join(t.TempDir(), "gate")
	stream, err := r.client().Stream(r.context(), &a2a.SendRequest{Message: userMessage(gate)})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	events := make(chan *a2a.Event, 100)
	go func() {
		defer close(events)
		for {
			batch, err := stream.Next(r.context())
			if err != nil {
				return
			}
			for _, e := range batch {
				events <- e
			}
		}
	}()
	first := (<-events).Task
	await.True(r.t, "it runs", func() bool { return strings.Contains(artifact(r.get(first.ID), "response"), "begun") })
	queued, err := r.client().Stream(r.context(), &a2a.SendRequest{Message: userMessage("never")})
	if err != nil {
		t.Fatal(err)
	}
	defer queued.Close()
	r.cmd.Process.Signal(syscall.SIGTERM)
	await.True(r.t, "not ready", func() bool { return r.getPath("/readyz").status == 503 })
	if rep := r.do("POST", "/message:send", "application/json", `{"message":{"role":"ROLE_USER","messageId":"m","parts":[{"text":"late"}]}}`); rep.status != 503 || rep.header.Get("Retry-After") == "" {
		t.Errorf("new work: %d %v", rep.status, rep.header)
	}
	var last *a2a.Event
	for last == nil || !last.State().Terminal() {
		batch, err := queued.Next(r.context())
		if err != nil {
			t.Fatalf("the queued task's stream: %v", err)
		}
		last = batch[len(batch)-1]
	}
	if last.State() != a2a.StateRejected || !strings.Contains(last.Status.Status.Message.Parts[0].Text, "not started") {
		t.Errorf("queued task: %s", last.State())
	}
	writeFile(t, gate, "")
	var text strings.Builder
	for e := range events {
		if e.Artifact != nil {
			text.WriteString(e.Artifact.Artifact.Parts[0].Text)
		}
		last = e
	}
	if last.State() != a2a.StateCompleted || !strings.Contains(text.String(), "done ") {
		t.Errorf("the running task ended %s with %q", last.State(), text.String())
	}
	if code := r.wait(); code != 0 {
		t.Errorf("exit %d", code)
	}
}

// TestSecondTerm: the second TERM does not wait for anything.
func TestSecondTerm(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--drain-timeout", "1h", "--cancel-grace", "1h", "--", "sh", "-c", "trap '' TERM; echo begun; sleep 63 & wait; sleep 63")
	id := r.begin("go").ID
	await.True(r.t, "it runs", func() bool { return strings.Contains(artifact(r.get(id), "response"), "begun") })
	r.cmd.Process.Signal(syscall.SIGTERM)
	r.log.Says(t, "draining")
	if code := r.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
	await.True(t, "nothing is left", func() bool { return r.processes("sleep", "63") == 0 })
}

// TestSignalsReachTheAgent: USR1 and USR2 are the agent's business.
func TestSignalsReachTheAgent(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "got")
	r := run(t, "--", "sh", "-c", `trap "echo usr1 >>$0" USR1; trap "echo usr2 >>$0" USR2; echo up >>$0; while :; do sleep 0.02; done`, out)
	has := func(want string) func() bool {
		return func() bool { b, _ := os.ReadFile(out); return bytes.Contains(b, []byte(want)) }
	}
	await.True(r.t, "it is up", has("up"))
	r.cmd.Process.Signal(syscall.SIGUSR1)
	await.True(r.t, "USR1", has("usr1"))
	r.cmd.Process.Signal(syscall.SIGUSR2)
	await.True(r.t, "USR2", has("usr2"))
	r.cmd.Process.Signal(syscall.SIGQUIT)
	r.log.Says(t, "goroutine")
	if code := r.stop(); code != 143 && code != 137 {
		t.Errorf("exit %d, want the agent's", code)
	}
}
