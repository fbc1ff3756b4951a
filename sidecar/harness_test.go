package sidecar_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/proc/tty"
	"github.com/a2a-sidecar/sidecar/sidecar/cli"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/mcptest"
)

// asSidecar makes this test binary the sidecar, asAgent one of the agents of
// agents_test.go: what is tested runs with the race detector too.
const (
	asSidecar = "SIDECAR_TEST_AS_SIDECAR"
	asAgent   = "TEST_AGENT"
)

func TestMain(m *testing.M) {
	mcptest.Main()
	liarMain()
	if os.Getenv(asSidecar) != "" || os.Args[0] == tty.GuardName || os.Args[0] == sandbox.ShimName {
		os.Unsetenv(asSidecar)
		os.Exit(cli.Main(os.Args, cli.Std{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Env: os.Environ()}))
	}
	if name := os.Getenv(asAgent); name != "" {
		os.Exit(runAgent(name))
	}
	os.Exit(testMain(m))
}

// testMain runs the tests; what sidecars keep in the user's directories is removed after them.
func testMain(m *testing.M) int {
	state, err := os.MkdirTemp("", "state")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(state)
	os.Setenv("XDG_STATE_HOME", state)
	return m.Run()
}

// deadline is for what must happen; the tests wait for events, not for time.
const deadline = time.Minute

// running is a sidecar in a process of its own.
type running struct {
	t    testing.TB
	url  string
	cmd  *exec.Cmd
	mark string // in the environment of all that it starts
	log  *logBuffer
	done chan struct{} // closed when it has ended
	err  error         // of Wait, then
}

// logBuffer keeps what the sidecar logs.
type logBuffer struct{ await.Log }

// sidecarCommand is the command line of a sidecar: this binary, re-executed.
func sidecarCommand(args ...string) *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Env = append(cleanEnviron(), asSidecar+"=1")
	return cmd
}

// cleanEnviron is ours without what would configure a sidecar.
func cleanEnviron() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "SIDECAR_") && !strings.HasPrefix(e, "AGENT_") && !strings.HasPrefix(e, "SPRING_") && !strings.HasPrefix(e, asAgent) {
			env = append(env, e)
		}
	}
	return append(env, "GORACE=halt_on_error=1 atexit_sleep_ms=10") // it sleeps a second at every exit 0 else
}

// agentCommand is an agent of agents_test.go: its argv, for after "--".
func agentCommand(t testing.TB, name string) []string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"env", asAgent + "=" + name, self}
}

// run starts `sidecar run` on a free port with the arguments and waits until
// it serves. It is stopped, and everything below it checked to be gone, when
// the test ends.
func run(t testing.TB, args ...string) *running {
	t.Helper()
	return runWith(t, nil, args...)
}

// runWith is run with more environment.
func runWith(t testing.TB, env []string, args ...string) *running {
	t.Helper()
	r := startOnly(t, env, args...)
	r.waitServing()
	return r
}

// startOnly starts a sidecar and does not wait for it to serve.
func startOnly(t testing.TB, env []string, args ...string) *running {
	t.Helper()
	cmd := sidecarCommand(append([]string{"run", "--host", "127.0.0.1", "--port", "0", "--log-format", "json"}, args...)...)
	cmd.Env = append(cmd.Env, env...)
	return startCommand(t, cmd)
}

func startCommand(t testing.TB, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{t: t, cmd: cmd, mark: "TEST_RUN=" + a2a.NewID(), log: &logBuffer{}, done: make(chan struct{})}
	cmd.Env = append(cmd.Env, r.mark)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		lines := bufio.NewReader(stderr)
		for {
			line, err := lines.ReadString('\n')
			if line != "" {
				io.WriteString(r.log, line)
			}
			if err != nil {
				return
			}
		}
	}()
	go func() {
		<-read
		r.err = cmd.Wait()
		close(r.done)
	}()
	t.Cleanup(func() {
		r.stop()
		if t.Failed() {
			t.Logf("log of the sidecar:\n%s", r.log)
		}
		if strings.Contains(r.log.String(), "WARNING: DATA RACE") {
			t.Errorf("data race in the sidecar:\n%s", r.log)
		}
	})
	return r
}

// waitServing waits for the line that tells the address, and for readiness.
func (r *running) waitServing() {
	r.t.Helper()
	r.log.Says(r.t, `"msg":"serving"`)
	for _, line := range strings.Split(r.log.String(), "\n") {
		var entry struct{ Msg, URL string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "serving" {
			r.url = entry.URL
		}
	}
	await.True(r.t, "ready", func() bool {
		res, err := http.Get(r.url + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	})
}

// stop ends the sidecar by TERM and returns its exit code.
func (r *running) stop() int {
	r.t.Helper()
	r.cmd.Process.Signal(syscall.SIGTERM)
	return r.wait()
}

// wait waits for the sidecar's end and returns its exit code, -1 when it was
// killed.
func (r *running) wait() int {
	r.t.Helper()
	select {
	case <-r.done:
	case <-time.After(deadline):
		r.cmd.Process.Signal(syscall.SIGQUIT)
		r.cmd.Process.Kill()
		<-r.done
		r.t.Errorf("the sidecar did not end:\n%s", r.log)
	}
	return r.cmd.ProcessState.ExitCode()
}

// client is our own client of it.
func (r *running) client() *client.Client { return client.New(r.url, nil) }

func (r *running) context() context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	r.t.Cleanup(cancel)
	return ctx
}

// userMessage is a message of one text part.
func userMessage(text string) a2a.Message {
	return a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}
}

// send delivers a text and returns the task as it settled.
func (r *running) send(text string) *a2a.Task {
	r.t.Helper()
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: userMessage(text)})
	if err != nil {
		r.t.Fatalf("send %q: %v", text, err)
	}
	if result.Task == nil {
		r.t.Fatalf("send %q: answered by a bare message", text)
	}
	return result.Task
}

// stream sends a message and returns what comes, to the stream's end.
func (r *running) stream(m a2a.Message) []*a2a.Event {
	r.t.Helper()
	s, err := r.client().Stream(r.context(), &a2a.SendRequest{Message: m})
	if err != nil {
		r.t.Fatal(err)
	}
	return r.rest(s)
}

// rest returns what is left of a stream, to its end.
func (r *running) rest(s a2a.Stream) []*a2a.Event {
	r.t.Helper()
	events, err := a2atest.ReadAll(r.t, s)
	if !errors.Is(err, io.EOF) {
		r.t.Fatalf("the stream ended with %v after %d events", err, len(events))
	}
	return events
}

// begin delivers a text and returns the task at once.
func (r *running) begin(text string) *a2a.Task {
	r.t.Helper()
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: userMessage(text), ReturnImmediately: true})
	if err != nil {
		r.t.Fatalf("begin %q: %v", text, err)
	}
	return result.Task
}

func (r *running) get(id string) *a2a.Task {
	r.t.Helper()
	task, err := r.client().Get(r.context(), &a2a.GetRequest{ID: id})
	if err != nil {
		r.t.Fatalf("get %s: %v", id, err)
	}
	return task
}

// settle waits until the task is terminal.
func (r *running) settle(id string) *a2a.Task {
	r.t.Helper()
	var task *a2a.Task
	await.True(r.t, "task "+id+" ends", func() bool {
		task = r.get(id)
		return task.Status.State.Terminal()
	})
	return task
}

// artifact returns the text of the artifact with that name or id, "" when
// there is none.
func artifact(task *a2a.Task, name string) string {
	var b strings.Builder
	for _, a := range task.Artifacts {
		if a.Name != name && a.ID != name {
			continue
		}
		for _, p := range a.Parts {
			switch p.Kind {
			case a2a.PartText:
				b.WriteString(p.Text)
			case a2a.PartData:
				b.Write(p.Data)
			case a2a.PartRaw:
				b.Write(p.Raw)
			}
		}
	}
	return b.String()
}

// says is the text of the task's status message.
func says(task *a2a.Task) string {
	if task.Status.Message == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range task.Status.Message.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// reply is one HTTP answer, read.
type reply struct {
	status int
	header http.Header
	body   string
}

func (r *running) do(method, path, contentType, body string) reply {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.context(), method, r.url+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatalf("%s %s: %v", method, path, err)
	}
	return reply{res.StatusCode, res.Header, string(b)}
}

func (r *running) getPath(path string) reply { return r.do(http.MethodGet, path, "", "") }

// shows reports whether a text stands on the agent's screen.
func (r *running) shows(text string) bool { return strings.Contains(r.getPath("/terminal").body, text) }

// envelope is what a tool call is answered with.
type envelope struct {
	Type      string          `json:"type"`
	Data      json.RawMessage `json:"data"`
	ErrorText string          `json:"error_text"`
	Metadata  struct {
		CallID    string `json:"call_id"`
		Tool      string `json:"tool"`
		Outcome   string `json:"outcome"`
		Reason    string `json:"reason"`
		Truncated bool   `json:"truncated"`
	} `json:"metadata"`
}

// processes counts the processes of this sidecar, or started by what it
// started, whose command line has the words.
func (r *running) processes(words ...string) int {
	t := r.t
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("needs /proc")
	}
	n := 0
	for _, e := range entries {
		line, err := os.ReadFile("/proc/" + e.Name() + "/cmdline")
		if err != nil || !strings.Contains(string(line), strings.Join(words, "\x00")) {
			continue
		}
		if env, err := os.ReadFile("/proc/" + e.Name() + "/environ"); err == nil && strings.Contains(string(env), r.mark) {
			n++
		}
	}
	return n
}

func writeFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sure fails the test unless all is well.
func sure(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// confined skips the test where a program cannot be held.
func confined(t testing.TB) {
	t.Helper()
	for _, l := range confine.Layers() {
		if !l.On {
			t.Skipf("the sandbox has no %s here: %s", l.Name, l.Why)
		}
	}
}
