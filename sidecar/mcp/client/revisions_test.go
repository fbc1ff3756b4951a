package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

func TestRevisions(t *testing.T) {
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
				r.hello(revision)
				r.list(tool("t"))
				r.calls(func(m message) {
					if strings.Contains(string(m.Params), "io.modelcontextprotocol") {
						t.Errorf("%s: a request carries the newest revision's keys: %s", revision, m.Params)
					}
					r.answer(m, ok)
				})
			})})
			call(t, r, "t")
			if st := state(r); st.Revision != revision {
				t.Errorf("got %q, want %q", st.Revision, revision)
			}
		})
	}
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) { r.hello("2199-01-01"); r.next() })})
	if err := r.Refresh(await.Context(t)); err == nil || !strings.Contains(err.Error(), `"2199-01-01"`) {
		t.Errorf("got %v of a revision that nobody knows", err)
	}
}

// TestProbe has older servers do to server/discover what they do: say nothing, or end.
func TestProbe(t *testing.T) {
	for what, serve := range map[string]func(*raw){
		"says nothing": func(r *raw) {
			r.answer(r.await("initialize"), `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"3"}}`)
			r.list(tool("t"))
			r.calls(func(m message) { r.answer(m, ok) })
		},
		"ends": func(r *raw) {
			m := r.next()
			if m.Method != "initialize" {
				return
			}
			r.answer(m, `{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"3"}}`)
			r.list(tool("t"))
			r.calls(func(m message) { r.answer(m, ok) })
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, serve), Idle: time.Minute})
			call(t, r, "t")
			time.Sleep(2 * time.Minute)
			began := time.Now()
			call(t, r, "t")
			if took := time.Since(began); took != 0 || state(r).Starts != 2 {
				t.Errorf("%s: the second start took %s, as if nothing had been learned", what, took)
			}
		})
	}
}

// TestStateless speaks 2026-07-28: a request says everything, changes are subscribed to.
func TestStateless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := make(chan message, 1)
		change := make(chan struct{})
		r := newRig(t, client.Options{Version: "1.0"}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
			r.answer(r.next(), `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"instructions":"Be kind.","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"new","version":"9"}}}`)
			r.list(tool("t"))
			for range 2 { // in any order
				switch m := r.next(); m.Method {
				case "subscriptions/listen":
					if !strings.Contains(string(m.Params), `"toolsListChanged":true`) {
						t.Errorf("got %s", m.Params)
					}
					r.say(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}`)
				case "tools/call":
					calls <- m
					r.answer(m, `{"resultType":"complete","content":[]}`)
				default:
					t.Errorf("got %s", m.Method)
				}
			}
			<-change
			r.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
			r.list(tool("t"), tool("u"))
			r.await("never")
		})})
		if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t", TraceParent: "00-1-2-01"}); err != nil {
			t.Fatal(err)
		}
		params := string((<-calls).Params)
		for _, want := range []string{`"io.modelcontextprotocol/protocolVersion":"2026-07-28"`, `"io.modelcontextprotocol/clientInfo":{"name":"sidecar","version":"1.0"}`, `"elicitation":{"form":{},"url":{}}`, `"sampling":{}`, `"traceparent":"00-1-2-01"`, `"arguments":{}`} {
			if !strings.Contains(params, want) {
				t.Errorf("got %s, want %s", params, want)
			}
		}
		if l := r.Tools()[0]; l.Name != "new" || l.Version != "9" || l.Instructions != "Be kind." || state(r).Revision != "2026-07-28" {
			t.Errorf("got %+v", l)
		}
		synctest.Wait()
		changed := r.Changed()
		close(change)
		<-changed
		if l := r.Tools()[0]; len(l.Tools) != 2 {
			t.Errorf("got %d tools after the change", len(l.Tools))
		}
	})
}

// TestHTTP speaks to the SDK's server by streamable HTTP, in the oldest way that it has, with
// sessions, and in the newest.
func TestHTTP(t *testing.T) {
	for _, revisions := range [][]string{{"2025-03-26"}, {"2025-06-18"}, {"2025-11-25"}, nil} {
		server := mcp.NewServer(&mcp.Implementation{Name: "web", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: revisions})
		add := func(name string, f func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error)) {
			server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, f)
		}
		add("say", func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: r.Params.Arguments}, nil
		})
		server.AddTool(&mcp.Tool{Name: "region", InputSchema: json.RawMessage(`{"type":"object","properties":{"where":{"type":"string","x-mcp-header":"Region"},"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"}}}}}`)},
			func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				h := r.Extra.Header
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: h.Get("Mcp-Param-Region") + " " + h.Get("Mcp-Param-N")}}}, nil
			})
		add("large", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", 1<<20)}}}, nil
		})
		for _, jsonOnly := range []bool{false, true} {
			var unnamed atomic.Int64 // requests after the handshake that do not name the revision
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: jsonOnly, Stateless: revisions == nil})
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Mcp-Session-Id") != "" && r.Header.Get("Mcp-Protocol-Version") != revisions[0] {
					unnamed.Add(1)
				}
				handler.ServeHTTP(w, r)
			}))
			r := newRig(t, client.Options{}, client.Server{Slug: "x", MaxMessage: 512 << 10, Dial: func(context.Context) (mcp.Transport, error) {
				return &mcp.StreamableClientTransport{Endpoint: web.URL}, nil
			}})
			changed := r.Changed()
			got, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "say", Arguments: json.RawMessage(`{"n":12345678901234567890}`)})
			if err != nil || string(got.Structured) != `{"n":12345678901234567890}` {
				t.Fatalf("%v: got %+v, %v", revisions, got, err)
			}
			want := "2026-07-28"
			if revisions != nil {
				want = revisions[0]
			}
			if n := unnamed.Load(); n > 0 {
				t.Errorf("%v: %d requests do not name the revision", revisions, n)
			}
			if st := state(r); st.Revision != want {
				t.Errorf("got revision %q, want %q", st.Revision, want)
			}
			<-changed
			region, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "region", Arguments: json.RawMessage(`{"where":"öst","deep":{"n":7}}`)})
			headers := " " // which older revisions do not have
			if revisions == nil {
				headers = "=?base64?w7ZzdA==?= 7"
			}
			if err != nil || region.Content[0].Text != headers {
				t.Errorf("%v: got %+v, %v, want the headers %q", revisions, region, err, headers)
			}
			if _, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "large"}); !errors.Is(err, client.ErrTooLarge) {
				t.Errorf("%v, JSON only %v: got %v", revisions, jsonOnly, err)
			}
			if _, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "say"}); err != nil || state(r).Starts != 1 {
				t.Errorf("%v: it does not go on: %v, %+v", revisions, err, state(r))
			}
			changed = r.Changed()
			await.True(t, "the stream of changes", func() bool {
				add("new", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
				select {
				case <-changed:
					return true
				case <-time.After(300 * time.Millisecond):
					server.RemoveTools("new")
					return false
				}
			})
			server.RemoveTools("new")
			r.Close()
			web.CloseClientConnections()
			web.Close()
		}
	}
}

// A session that has ended leaves no connection behind.
func TestHTTPConnectionsEnd(t *testing.T) {
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return echo() }, nil)
	web := httptest.NewUnstartedServer(handler)
	var made, open atomic.Int64
	web.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			made.Add(1)
			open.Add(1)
		case http.StateClosed:
			open.Add(-1)
		}
	}
	web.Start()
	defer web.Close()
	transport := &http.Transport{}
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: func(context.Context) (mcp.Transport, error) {
		return &mcp.StreamableClientTransport{Endpoint: web.URL, HTTPClient: &http.Client{Transport: transport}}, nil
	}})
	if err := r.Refresh(await.Context(t)); err != nil || made.Load() == 0 {
		t.Fatalf("%d connections, %v", made.Load(), err)
	}
	r.Close()
	await.True(t, "the end of all connections", func() bool { return open.Load() == 0 })
}
