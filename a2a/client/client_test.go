package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/client"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// answering starts a server that answers every request with one handler and
// returns a client of it.
func answering(t *testing.T, answer http.HandlerFunc) *client.Client {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return client.New(s.URL+"/", s.Client())
}

// soon is a context for what must not take long.
// Each method sends the request that the specification asks for.
func TestClientRequests(t *testing.T) {
	two := 2
	message := a2a.Message{ID: "m", ContextID: "c", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hi")}}
	params := a2a.Params{Extensions: []string{"urn:x", "urn:y"}, TraceParent: "00-1-2-01"}
	tests := []struct {
		method, params string
		call           func(c *client.Client, ctx context.Context) error
	}{
		{"SendMessage", `{"message":{"messageId":"m","contextId":"c","role":"ROLE_USER","parts":[{"text":"hi"}]},` +
			`"configuration":{"acceptedOutputModes":["text/plain"],"historyLength":2,"returnImmediately":true},"metadata":{"k":1}}`,
			func(c *client.Client, ctx context.Context) error {
				_, err := c.Send(ctx, &a2a.SendRequest{Params: params, Message: message, HistoryLength: &two, ReturnImmediately: true,
					AcceptedModes: []string{"text/plain"}, Metadata: a2a.Metadata{"k": json.RawMessage("1")}})
				return err
			}},
		{"SendStreamingMessage", `{"message":{"messageId":"m","contextId":"c","role":"ROLE_USER","parts":[{"text":"hi"}]}}`,
			func(c *client.Client, ctx context.Context) error {
				_, err := c.Stream(ctx, &a2a.SendRequest{Params: params, Message: message})
				return err
			}},
		{"GetTask", `{"id":"t","historyLength":2}`, func(c *client.Client, ctx context.Context) error {
			_, err := c.Get(ctx, &a2a.GetRequest{Params: params, ID: "t", HistoryLength: &two})
			return err
		}},
		{"ListTasks", `{"contextId":"c","status":"TASK_STATE_WORKING","pageSize":3,"pageToken":"p","historyLength":2,` +
			`"statusTimestampAfter":"2026-01-01T00:00:00Z","includeArtifacts":true}`, func(c *client.Client, ctx context.Context) error {
			_, err := c.List(ctx, &a2a.ListRequest{Params: params, ContextID: "c", State: a2a.StateWorking, PageSize: 3, PageToken: "p",
				HistoryLength: &two, StatusAfter: "2026-01-01T00:00:00Z", IncludeArtifacts: true})
			return err
		}},
		{"CancelTask", `{"id":"t","metadata":{"k":1}}`, func(c *client.Client, ctx context.Context) error {
			_, err := c.Cancel(ctx, &a2a.CancelRequest{Params: params, ID: "t", Metadata: a2a.Metadata{"k": json.RawMessage("1")}})
			return err
		}},
		{"SubscribeToTask", `{"id":"t"}`, func(c *client.Client, ctx context.Context) error {
			_, err := c.Subscribe(ctx, &a2a.SubscribeRequest{Params: params, ID: "t"})
			return err
		}},
	}
	for _, tt := range tests {
		t.Run(tt.method, func(t *testing.T) {
			var got *http.Request
			var body []byte
			c := answering(t, func(w http.ResponseWriter, r *http.Request) {
				got = r
				body, _ = io.ReadAll(r.Body)
				fmt.Fprint(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no such task"}}`)
			})
			c.Header = http.Header{"Authorization": {"Bearer x"}}
			err := tt.call(c, await.Context(t))
			if !errors.Is(err, a2a.ErrTaskNotFound) || err.Error() != "no such task" {
				t.Errorf("err %v", err)
			}
			want := `{"jsonrpc":"2.0","id":1,"method":"` + tt.method + `","params":` + tt.params + `}`
			if diff := cmp.Diff(want, string(body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for name, want := range map[string]string{
				"Content-Type": "application/json", "A2A-Version": "1.0", "A2A-Extensions": "urn:x, urn:y",
				"Traceparent": "00-1-2-01", "Authorization": "Bearer x",
			} {
				if h := got.Header.Get(name); h != want {
					t.Errorf("%s: %q, want %q", name, h, want)
				}
			}
			if got.Method != http.MethodPost || got.URL.Path != "/" {
				t.Errorf("%s %s", got.Method, got.URL.Path)
			}
		})
	}
}

func TestClientResults(t *testing.T) {
	task := &a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: a2a.StateCompleted}}
	const taskJSON = `{"id":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}`
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		result := taskJSON
		switch {
		case bytes.Contains(body, []byte(`"SendMessage"`)):
			result = `{"task":` + taskJSON + `}`
		case bytes.Contains(body, []byte(`"ListTasks"`)):
			result = `{"tasks":[` + taskJSON + `],"nextPageToken":"","pageSize":50,"totalSize":1}`
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":1,"result":%s}`, result)
	})
	ctx := await.Context(t)
	sent, err := c.Send(ctx, &a2a.SendRequest{})
	if diff := cmp.Diff(&a2a.SendResult{Task: task}, sent); err != nil || diff != "" {
		t.Errorf("send: %v %s", err, diff)
	}
	got, err := c.Get(ctx, &a2a.GetRequest{ID: "t"})
	if diff := cmp.Diff(task, got); err != nil || diff != "" {
		t.Errorf("get: %v %s", err, diff)
	}
	got, err = c.Cancel(ctx, &a2a.CancelRequest{ID: "t"})
	if diff := cmp.Diff(task, got); err != nil || diff != "" {
		t.Errorf("cancel: %v %s", err, diff)
	}
	page, err := c.List(ctx, &a2a.ListRequest{})
	if diff := cmp.Diff(&a2a.TaskList{Tasks: []*a2a.Task{task}, PageSize: 50, TotalSize: 1}, page); err != nil || diff != "" {
		t.Errorf("list: %v %s", err, diff)
	}
	if _, err := c.Stream(ctx, &a2a.SendRequest{}); !errors.Is(err, a2a.ErrInvalidAgentResponse) {
		t.Errorf("a stream answered by a result: %v", err)
	}
}

// Whatever answers in place of a sidecar is named in the error.
func TestClientOddAnswers(t *testing.T) {
	tests := []struct {
		name   string
		status int
		body   string
		want   string
		is     error
	}{
		{"proxy", 502, "<html>\x1b[31mbad gateway", `answered 502 Bad Gateway, text/html`, nil},
		{"nothing", 200, ``, `answered 200 OK`, nil},
		{"null", 200, `null`, `answered 200 OK, text/plain: "null"`, nil},
		{"no result", 200, `{"jsonrpc":"2.0","id":1,"result":null}`, `there is no result`, a2a.ErrInvalidAgentResponse},
		{"REST error", 404, `{"error":{"code":404,"status":"NOT_FOUND","message":"gone","details":[{"@type":"x","reason":"TASK_NOT_FOUND"}]}}`, `gone`, a2a.ErrTaskNotFound},
		{"error by text", 403, `{"error":"host not allowed"}`, `403 Forbidden`, nil},
		{"too long", 200, strings.Repeat("x", 5000), `longer than 4096 bytes`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.body)
			})
			c.MaxFrame = 4096
			_, err := c.Get(await.Context(t), &a2a.GetRequest{ID: "t"})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
		})
	}
}

func TestClientRetryAfter(t *testing.T) {
	c := answering(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":-32050,"message":"full"}}`)
	})
	_, err := c.Send(await.Context(t), &a2a.SendRequest{})
	var e *a2a.Error
	if !errors.As(err, &e) || e.RetryAfter != 7 || !errors.Is(err, a2a.ErrBusy) {
		t.Errorf("%+v", err)
	}
}

// streaming answers with the text of an event stream.
func streaming(t *testing.T, text string) *client.Client {
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept") != "text/event-stream" {
			t.Errorf("Accept: %q", r.Header.Get("Accept"))
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.(http.Flusher).Flush() // its length is not known
		io.WriteString(w, text)
	})
}

const (
	envelope  = `{"jsonrpc":"2.0","id":1,"result":`
	submitted = `{"task":{"id":"t","contextId":"c","status":{"state":"TASK_STATE_SUBMITTED"}}}}`
	completed = `{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}}}}`
)

func TestClientStream(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 20_000) // five read buffers
	c := streaming(t, ": hello\n\nid: 1\nevent: message\ndata: "+envelope+submitted+"\n\n"+
		"data:"+envelope+`{"artifactUpdate":{"taskId":"t","artifact":{"artifactId":"a","parts":[{"text":"`+long+`"}]}}}`+"}\n\n\n"+
		": ping\n\n"+
		"data: "+envelope+"\r\ndata: "+completed+"\r\n\r\n")
	s, err := c.Subscribe(await.Context(t), &a2a.SubscribeRequest{ID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := a2atest.ReadAll(t, s)
	if !errors.Is(err, io.EOF) {
		t.Errorf("ended by %v", err)
	}
	want := []*a2a.Event{
		{ID: 1, Task: &a2a.Task{ID: "t", ContextID: "c", Status: a2a.Status{State: a2a.StateSubmitted}}},
		{Artifact: &a2a.ArtifactUpdate{TaskID: "t", Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart(long)}}}},
		{Status: &a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: a2a.Status{State: a2a.StateCompleted}}},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(a2a.Event{})); diff != "" {
		t.Errorf("(-want +got):\n%.2000s", diff)
	}
}

func TestClientStreamEndsBadly(t *testing.T) {
	tests := []struct {
		name, text string
		want       string
		is         error
	}{
		{"error event", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32051,\"message\":\"draining\"}}\n\n", "draining", a2a.ErrUnavailable},
		{"cut off in an event", "data: " + envelope, "unexpected EOF", io.ErrUnexpectedEOF},
		{"cut off before its end", "data: " + envelope + completed + "\n", "unexpected EOF", io.ErrUnexpectedEOF},
		{"no JSON", "data: hello\n\n", `"hello"`, nil},
		{"no event", "data: " + envelope + "{}}\n\n", "a stream item must be one of", a2a.ErrInvalidAgentResponse},
		{"long line", "data: " + strings.Repeat("x", 200_000) + "\n\n", "an item of the stream is too long: more than 100000 bytes", nil},
		{"long event", strings.Repeat("data: 0123456789\n", 20_000) + "\n", "an item of the stream is too long", nil},
		{"endless comment", ":" + strings.Repeat("x", 200_000), "an item of the stream is too long", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := streaming(t, tt.text)
			c.MaxFrame = 100_000
			s, err := c.Stream(await.Context(t), &a2a.SendRequest{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = a2atest.ReadAll(t, s)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
		})
	}
}

// silent answers with a stream that says nothing until its client goes away,
// and tells when that was.
func silent(t *testing.T) (*client.Client, <-chan struct{}) {
	gone := make(chan struct{})
	return answering(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	}), gone
}

// A stream that says nothing ends by the context of Next, by that of its
// request, and by Close; the server sees it go.
func TestClientStreamIsLeft(t *testing.T) {
	why := errors.New("enough")
	ways := map[string]func(s a2a.Stream, cancel context.CancelCauseFunc) error{
		"next": func(s a2a.Stream, _ context.CancelCauseFunc) error {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(why)
			_, err := s.Next(ctx)
			if !errors.Is(err, why) {
				return fmt.Errorf("Next: %w", err)
			}
			return nil
		},
		"request": func(s a2a.Stream, cancel context.CancelCauseFunc) error {
			cancel(why)
			_, err := s.Next(t.Context())
			if err == nil || errors.Is(err, io.EOF) {
				return fmt.Errorf("Next: %w", err)
			}
			return nil
		},
		"close": func(s a2a.Stream, _ context.CancelCauseFunc) error {
			s.Close()
			s.Close()
			if _, err := s.Next(t.Context()); err == nil || errors.Is(err, io.EOF) {
				return fmt.Errorf("Next: %w", err)
			}
			return nil
		},
	}
	for name, leave := range ways {
		t.Run(name, func(t *testing.T) {
			c, gone := silent(t)
			ctx, cancel := context.WithCancelCause(await.Context(t))
			defer cancel(nil)
			s, err := c.Stream(ctx, &a2a.SendRequest{})
			if err != nil {
				t.Fatal(err)
			}
			if err := leave(s, cancel); err != nil {
				t.Error(err)
			}
			select {
			case <-gone:
			case <-await.Context(t).Done():
				t.Error("the server still waits")
			}
			s.Close()
		})
	}
}

func TestClientCallTool(t *testing.T) {
	var got *http.Request
	var body []byte
	answer := func(w http.ResponseWriter) {
		w.Header().Set("Location", "/tasks/abc")
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(http.StatusTooManyRequests)
		io.WriteString(w, `{"type":"error","error_text":"busy","metadata":{}}`)
	}
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		answer(w)
	})
	reply, err := c.CallTool(await.Context(t), &a2a.ToolRequest{Name: "acme.a/b c", Arguments: []byte(`{"x":1}`)})
	want := &a2a.ToolReply{Status: 429, Envelope: []byte(`{"type":"error","error_text":"busy","metadata":{}}`), TaskID: "abc", RetryAfter: 1}
	if diff := cmp.Diff(want, reply); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if got.URL.EscapedPath() != "/a2a/tools/acme.a%2Fb%20c" || string(body) != `{"x":1}` || got.Method != http.MethodPost {
		t.Errorf("%s %s %s", got.Method, got.URL.EscapedPath(), body)
	}
	if _, err := c.CallTool(await.Context(t), &a2a.ToolRequest{Name: "a"}); err != nil || string(body) != `{}` {
		t.Errorf("no arguments: %s, %v", body, err)
	}
	answer = func(w http.ResponseWriter) {
		w.WriteHeader(http.StatusServiceUnavailable)
		io.WriteString(w, `{"error":{"code":503,"status":"UNAVAILABLE","message":"draining","details":[{"reason":"UNAVAILABLE"}]}}`)
	}
	if _, err := c.CallTool(await.Context(t), &a2a.ToolRequest{Name: "a"}); !errors.Is(err, a2a.ErrUnavailable) {
		t.Errorf("refused before it was a call: %v", err)
	}
}

func TestClientDocuments(t *testing.T) {
	c := answering(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a2a/tools":
			w.Header().Set("ETag", `"sha256:x"`)
			io.WriteString(w, `[]`)
		case "/.well-known/agent-card.json":
			io.WriteString(w, `{"name":"x"}`)
		}
	})
	tools, err := c.Tools(await.Context(t))
	if diff := cmp.Diff(&a2a.Document{Body: []byte(`[]`), ETag: `"sha256:x"`}, tools); err != nil || diff != "" {
		t.Errorf("tools: %v %s", err, diff)
	}
	card, err := c.Card(await.Context(t))
	if err != nil || string(card.Body) != `{"name":"x"}` {
		t.Errorf("card: %v, %v", card, err)
	}
	c = answering(t, http.NotFound)
	if _, err := c.Card(await.Context(t)); err == nil || !strings.Contains(err.Error(), "/.well-known/agent-card.json answered 404 Not Found") {
		t.Errorf("no card: %v", err)
	}
}
