package acp_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// host writes down what it is asked to do.
type host struct {
	mu      sync.Mutex
	did     []string
	fail    error
	content string // of every file; "" for a text with its path
	terms   []*term
}

func (h *host) do(format string, args ...any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.did = append(h.did, fmt.Sprintf(format, args...))
	return h.fail
}

func (h *host) ReadFile(_ context.Context, path string, line, limit int) (string, error) {
	content := "text of " + path
	if h.content != "" {
		content = h.content
	}
	return content, h.do("read %s %d %d", path, line, limit)
}

func (h *host) WriteFile(_ context.Context, path, content string) error {
	return h.do("write %s %q", path, content)
}

func (h *host) Run(_ context.Context, p peer.Program) (peer.Terminal, error) {
	if err := h.do("run %q %q %s %d", p.Argv, p.Env, p.Dir, p.MaxOutput); err != nil {
		return nil, err
	}
	t := &term{exited: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.terms = append(h.terms, t)
	return t, nil
}

// term is a program that ends when it is killed.
type term struct {
	exited chan struct{}
	once   sync.Once
}

func (t *term) Output() (string, bool)  { return "out", true }
func (t *term) Exited() <-chan struct{} { return t.exited }
func (t *term) Exit() (int, string)     { return -1, "killed" }
func (t *term) Kill()                   { t.once.Do(func() { close(t.exited) }) }
func (t *term) Release()                { t.Kill() }

func TestFilesAndTerminals(t *testing.T) {
	a := newAgent(t)
	h := &host{}
	type exchange struct{ method, params, want string }
	var todo []exchange
	a.onPrompt("end_turn", func() {
		for _, e := range todo {
			m := <-a.ask(e.method, `{"sessionId":"s1",`+e.params+`}`)
			got := string(m.Result)
			if m.Error != nil {
				got = fmt.Sprintf("%d %s", m.Error.Code, m.Error.Message)
			}
			if !strings.HasPrefix(got, e.want) {
				t.Errorf("%s %s: %s", e.method, e.params, got)
			}
		}
	})
	session := a.open()
	todo = []exchange{
		{"fs/read_text_file", `"path":"/w/a","line":3,"limit":9`, `{"content":"text of /w/a"}`},
		{"fs/read_text_file", `"path":"/w/a"`, `{"content":"text of /w/a"}`},
		{"fs/read_text_file", `"path":"/w/a","limit":0`, `{"content":""}`},
		{"fs/read_text_file", `"path":"a"`, `-32602 path must be absolute, and is "a"`},
		{"fs/read_text_file", `"path":7`, `-32602 path must be absolute`},
		{"fs/write_text_file", `"path":"/w/b","content":"new"`, `{}`},
		{"fs/write_text_file", `"path":"/w/b","content":""`, `{}`},
		{"fs/write_text_file", `"path":"/w/b"`, `-32602 content must be a text`},
		{"fs/write_text_file", `"path":"/w/b","content":null`, `-32602 content must be a text`},
		{"terminal/create", `"command":"ls","args":["-l"],"env":[{"name":"A","value":"1"}],"cwd":"/d","outputByteLimit":100`, `{"terminalId":"terminal-1-1"}`},
		{"terminal/create", `"command":"ls -l | wc"`, `{"terminalId":"terminal-1-2"}`},
		{"terminal/create", `"command":""`, `-32602 command is missing`},
		{"terminal/create", `"command":"ls","cwd":"d"`, `-32602 cwd must be absolute`},
		{"terminal/create", `"command":"ls","args":["a",1]`, `-32602 args is no list`},
		{"terminal/create", `"command":"ls","env":[{"name":"A=B","value":"1"}]`, `-32602 env has a variable of the name "A=B"`},
		{"terminal/output", `"terminalId":"terminal-1-1"`, `{"output":"out","truncated":true}`},
		{"terminal/kill", `"terminalId":"terminal-1-1"`, `{}`},
		{"terminal/wait_for_exit", `"terminalId":"terminal-1-1"`, `{"signal":"killed"}`},
		{"terminal/output", `"terminalId":"terminal-1-1"`, `{"exitStatus":{"signal":"killed"},"output":"out","truncated":true}`},
		{"terminal/release", `"terminalId":"terminal-1-1"`, `{}`},
		{"terminal/output", `"terminalId":"terminal-1-1"`, `-32602 there is no open terminal "terminal-1-1"`},
		{"terminal/frobnicate", `"terminalId":"terminal-1-1"`, `-32601 there is no method "terminal/frobnicate"`},
		{"_vendor/thing", `"a":1`, `-32601 there is no method`},
	}
	a.promptOn(session, "x", &events{host: h})
	want := `read /w/a 3 9|read /w/a 0 0|write /w/b "new"|write /w/b ""|run ["ls" "-l"] ["A=1"] /d 100|run ["/bin/sh" "-c" "ls -l | wc"] []  0`
	if got := strings.Join(h.did, "|"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	h.fail = errors.New("not below a root")
	todo = []exchange{
		{"fs/read_text_file", `"path":"/etc/x"`, `-32603 not below a root`},
		{"fs/write_text_file", `"path":"/etc/x","content":"x"`, `-32603 not below a root`},
		{"terminal/create", `"command":"ls"`, `-32603 not below a root`},
		{"terminal/output", `"terminalId":"terminal-1-2"`, `-32602 there is no open terminal`}, // of the turn before
	}
	a.promptOn(session, "x", &events{host: h})
	h.fail = fmt.Errorf("read: %w", fs.ErrNotExist)
	todo = []exchange{{"fs/read_text_file", `"path":"/w/none"`, `-32002 Resource not found: read: file does not exist`}}
	a.promptOn(session, "x", &events{host: h})
}

func TestTerminalsAreCounted(t *testing.T) {
	a := newAgent(t)
	h := &host{}
	a.onPrompt("end_turn", func() {
		for i := range 40 {
			m := <-a.ask("terminal/create", `{"sessionId":"s1","command":"ls"}`)
			if (m.Error != nil) != (i >= 32) {
				t.Errorf("terminal %d: %+v", i+1, m)
			}
		}
		<-a.ask("terminal/release", `{"sessionId":"s1","terminalId":"terminal-1-7"}`)
		if m := <-a.ask("terminal/create", `{"sessionId":"s1","command":"ls"}`); m.Error != nil {
			t.Errorf("after a release: %+v", m)
		}
	})
	a.promptOn(a.open(), "x", &events{host: h})
}

// TestNothingOfTheMachineOutsideOfATurn: neither before nor after one, nor of another session; a wait ends with
// the turn.
func TestNothingOfTheMachineOutsideOfATurn(t *testing.T) {
	a := newAgent(t)
	h := &host{}
	session := a.open()
	refused := func(when, session string) {
		t.Helper()
		m := <-a.ask("fs/write_text_file", fmt.Sprintf(`{"sessionId":%q,"path":"/w/b","content":"x"}`, session))
		if m.Error == nil || !strings.Contains(m.Error.Message, "no turn of this session is running") {
			t.Errorf("%s: %+v", when, m)
		}
	}
	refused("before a turn", "s1")
	var left <-chan message
	a.onPrompt("end_turn", func() {
		refused("of another session", "s2")
		<-a.ask("terminal/create", `{"sessionId":"s1","command":"ls"}`)
		left = a.ask("terminal/wait_for_exit", `{"sessionId":"s1","terminalId":"terminal-1-1"}`)
	})
	a.promptOn(session, "x", &events{host: h})
	if m := <-left; m.Error == nil || m.Error.Code != -32800 && m.Error.Code != -32602 {
		t.Errorf("the wait ended with %+v", m)
	}
	refused("after the turn", "s1")
	if len(h.did) != 1 {
		t.Errorf("the host did %q", h.did)
	}
}
