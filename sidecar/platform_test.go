package sidecar_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// The tokens of two users of the platform.
const (
	tokenOfAnna = "eyJhbGciOiJFUzI1NiJ9.anna/secret-0123456789+x=="
	tokenOfBob  = "bobs.own-token_9876543210"
)

// platformServer is a platform whose tools tell who calls them.
type platformServer struct {
	url string

	mu      sync.Mutex
	tokens  []string      // of all requests
	arrived int           // at sv.meet
	met     chan struct{} // closed when two have arrived there
}

func serveTools(t *testing.T) *platformServer {
	t.Helper()
	p := &platformServer{met: make(chan struct{})}
	users := map[string]string{"Bearer " + tokenOfAnna: "anna", "Bearer " + tokenOfBob: "bob"}
	who := func(r *mcp.CallToolRequest) string { return users[r.Extra.Header.Get("Authorization")] }
	s := mcp.NewServer(&mcp.Implementation{Name: "platform", Version: "1"}, nil)
	tool := func(name string, run func(ctx context.Context, r *mcp.CallToolRequest) string) {
		s.AddTool(&mcp.Tool{Name: name, Description: "Of the platform's.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: run(ctx, r)}}}, nil
		})
	}
	tool("sv.directory.whoami", func(_ context.Context, r *mcp.CallToolRequest) string { return "you are " + who(r) })
	tool("getEcho", func(_ context.Context, r *mcp.CallToolRequest) string {
		return "you sent " + r.Extra.Header.Get("Authorization")
	})
	tool("meet", func(ctx context.Context, r *mcp.CallToolRequest) string {
		p.mu.Lock()
		if p.arrived++; p.arrived == 2 {
			close(p.met)
		}
		p.mu.Unlock()
		select {
		case <-p.met:
			return "met as " + who(r)
		case <-ctx.Done():
			return "nobody came"
		}
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("Authorization")
		p.mu.Lock()
		p.tokens = append(p.tokens, token)
		p.mu.Unlock()
		if users[token] == "" {
			http.Error(w, "the token "+token+" is not known", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// asked returns how many requests the platform had.
func (p *platformServer) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.tokens)
}

// platformUser is an agent that does what each line of its message says: lists its tools, calls
// one, or tells all that it was given.
func platformUser() int {
	text, err := io.ReadAll(os.Stdin)
	must(err)
	ctx := context.Background()
	c, err := channel.Dial(ctx, os.Getenv("SIDECAR_SOCKET"), os.Getenv("SIDECAR_CHANNEL_TOKEN"), channel.Capabilities{})
	must(err)
	defer c.Close()
	for line := range strings.Lines(string(text)) {
		switch what, name, _ := strings.Cut(strings.TrimSpace(line), " "); what {
		case "list":
			l, err := c.ListTools(ctx)
			must(err)
			for _, t := range l.Tools {
				fmt.Printf("(%s)", t.Name)
			}
		case "call":
			called, err := c.CallTool(ctx, channel.Call{Name: name, Arguments: json.RawMessage(`{}`)})
			fmt.Printf("%s %v\n", called.Envelope, err)
		case "tell":
			fmt.Println(os.Environ())
			message, err := os.ReadFile(os.Getenv("SIDECAR_MESSAGE_FILE"))
			must(err)
			fmt.Printf("%s\n", message)
		}
	}
	return 0
}

// withPlatform starts a sidecar of an agent that has a platform, with the places where it keeps
// what it is told.
func withPlatform(t *testing.T, url, agent string) (r *running, kept []string) {
	t.Helper()
	dir := t.TempDir()
	policy := filepath.Join(dir, "policy.json")
	writeFile(t, policy, `{"rules":[{"permission":"*","action":"allow"}]}`)
	state, runtime := filepath.Join(dir, "state"), t.TempDir()
	args := []string{"--state-dir", state, "--audit", filepath.Join(state, "audit.ndjson"), "--policy", policy, "--runtime-dir", runtime, "--max-concurrency", "4", "--log-level", "debug"}
	if url != "" {
		args = append(args, "--mcp-proxy-url", url)
	}
	r, _ = callerAs(t, agent, append(args, "--sandbox", "off")...)
	return r, []string{state, runtime}
}

// sendWith sends a message with a token and returns the task that ended.
func (r *running) sendWith(text string, token any) *a2a.Task {
	r.t.Helper()
	raw, err := json.Marshal(token)
	if err != nil {
		r.t.Fatal(err)
	}
	m := userMessage(text)
	m.Metadata = a2a.Metadata{"mcpToken": raw, "other": json.RawMessage(`"stays"`)}
	res, err := r.client().Send(r.context(), &a2a.SendRequest{Message: m, Metadata: a2a.Metadata{"mcpToken": raw}})
	if err != nil {
		r.t.Fatal(err)
	}
	return res.Task
}

// said returns what the agent has answered.
func said(task *a2a.Task) string { return artifact(task, "response") }

// nowhere fails if one of the texts is in what the sidecar has kept, logged or shown.
func (r *running) nowhere(kept []string, texts ...string) {
	r.t.Helper()
	found := func(where, text string) {
		for _, s := range texts {
			if strings.Contains(text, s) || strings.Contains(text, strings.ReplaceAll(s, "/", `\/`)) {
				r.t.Errorf("%s has %s", where, s)
			}
		}
	}
	found("the log", r.log.String())
	for _, path := range []string{"/status", "/tasks", "/tasks?includeArtifacts=true&historyLength=100", "/metrics", "/a2a/tools", "/a2a/tools/effective?absent=true"} {
		found(path, r.getPath(path).body)
	}
	read := 0
	for _, dir := range kept {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // what is gone is not kept
			}
			content, err := os.ReadFile(path)
			if err == nil {
				read++
				found(path, string(content))
			}
			return nil
		})
		if err != nil {
			r.t.Fatal(err)
		}
	}
	if read == 0 {
		r.t.Error("nothing was kept: the test looks in the wrong place")
	}
}

// TestPlatformTools: an agent has the platform's tools while its turn has a token, by the names
// of the platform's namespace, and the token is nowhere.
func TestPlatformTools(t *testing.T) {
	t.Parallel()
	p := serveTools(t)
	r, kept := withPlatform(t, p.url, "platform")
	if p.asked() > 0 {
		t.Error("the platform was asked before anybody wanted its tools")
	}
	if got := said(r.sendWith("tell", tokenOfAnna)); strings.Contains(got, "anna/secret") || !strings.Contains(got, `"other"`) {
		t.Errorf("the agent was given the token, or less than its message: %s", got)
	}
	if p.asked() > 0 {
		t.Error("the platform was asked for a turn that wanted nothing of it")
	}
	got := said(r.sendWith("list\ncall sv.directory.whoami\ncall sv.get_echo", tokenOfAnna))
	for _, want := range []string{"(sv.directory.whoami)", "(sv.get_echo)", "(sv.meet)", "(test.leaf)", "you are anna", "you sent Bearer [redacted]"} {
		if !strings.Contains(got, want) {
			t.Errorf("the agent does not say %q: %s", want, got)
		}
	}
	for what, m := range map[string]func() *a2a.Task{
		"no token":          func() *a2a.Task { return r.send("list\ncall sv.directory.whoami") },
		"a token of null":   func() *a2a.Task { return r.sendWith("list\ncall sv.directory.whoami", nil) },
		"the turn is over":  func() *a2a.Task { return r.send("list\ncall sv.get_echo") },
		"no such tool here": func() *a2a.Task { return r.send("list\ncall sv.nothing") },
	} {
		if got := said(m()); strings.Contains(got, "(sv.") || !strings.Contains(got, "mcpToken") || !strings.Contains(got, "denied") {
			t.Errorf("%s: %s", what, got)
		}
	}
	rep := r.do(http.MethodPost, "/a2a/tools/sv.directory.whoami", "application/json", "{}")
	if rep.status != http.StatusForbidden || !strings.Contains(rep.body, "mcpToken") {
		t.Errorf("a caller calls it: %d %s", rep.status, rep.body)
	}
	r.nowhere(kept, tokenOfAnna)
}

// TestPlatformNested: the program of a tool that the agent calls has its turn's tools, and that of
// a tool which a message calls has those of the message.
func TestPlatformNested(t *testing.T) {
	t.Parallel()
	p := serveTools(t)
	r, kept := withPlatform(t, p.url, "caller")
	if got := said(r.sendWith("channel test.exec,sv.directory.whoami", tokenOfBob)); !strings.Contains(got, "you are bob") || !strings.Contains(got, "[test.exec]") {
		t.Errorf("nested: %s", got)
	}
	call := a2a.Message{
		ID: a2a.NewID(), Role: a2a.RoleUser, Extensions: []string{toolCallURI}, Metadata: a2a.Metadata{"mcpToken": json.RawMessage(`"` + tokenOfAnna + `"`)},
		Parts: []a2a.Part{a2a.DataPart(json.RawMessage(`{"toolCall":{"name":"test.exec","arguments":{"text":"channel sv.directory.whoami"}}}`))},
	}
	res, err := r.client().Send(r.context(), &a2a.SendRequest{Message: call})
	if err != nil {
		t.Fatal(err)
	}
	if got := artifact(res.Task, "result"); !strings.Contains(got, "you are anna") {
		t.Errorf("by a message: %s", got)
	}
	r.nowhere(kept, tokenOfAnna, tokenOfBob)
}

// TestPlatformOfTwoTurns: two turns that run at once have each the tools of its own token.
func TestPlatformOfTwoTurns(t *testing.T) {
	t.Parallel()
	p := serveTools(t)
	r, kept := withPlatform(t, p.url, "platform")
	var wg sync.WaitGroup
	for token, who := range map[string]string{tokenOfAnna: "anna", tokenOfBob: "bob"} {
		wg.Go(func() {
			got := said(r.sendWith("call sv.meet\ncall sv.directory.whoami", token))
			if !strings.Contains(got, "met as "+who) || !strings.Contains(got, "you are "+who) {
				t.Errorf("%s is told %s", who, got)
			}
		})
	}
	wg.Wait()
	r.nowhere(kept, tokenOfAnna, tokenOfBob)
}

// TestPlatformRefuses: a platform that does not know the token, and one that leads elsewhere, are
// told of without the token, which goes nowhere else.
func TestPlatformRefuses(t *testing.T) {
	t.Parallel()
	const unknown = "unknown-token-0123456789"
	p := serveTools(t)
	r, kept := withPlatform(t, p.url, "platform")
	if got := said(r.sendWith("list\ncall sv.directory.whoami", unknown)); strings.Contains(got, "(sv.") || !strings.Contains(got, "unavailable") {
		t.Errorf("a token that is not known: %s", got)
	}
	r.nowhere(kept, unknown)

	leading := httptest.NewServer(http.RedirectHandler(p.url, http.StatusTemporaryRedirect))
	t.Cleanup(leading.Close)
	before := p.asked()
	r, kept = withPlatform(t, leading.URL, "platform")
	if got := said(r.sendWith("call sv.directory.whoami", tokenOfAnna)); !strings.Contains(got, "redirects") {
		t.Errorf("a redirect: %s", got)
	}
	if p.asked() != before {
		t.Error("the redirect was followed")
	}
	r.nowhere(kept, tokenOfAnna)
}

// TestPlatformJunk: what is no token is refused, without a word of it, and taken out in any case.
func TestPlatformJunk(t *testing.T) {
	t.Parallel()
	p := serveTools(t)
	with, keptWith := withPlatform(t, p.url, "platform")
	without, keptWithout := withPlatform(t, "", "platform")
	const mark = "junkmark"
	junk := map[string]any{
		"an object": map[string]string{"a": mark}, "a list": []string{mark}, "a number": 17, "a word": "short", "a MiB": strings.Repeat(mark, 1<<17),
		"two lines": mark + "\r\nX-Other: 1", "blanks": mark + " " + mark, "nothing": "",
	}
	for what, token := range junk {
		raw, err := json.Marshal(token)
		if err != nil {
			t.Fatal(err)
		}
		m := userMessage("tell")
		m.Metadata = a2a.Metadata{"mcpToken": raw}
		if _, err = with.client().Send(with.context(), &a2a.SendRequest{Message: m}); err == nil || !strings.Contains(err.Error(), "message.metadata.mcpToken") || strings.Contains(err.Error(), mark) {
			t.Errorf("%s: %.200v", what, err)
		}
		if got := said(without.sendWith("tell", token)); strings.Contains(got, mark) || !strings.Contains(got, `"other"`) {
			t.Errorf("%s without a platform: %.300s", what, got)
		}
	}
	if got := said(without.sendWith("list\ncall sv.directory.whoami", tokenOfAnna)); strings.Contains(got, "(sv.") || !strings.Contains(got, "there is no tool") {
		t.Errorf("without a platform: %s", got)
	}
	with.send("tell") // so that something is kept
	with.nowhere(keptWith, mark)
	without.nowhere(keptWithout, mark, tokenOfAnna)
	if p.asked() > 0 {
		t.Error("the platform was asked with what is no token")
	}
}

// TestPlatformListOfATurn: what GET /a2a/tools/effective says of the platform's tools outside of a
// turn is that they are absent.
func TestPlatformListOfATurn(t *testing.T) {
	t.Parallel()
	p := serveTools(t)
	r, _ := withPlatform(t, p.url, "platform")
	await.True(t, "the list is there", func() bool { return r.getPath("/a2a/tools/effective").status == http.StatusOK })
	var rows []struct{ Name string }
	if err := json.Unmarshal([]byte(r.getPath("/a2a/tools/effective").body), &rows); err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(rows, func(row struct{ Name string }) bool { return strings.HasPrefix(row.Name, "sv.") }) {
		t.Errorf("a caller has the platform's tools: %v", rows)
	}
}
