package terminal_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/terminal"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// rig is a server that shows the terminals of real agents.
type rig struct {
	t        testing.TB
	url      string
	runner   *turn.Runner
	handlers *terminal.Handlers
	server   *server.Server
	tasks    *task.Registry
	log      *await.Log
}

// ways change what a rig is made of.
type ways struct {
	runner  turn.Options
	handler terminal.Options
	server  server.Options
}

// nobody is behind the server: only its mounts are asked.
type nobody struct{ server.Handler }

func (nobody) Card() *a2a.Card { return &a2a.Card{} }

// named takes the name in Authorization for the caller.
func named(r *http.Request) (server.Identity, error) {
	if name := r.Header.Get("Authorization"); name != "" {
		return server.Identity{Caller: name}, nil
	}
	return server.Identity{}, a2a.ErrUnauthenticated
}

func newRig(t testing.TB, set func(w *ways)) *rig {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := &await.Log{}
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	host := proc.NewHost(proc.HostOptions{Log: logger})
	t.Cleanup(host.Close)
	r := &rig{t: t, tasks: task.NewRegistry(task.Options{}), log: log}
	c := config.DefaultConfig()
	w := ways{
		runner: turn.Options{
			Mode: turn.ModePTY, Command: []string{self}, Host: host, Log: logger, RuntimeDir: t.TempDir(),
			Env: append(os.Environ(), asAgent+"=1", "GORACE=atexit_sleep_ms=0"), CancelGrace: 10 * time.Second,
			Deliver: c.Deliver, Restart: c.Restart, OutputFormat: c.OutputFormat, GiveTools: c.GiveTools, Sessions: c.Sessions, SessionIdle: c.SessionIdle,
			MaxConcurrency: c.MaxConcurrency, Queue: c.Queue, AskTimeout: c.AskTimeout,
			Size: c.Size, PromptPattern: regexp.MustCompile(`^> $`),
		},
		handler: terminal.Options{Log: logger, Stall: c.StallTimeout, Views: func(_ context.Context, caller string) ([]*turn.View, int, error) {
			mine, others := r.runner.Views(caller)
			return mine, others, nil
		}},
		server: server.Options{Handler: nobody{}, Log: logger},
	}
	if set != nil {
		set(&w)
	}
	if r.runner, err = turn.New(w.runner); err != nil {
		t.Fatal(err)
	}
	if err := r.runner.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.handlers = terminal.New(w.handler)
	w.server.Mounts = r.handlers.Mounts()
	r.server = server.New(w.server)
	server := httptest.NewUnstartedServer(nil)
	server.Config = r.server.HTTPServer()
	server.Start()
	r.url = server.URL
	t.Cleanup(func() {
		r.handlers.Close()
		server.CloseClientConnections()
		server.Close()
		if err := r.runner.Close(); err != nil {
			t.Error(err)
		}
		r.tasks.Close()
		if t.Failed() {
			t.Logf("log:\n%s", log)
		}
	})
	return r
}

// open makes a GET request. The headers are names and values in turn.
func (r *rig) open(ctx context.Context, path string, header ...string) *http.Response {
	r.t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { res.Body.Close() })
	return res
}

// get is a GET request's status, type and body.
func (r *rig) get(path string, header ...string) (int, string, string) {
	r.t.Helper()
	res := r.open(r.t.Context(), path, header...)
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Content-Type"), string(body)
}

// screenDoc is GET /terminal as JSON.
type screenDoc struct {
	Session, ContextID, Title string
	Cols, Rows                int
	Offset, Generation        uint64
	Cursor                    struct {
		Row, Col int
		Shown    bool
	}
	Alternate bool
	Modes     map[string]any
	Lines     []struct {
		Text    string
		Wrapped bool
		Runs    []map[string]any
	}
}

func (r *rig) screen(header ...string) screenDoc {
	r.t.Helper()
	status, _, body := r.get("/terminal?format=json", header...)
	var doc screenDoc
	if err := json.Unmarshal([]byte(body), &doc); err != nil || status != http.StatusOK {
		r.t.Fatalf("%d %v: %s", status, err, body)
	}
	return doc
}

// text is GET /terminal.
func (r *rig) text() string {
	r.t.Helper()
	_, _, body := r.get("/terminal")
	return body
}

// send submits a text, and end waits for its end.
func (r *rig) send(caller, contextID, text string) *task.Task {
	r.t.Helper()
	id := r.runner.Context(contextID)
	k := r.tasks.Create(caller, id, &a2a.Message{ID: a2a.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(text)}}, nil)
	if err := r.runner.Submit(k, turn.Request{}); err != nil {
		r.t.Fatal(err)
	}
	return k
}

func (r *rig) end(k *task.Task) *a2a.Task {
	r.t.Helper()
	ctx := await.Context(r.t)
	if err := k.Wait(ctx, a2a.TaskState.Terminal); err != nil {
		r.t.Fatal(err)
	}
	return k.Snapshot(nil, true)
}

// do has the agent do something, as a caller who is not known.
func (r *rig) do(line string) *a2a.Task {
	r.t.Helper()
	got := r.end(r.send("", "", line))
	if got.Status.State != a2a.StateCompleted {
		r.t.Fatalf("%q: %s", line, got.Status.State)
	}
	return got
}

// answer is the text of the artifact response.
func answer(k *a2a.Task) string {
	var b strings.Builder
	for _, a := range k.Artifacts {
		for _, p := range a.Parts {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
