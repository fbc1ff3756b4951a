package dial_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/dial"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/mcptest"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/serverfile"
)

func TestMain(m *testing.M) {
	if os.Args[0] == sandbox.ShimName {
		syscall.Exit(sandbox.RunShim(os.Args[1:]))
	}
	mcptest.Main()
	os.Exit(m.Run())
}

// rig is a dialer with a workspace.
type rig struct {
	t         *testing.T
	dialer    *dial.Dialer
	workspace string
	runtime   string
}

func newRig(t *testing.T, confined bool, change func(*dial.Options)) *rig {
	t.Helper()
	r := &rig{t: t, workspace: t.TempDir(), runtime: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := dial.Options{Host: proctest.NewHost(t), Env: append(os.Environ(), "SIDECAR_TOKEN=secret", "ACME_TOKEN=secret"), Workspace: r.workspace, RuntimeDir: r.runtime}
	if o.Scope, err = capability.NewScope(capability.OS(), capability.Roots{Workspace: []string{r.workspace}}); err != nil {
		t.Fatal(err)
	}
	if confined {
		if lacks := sandbox.AllLayers &^ sandbox.Probe().Layers; lacks != 0 {
			t.Skipf("this system has no %s", lacks)
		}
		if o.Sandbox, err = confine.New(confine.Options{Mode: confine.Auto, Self: self, Namespaces: sandbox.NewNamespaces(self)}); err != nil {
			t.Fatal(err)
		}
	}
	if change != nil {
		change(&o)
	}
	r.dialer = dial.New(o)
	t.Cleanup(func() {
		if err := r.dialer.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func program(mode string) *serverfile.Server {
	return &serverfile.Server{Name: "good", Slug: "good", Command: mcptest.Command(mode), Requires: &manifest.Requires{}}
}

// connect returns a session of the SDK's own client.
func (r *rig) connect(s *serverfile.Server) *mcp.ClientSession {
	r.t.Helper()
	t, err := r.dialer.Dial(await.Context(r.t), s)
	if err != nil {
		r.t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(await.Context(r.t), t, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { session.Close() })
	return session
}

// call returns what a tool says, also if that is an error of its own.
func (r *rig) call(s *mcp.ClientSession, tool, text string) string {
	r.t.Helper()
	res, err := s.CallTool(await.Context(r.t), &mcp.CallToolParams{Name: tool, Arguments: mcptest.Text{Text: text}})
	if err != nil {
		return "error: " + err.Error()
	}
	said := res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		return "error: " + said
	}
	return said
}

// A program gets the few variables of every tool's program and those that are written, in a
// directory of its own, which is gone when it has ended.
func TestEnvironment(t *testing.T) {
	r := newRig(t, true, nil)
	s := program(mcptest.ModeGood)
	s.Env = []string{"ACME=1", "LANG=C.test"}
	session := r.connect(s)
	said := "\n" + r.call(session, "getEnv", "") + "\n"
	for _, want := range []string{"\nACME=1\n", "\nLANG=C.test\n", "\nHOME=" + r.runtime, "\nTMPDIR=" + r.runtime, "\nPATH="} {
		if !strings.Contains(said, want) {
			t.Errorf("there is no %q in %s", want, said)
		}
	}
	for _, never := range []string{"secret", "SIDECAR_SOCKET", "SIDECAR_URL"} {
		if strings.Contains(said, never) {
			t.Errorf("there is %q in %s", never, said)
		}
	}
	if strings.Count(said, "\nLANG=") != 1 {
		t.Error("a variable is there twice")
	}
	session.Close()
	await.True(t, "its directory to be removed", func() bool {
		left, _ := filepath.Glob(filepath.Join(r.runtime, "*", "*"))
		return len(left) == 0
	})
}

// Without requires a program reaches nothing; with them, what they say.
func TestConfined(t *testing.T) {
	r := newRig(t, true, nil)
	secret := filepath.Join(t.TempDir(), "secret")
	inside := filepath.Join(r.workspace, "data")
	for _, f := range []string{secret, inside} {
		if err := os.WriteFile(f, []byte("content"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := listen(t)
	closed := r.connect(program(mcptest.ModeGood))
	for tool, argument := range map[string]string{"read-file": secret, "write-file": inside, "connect": l} {
		if said := r.call(closed, tool, argument); !strings.Contains(said, "error: ") || !strings.Contains(said, "denied") && !strings.Contains(said, "not permitted") {
			t.Errorf("%s: %q", tool, said)
		}
	}
	if said := r.call(closed, "read-file", inside); !strings.Contains(said, "denied") {
		t.Errorf("the workspace is read without requires: %q", said)
	}
	s := program(mcptest.ModeGood)
	s.Requires.FSRead = []string{"{workspace}"}
	if said := r.call(r.connect(s), "read-file", inside); said != "content" {
		t.Errorf("with requires: %q", said)
	}
}

// A host that is required is reached, and no other.
func TestHosts(t *testing.T) {
	self, _ := os.Executable()
	if err := sandbox.NewNamespaces(self).Fault(); err != nil {
		t.Skip(err)
	}
	r := newRig(t, true, nil)
	allowed, other := serveHTTP(t), serveHTTP(t)
	s := program(mcptest.ModeGood)
	s.Requires.NetHosts = []string{strings.TrimPrefix(allowed, "http://")}
	session := r.connect(s)
	if said := r.call(session, "connect", allowed); said != "200 OK" {
		t.Errorf("the host that is required: %q", said)
	}
	if said := r.call(session, "connect", other); !strings.Contains(said, "403") {
		t.Errorf("another host: %q", said)
	}
	if said := r.call(session, "connect", strings.TrimPrefix(allowed, "http://")); !strings.Contains(said, "error") {
		t.Errorf("without the proxy: %q", said)
	}
}

// A program that takes more than its limit is ended by that, and nobody else.
func TestLimits(t *testing.T) {
	r := newRig(t, true, nil)
	s := program(mcptest.ModeGood)
	s.Limits.Memory = 1 << 30
	if said := r.call(r.connect(s), "memory", "8"); said != "8388608" {
		t.Errorf("below the limit: %q", said)
	}
	if said := r.call(r.connect(s), "memory", "2000"); !strings.Contains(said, "error") {
		t.Errorf("above the limit: %q", said)
	}
}

// read returns the error with which a program's output ends.
func (r *rig) read(s *serverfile.Server) (io.ReadCloser, error) {
	r.t.Helper()
	t, err := r.dialer.Dial(await.Context(r.t), s)
	if err != nil {
		r.t.Fatal(err)
	}
	out := t.(*mcp.IOTransport).Reader
	_, err = io.ReadAll(out)
	return out, err
}

// The end of a program says how it ended, and what it said last, as plain text.
func TestLastWords(t *testing.T) {
	r := newRig(t, false, nil)
	_, err := r.read(program(mcptest.ModeFails))
	var ended *dial.EndedError
	if !errors.As(err, &ended) || ended.Exit.Code != 3 || ended.Words != "the license has run out" {
		t.Errorf("%v", err)
	}
	if err.Error() != "its program has ended: exit status 3: the license has run out" {
		t.Error(err)
	}
}

// The line of an error says more than what an interpreter prints after it, and a program that cannot
// find a file in its sandbox needs that file in its requirements.
func TestWordsOfAnInterpreter(t *testing.T) {
	for stderr, want := range map[string]string{
		"loader:1\n  throw err;\n\nError [NONE]: Cannot find module 'x'\n    at load (a: b)\n\nNode.js v1": "Error [NONE]: Cannot find module 'x'",
		"Traceback:\n  File \"x\"\nFileNotFoundError: no x":                                                "FileNotFoundError: no x",
		"note: an errand\nthe license has run out":                                                         "the license has run out",
	} {
		s := program(mcptest.ModeGood)
		s.Command = []string{"sh", "-c", "printf '%s' \"$1\" >&2; exit 1", "sh", stderr}
		_, err := newRig(t, false, nil).read(s)
		var ended *dial.EndedError
		if !errors.As(err, &ended) || ended.Words != want {
			t.Errorf("%q: %v", stderr, err)
		}
	}
	for words, hint := range map[string]bool{"Cannot find module 'x'": true, "EACCES: permission denied": true, "the license has run out": false} {
		for _, confined := range []bool{true, false} {
			err := &dial.EndedError{Words: words, Confined: confined}
			if strings.Contains(err.Error(), "requires.fs.read") != (hint && confined) {
				t.Errorf("confined %v: %s", confined, err)
			}
		}
	}
}

// Nothing can come of a program that has closed its output.
func TestSilent(t *testing.T) {
	r := newRig(t, false, nil)
	if _, err := r.read(program(mcptest.ModeSilent)); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("%v", err)
	}
}

// A program ends with its input; one that does not is stopped, with what it started.
func TestClose(t *testing.T) {
	var log await.Log
	r := newRig(t, false, func(o *dial.Options) {
		o.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	for _, mode := range []string{mcptest.ModeGood, mcptest.ModeStubborn} {
		transport, err := r.dialer.Dial(t.Context(), program(mode))
		if err != nil {
			t.Fatal(err)
		}
		reader := transport.(*mcp.IOTransport).Reader
		read := make(chan error, 1)
		go func() {
			_, err := reader.Read(make([]byte, 1))
			read <- err
		}()
		if err := reader.Close(); err != nil {
			t.Error(err)
		}
		if err := await.One(t, read, "the end of a read"); err == nil {
			t.Error("a read goes on after Close")
		}
	}
	log.Says(t, `exit="exit status 0"`)
	log.Says(t, "killed by SIGKILL")
}

// Close of the dialer ends what nobody has closed, and after it nothing is started.
func TestCloseAll(t *testing.T) {
	r := newRig(t, false, nil)
	session := r.connect(program(mcptest.ModeGood))
	if err := r.dialer.Close(); err != nil {
		t.Fatal(err)
	}
	if err := session.Ping(context.WithoutCancel(t.Context()), nil); err == nil {
		t.Error("the server lives on")
	}
	if _, err := r.dialer.Dial(t.Context(), program(mcptest.ModeGood)); err == nil || !strings.Contains(err.Error(), "shutting down") {
		t.Errorf("after Close: %v", err)
	}
}

func TestNotStarted(t *testing.T) {
	r := newRig(t, true, nil)
	for _, c := range []struct {
		change func(*serverfile.Server)
		want   string
	}{
		{func(s *serverfile.Server) { s.Command = []string{"no-such-program"} }, "no-such-program"},
		{func(s *serverfile.Server) { s.Cwd = "none" }, `cwd "none" in the workspace`},
	} {
		s := program(mcptest.ModeGood)
		c.change(s)
		if _, err := r.dialer.Dial(t.Context(), s); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	var start *proc.StartError
	s := program(mcptest.ModeGood)
	s.Command = []string{"no-such-program"}
	if _, err := r.dialer.Dial(t.Context(), s); !errors.As(err, &start) || start.ExitCode() != 127 {
		t.Errorf("%v", err)
	}
}
