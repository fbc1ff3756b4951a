package sidecar_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// mcpRevisions are the oldest, some middle ones and the newest.
var mcpRevisions = []string{"2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"}

// mcpTools are echo, hidden.echo, which has to be searched for, and wait, which sleeps.
const mcpTools = `[
{"name":"acme.echo","description":"says it","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"x-sidecar":{"effects":"read","bridge":{"exec":{"command":["/bin/cat"]}}}},
{"name":"acme.wait","description":"sleeps","inputSchema":{"type":"object"},"x-sidecar":{"effects":"read","bridge":{"exec":{"command":["/bin/sleep","600"]}}}},
{"name":"acme.paint","description":"paints a fence","inputSchema":{"type":"object"},"x-sidecar":{"effects":"read","surface":"discoverable","bridge":{"exec":{"command":["/bin/echo","painted"],"output":"text"}}}}]`

// served is a sidecar that serves mcpTools, and its manifest.
func served(t testing.TB, args ...string) (r *running, tools string) {
	t.Helper()
	tools = filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, tools, mcpTools)
	return run(t, append(append([]string{"--mode", "oneshot", "--sandbox", "off", "--manifest", tools}, args...), "--", "cat")...), tools
}

// bearer sends a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(b))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// mcp connects a client.
func (r *running) mcp(token, revision string, o *mcp.ClientOptions) (*mcp.ClientSession, error) {
	return mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(r.context(),
		&mcp.StreamableClientTransport{Endpoint: r.url + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, MaxRetries: -1},
		&mcp.ClientSessionOptions{ProtocolVersion: revision})
}

// mustMCP is mcp for a client that is closed with the test.
func (r *running) mustMCP(token, revision string, o *mcp.ClientOptions) *mcp.ClientSession {
	r.t.Helper()
	c, err := r.mcp(token, revision, o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = c.Close() })
	return c
}

// listed returns the names of the tools that a client is shown.
func listedTools(t testing.TB, c *mcp.ClientSession) string {
	t.Helper()
	l, err := c.ListTools(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, one := range l.Tools {
		names = append(names, one.Name)
	}
	return strings.Join(names, " ")
}

// Clients of each revision list the tools over HTTP, call them, search, load, and are told of a
// changed manifest within 100 ms of the sidecar's having read it.
func TestMCPOverHTTP(t *testing.T) {
	t.Parallel()
	for _, revision := range mcpRevisions {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			r, tools := served(t)
			told := make(chan time.Time, 10)
			c := r.mustMCP("", revision, &mcp.ClientOptions{ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- time.Now() }})
			if got := listedTools(t, c); got != "core.tool_search acme.echo acme.wait" {
				t.Errorf("listed %s", got)
			}
			res, err := c.CallTool(r.context(), &mcp.CallToolParams{Name: "acme.echo", Arguments: map[string]any{"text": "hi"}})
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(res.StructuredContent); got != "map[text:hi]" || res.IsError || res.Meta["a2a-sidecar/outcome"] != "final" {
				t.Errorf("called: %s %v", got, res.Meta)
			}
			id, _ := res.Meta["a2a-sidecar/taskId"].(string)
			if task := r.get(id); task.Status.State != a2a.StateCompleted {
				t.Errorf("its task: %+v", task.Status)
			}
			res, err = c.CallTool(r.context(), &mcp.CallToolParams{Name: "core.tool_search", Arguments: map[string]any{"query": "paint a fence", "load": []string{"acme.paint"}}})
			if err != nil || res.IsError {
				t.Fatalf("%+v, %v", res, err)
			}
			<-told
			if got := listedTools(t, c); got != "core.tool_search acme.echo acme.wait acme.paint" {
				t.Errorf("listed after loading %s", got)
			}
			if _, err = c.CallTool(r.context(), &mcp.CallToolParams{Name: "acme.nobody"}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
				t.Errorf("an unknown tool: %v", err)
			}
			began := time.Now()
			writeFile(t, tools, strings.Replace(mcpTools, "acme.wait", "acme.rest", 1))
			if took := (<-told).Sub(began); took > time.Second { // the file is followed, which has a pace of its own
				t.Errorf("told after %s", took)
			}
			await.True(t, "the new list", func() bool { return strings.Contains(listedTools(t, c), "acme.rest") })
		})
	}
}

// A call waits for an approval that comes over A2A, with progress meanwhile.
func TestMCPWaitsForApproval(t *testing.T) {
	t.Parallel()
	r, _ := served(t, "--policy", "preset:ask", "--token-file", writeTokens(t))
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		said := make(chan string, 100)
		c := r.mustMCP(aliceToken, revision, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, n *mcp.ProgressNotificationClientRequest) {
			said <- n.Params.Message
		}})
		p := &mcp.CallToolParams{Name: "acme.echo", Arguments: map[string]any{"text": "hi"}}
		p.SetProgressToken("t")
		done := make(chan *mcp.CallToolResult, 1)
		go func() {
			res, err := c.CallTool(r.context(), p)
			if err != nil {
				t.Error(err)
			}
			done <- res
		}()
		id, found := strings.CutPrefix(<-said, "waiting for approval ")
		if !found {
			t.Fatal("no approval is named")
		}
		code, body := r.try(aliceToken, attempt{"GET", "/a2a/approvals/" + id, ""})
		var d struct{ Digest string }
		if err := json.Unmarshal([]byte(body), &d); code != 200 || err != nil {
			t.Fatal(code, body)
		}
		if code, body := r.try(bobToken, attempt{"POST", "/a2a/approvals/" + id, `{"digest":"` + d.Digest + `","option":"once"}`}); code == 200 {
			t.Errorf("bob approved: %s", body)
		}
		if code, body := r.try(aliceToken, attempt{"POST", "/a2a/approvals/" + id, `{"digest":"` + d.Digest + `","option":"once"}`}); code != 200 {
			t.Errorf("alice: %d %s", code, body)
		}
		if res := <-done; res == nil || res.IsError {
			t.Errorf("%s: %+v", revision, res)
		}
	}
}

// A client that declares elicitation is asked itself, as its revision has it, and what its person
// says counts: an independent caller may approve its own calls.
func TestMCPElicits(t *testing.T) {
	t.Parallel()
	r, _ := served(t, "--policy", "preset:ask", "--token-file", writeTokens(t))
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		for action, want := range map[string]string{"accept": "final", "decline": "rejected"} {
			asked := make(chan string, 10)
			c := r.mustMCP(aliceToken, revision, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked <- q.Params.Message
				res := &mcp.ElicitResult{Action: action}
				if action == "accept" {
					res.Content = map[string]any{"answer": "once"}
				}
				return res, nil
			}})
			res, err := c.CallTool(r.context(), &mcp.CallToolParams{Name: "acme.echo", Arguments: map[string]any{"text": "hi"}})
			if err != nil {
				t.Fatal(revision, action, err)
			}
			if got := res.Meta["a2a-sidecar/outcome"]; got != want {
				t.Errorf("%s, %s: %v %+v", revision, action, got, res.Content[0])
			}
			if q := <-asked; !strings.Contains(q, "acme.echo") || len(asked) != 0 {
				t.Errorf("asked %q, %d more", q, len(asked))
			}
		}
	}
}

// raw posts a message to /mcp.
func (r *running) raw(token, session, revision, body string) (*http.Response, string) {
	r.t.Helper()
	res, err := r.rawContext(r.context(), token, session, revision, body)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	var b strings.Builder
	if _, err := fmt.Fprint(&b, readAll(res)); err != nil {
		r.t.Fatal(err)
	}
	return res, b.String()
}

func readAll(res *http.Response) string {
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := res.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String()
		}
	}
}

func (r *running) rawContext(ctx context.Context, token, session, revision, body string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/mcp", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range map[string]string{"Mcp-Session-Id": session, "Mcp-Protocol-Version": revision} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if revision == "2026-07-28" {
		var m struct {
			Method string
			Params struct{ Name string }
		}
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			return nil, err
		}
		req.Header.Set("Mcp-Method", m.Method)
		if m.Params.Name != "" {
			req.Header.Set("Mcp-Name", m.Params.Name)
		}
	}
	return (&http.Client{Transport: bearer(token)}).Do(req)
}

const mcpInitialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

// A session is its caller's: to any other one it does not exist. Sessions are bounded, and one that
// is ended makes room.
func TestMCPSessionsAreTheirCallers(t *testing.T) {
	t.Parallel()
	r, _ := served(t, "--token-file", writeTokens(t), "--mcp-sessions", "20", "--mcp-caller-sessions", "15")
	res, _ := r.raw(aliceToken, "", "", mcpInitialize)
	id := res.Header.Get("Mcp-Session-Id")
	if res.StatusCode != 200 || id == "" {
		t.Fatal(res.Status)
	}
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if res, body := r.raw(aliceToken, id, "2025-06-18", list); res.StatusCode != 200 || !strings.Contains(body, "acme.echo") {
		t.Errorf("alice: %s %s", res.Status, body)
	}
	none, other := r.raw(bobToken, "no-such-session", "2025-06-18", list)
	if res, body := r.raw(bobToken, id, "2025-06-18", list); res.StatusCode != 404 || none.StatusCode != 404 || body != other {
		t.Errorf("bob: %s %q, and for none %s %q", res.Status, body, none.Status, other)
	}
	if code, body := r.try(bobToken, attempt{"DELETE", "/mcp", ""}); code == 200 || code == 204 {
		t.Errorf("bob ended something: %d %s", code, body)
	}
	refused := 0
	var first *http.Response
	for range 1000 {
		if res, _ := r.raw(aliceToken, "", "", mcpInitialize); res.StatusCode != 200 {
			refused++
			first = res
		}
	}
	if refused != 1000-14 || first.StatusCode != http.StatusTooManyRequests {
		t.Errorf("%d of a thousand refused, %s", refused, first.Status)
	}
	for range 5 { // the limit of all together
		if res, body := r.raw(bobToken, "", "", mcpInitialize); res.StatusCode != 200 {
			t.Errorf("bob: %s %s", res.Status, body)
		}
	}
	if res, _ := r.raw(bobToken, "", "", mcpInitialize); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("more than all may have: %s", res.Status)
	}
	req, err := http.NewRequestWithContext(r.context(), http.MethodDelete, r.url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", id)
	deleted, err := (&http.Client{Transport: bearer(aliceToken)}).Do(req)
	if err != nil || deleted.StatusCode != http.StatusNoContent {
		t.Fatal(deleted, err)
	}
	if res, _ := r.raw(aliceToken, "", "", mcpInitialize); res.StatusCode != 200 {
		t.Errorf("there is no room after a session has ended: %s", res.Status)
	}
}

// A thousand requests of the newest revision leave no session and no goroutine.
func TestMCPStatelessLeavesNothing(t *testing.T) {
	t.Parallel()
	r, _ := served(t)
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	r.raw("", "", "2026-07-28", list)
	before := r.metric("go_goroutines")
	for range 1000 {
		if res, body := r.raw("", "", "2026-07-28", list); res.StatusCode != 200 || res.Header.Get("Mcp-Session-Id") != "" || !strings.Contains(body, "acme.echo") {
			t.Fatal(res.Status, body)
		}
	}
	await.True(t, "the goroutines are gone", func() bool { return r.metric("go_goroutines") <= before+5 })
}

// A canceled call, one whose request of the newest revision is closed, and one whose session is
// ended cancel their tasks.
func TestMCPCancels(t *testing.T) {
	t.Parallel()
	r, _ := served(t)
	open := func() (n int) {
		list, err := r.client().List(r.context(), &a2a.ListRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range list.Tasks {
			if !one.Status.State.Terminal() {
				n++
			}
		}
		return n
	}
	for _, revision := range mcpRevisions {
		c := r.mustMCP("", revision, nil)
		ctx, cancel := context.WithCancel(r.context())
		var all sync.WaitGroup
		all.Go(func() {
			if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "acme.wait"}); !errors.Is(err, context.Canceled) {
				t.Error(revision, err)
			}
		})
		await.True(t, "the call runs", func() bool { return open() == 1 })
		cancel()
		await.True(t, revision+": the task is canceled", func() bool { return open() == 0 })
		all.Wait()
	}
	res, _ := r.raw("", "", "", mcpInitialize)
	id := res.Header.Get("Mcp-Session-Id")
	var all sync.WaitGroup
	all.Go(func() {
		res, err := r.rawContext(r.context(), "", id, "2025-06-18", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"acme.wait"}}`)
		if err == nil {
			_ = readAll(res)
			_ = res.Body.Close()
		}
	})
	await.True(t, "the call runs", func() bool { return open() == 1 })
	req, err := http.NewRequestWithContext(r.context(), http.MethodDelete, r.url+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", id)
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != http.StatusNoContent {
		t.Error(res, err)
	}
	await.True(t, "the session's call is canceled", func() bool { return open() == 0 })
	all.Wait()
}

// What is not for it is refused by the guards of every path: an origin, a body that is too long.
func TestMCPGuards(t *testing.T) {
	t.Parallel()
	r, _ := served(t, "--token-file", writeTokens(t), "--max-body", "64KiB")
	if res, _ := r.raw("", "", "", mcpInitialize); res.StatusCode != 401 {
		t.Errorf("without a token: %s", res.Status)
	}
	if res, _ := r.raw(aliceToken, "", "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":"`+strings.Repeat("x", 100_000)+`"}}`); res.StatusCode != 413 {
		t.Errorf("a long body: %s", res.Status)
	}
	for name, value := range map[string]string{"Host": "evil.example", "Sec-Fetch-Site": "cross-site"} {
		req, err := http.NewRequestWithContext(r.context(), http.MethodPost, r.url+"/mcp", strings.NewReader(mcpInitialize))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if req.Header.Set(name, value); name == "Host" {
			req.Host = value
		}
		res, err := (&http.Client{Transport: bearer(aliceToken)}).Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != 403 && res.StatusCode != 421 {
			t.Errorf("%s: %s", name, res.Status)
		}
	}
	if _, err := os.Stat("/proc"); err != nil {
		t.Log("no /proc")
	}
}
