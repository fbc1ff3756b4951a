package turn_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// Program makes the test binary play an agent: its first argument names it.
const Program = "TURN_TEST_PROGRAM"

// patience bounds every wait for something that must happen.
const patience = time.Minute

func TestMain(m *testing.M) {
	if os.Args[0] == sandbox.ShimName {
		os.Exit(sandbox.RunShim(os.Args[1:]))
	}
	if os.Getenv(Program) != "" {
		os.Exit(play(os.Args[1], os.Args[2:]))
	}
	if err := flag.Set("test.parallel", strconv.Itoa(waiting*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// waiting is how many tests run at a time for each processor: nearly all of them wait,
// for a program or for the silence after it. -parallel on the command line wins.
const waiting = 8

// rig is a runner with what it needs around it.
type rig struct {
	*turn.Runner
	t     testing.TB
	tasks *task.Registry
	dir   string
	log   *await.Log
}

// newRig makes and starts a runner; set changes the options before.
func newRig(t testing.TB, set func(o *turn.Options)) *rig {
	t.Helper()
	r := prepareRig(t, set)
	if err := r.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

func prepareRig(t testing.TB, set func(o *turn.Options)) *rig {
	t.Helper()
	log := &await.Log{}
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	host := proc.NewHost(proc.HostOptions{Log: logger})
	t.Cleanup(host.Close)
	dir := t.TempDir()
	o := defaults()
	o.Host, o.Log, o.RuntimeDir = host, logger, dir
	o.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // the detector would linger at each agent's end
	o.Mode, o.CancelGrace = turn.ModeOneshot, 10*time.Second
	o.StartQuiet, o.Quiet = time.Hour, time.Hour // what a slow machine does not say means nothing
	set(&o)
	runner, err := turn.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{Runner: runner, t: t, tasks: task.NewRegistry(task.Options{TaskBytes: config.DefaultConfig().TaskBytes}), dir: dir, log: log}
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
		r.tasks.Close()
		left, _ := os.ReadDir(dir)
		if len(left) != 0 && o.RuntimeDir == dir {
			t.Errorf("left in the runtime directory: %v", left)
		}
		if t.Failed() {
			t.Logf("log:\n%s", log)
		}
	})
	return r
}

// defaults are the options that nobody changes.
func defaults() turn.Options {
	c := config.DefaultConfig()
	return turn.Options{
		Mode: c.Mode, Deliver: c.Deliver, Restart: c.Restart, OutputFormat: c.OutputFormat, GiveTools: c.GiveTools,
		Sessions: c.Sessions, SessionIdle: c.SessionIdle, MaxConcurrency: c.MaxConcurrency, Queue: c.Queue,
		CancelGrace: c.CancelGrace, AskTimeout: c.AskTimeout, Size: c.Size,
	}
}

// withChannel turns the channel on.
func withChannel(t testing.TB, o *turn.Options) {
	t.Helper()
	s, err := channel.Listen(channel.Options{RuntimeDir: t.TempDir(), UID: -1, Log: o.Log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	o.Channel = s
}

// sh runs a shell script.
func sh(script string, args ...string) []string {
	return append([]string{"sh", "-c", script, "sh"}, args...)
}

// plays runs this test binary as an agent.
func plays(o *turn.Options, name string, args ...string) {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	o.Command = append([]string{self, name}, args...)
	o.Env = append(o.Env, Program+"=1")
}

// post submits parts as a new task of a context.
func (r *rig) post(contextID string, parts ...a2a.Part) (*task.Task, error) {
	r.t.Helper()
	id := r.Context(contextID)
	k := r.tasks.Create("", id, &a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: parts}, nil)
	return k, r.Submit(k, turn.Request{})
}

// send submits a text, which must be taken.
func (r *rig) send(text string) *task.Task { return r.sendTo("", text) }

func (r *rig) sendTo(contextID, text string) *task.Task {
	r.t.Helper()
	k, err := r.post(contextID, a2a.TextPart(text))
	if err != nil {
		r.t.Fatal(err)
	}
	return k
}

// ask sends a text and waits for the end.
func (r *rig) ask(text string) *a2a.Task {
	r.t.Helper()
	return r.end(r.send(text))
}

// end waits for the task's end.
func (r *rig) end(k *task.Task) *a2a.Task {
	r.t.Helper()
	return r.until(k, a2a.TaskState.Terminal)
}

// until waits for a state.
func (r *rig) until(k *task.Task, ok func(a2a.TaskState) bool) *a2a.Task {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	if err := k.Wait(ctx, ok); err != nil {
		r.t.Fatalf("task is %s: %v\n%s", k.State(), err, r.log)
	}
	return k.Snapshot(nil, true)
}

// said waits until the task's artifact contains a text.
func (r *rig) said(k *task.Task, want string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	s := k.Subscribe()
	defer s.Close()
	var all strings.Builder
	for {
		events, err := s.Next(ctx)
		for _, e := range events {
			if e.Task != nil {
				for _, a := range e.Task.Artifacts {
					all.WriteString(partsText(a.Parts))
				}
			}
			if e.Artifact != nil {
				all.WriteString(partsText(e.Artifact.Artifact.Parts))
			}
		}
		if strings.Contains(all.String(), want) {
			return
		}
		if err != nil {
			r.t.Fatalf("%q was not said, but %q: %v", want, all.String(), err)
		}
	}
}

// events reads a task's stream to its end.
func (r *rig) events(s a2a.Stream) []*a2a.Event {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	defer s.Close()
	var all []*a2a.Event
	for {
		events, err := s.Next(ctx)
		all = append(all, events...)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

func partsText(parts []a2a.Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// artifact finds an artifact by name.
func artifact(k *a2a.Task, name string) *a2a.Artifact {
	for i := range k.Artifacts {
		if k.Artifacts[i].Name == name {
			return &k.Artifacts[i]
		}
	}
	return nil
}

// answer is the text of the artifact response.
func answer(k *a2a.Task) string {
	if a := artifact(k, "response"); a != nil {
		return partsText(a.Parts)
	}
	return ""
}

// status is the text of the status message.
func status(k *a2a.Task) string {
	if k.Status.Message == nil {
		return ""
	}
	return partsText(k.Status.Message.Parts)
}

// want checks how a task ended and what it answered.
func want(t testing.TB, k *a2a.Task, state a2a.TaskState, text string) {
	t.Helper()
	if k.Status.State != state || answer(k) != text {
		t.Errorf("task is %s (%q) with answer %q, want %s with %q", k.Status.State, status(k), clip(answer(k)), state, clip(text))
	}
}

func clip(s string) string {
	if len(s) > 200 {
		return fmt.Sprintf("%s… (%d bytes)", s[:200], len(s))
	}
	return s
}

// meta is a member of metadata as JSON, "" when absent.
func meta(m a2a.Metadata, key string) string { return string(m[key]) }

// lastStatus is the last status event of a stream.
func lastStatus(events []*a2a.Event) *a2a.StatusUpdate {
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].Status != nil {
			return events[i].Status
		}
	}
	return nil
}

// within waits for a channel to be closed.
func within(t testing.TB, c <-chan struct{}, what string) {
	t.Helper()
	await.One(t, c, what)
}

// eventually looks until something holds that nothing tells of.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	await.True(t, what, holds)
}

func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
