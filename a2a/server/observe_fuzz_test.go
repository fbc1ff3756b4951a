package server_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// calmer has a tool that answers in JSON whatever it is given.
type calmer struct{ calm }

func (calmer) CallTool(context.Context, *a2a.ToolRequest) (*a2a.ToolReply, error) {
	return &a2a.ToolReply{Status: 200, Envelope: []byte("{}"), TaskID: "t"}, nil
}

// FuzzREST asks anything of any path: the answer is JSON, a stream or nothing, no
// panic is behind it, and what the observer is told comes from its short lists.
func FuzzREST(f *testing.F) {
	body := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
	f.Add("POST", "/message:send", body, "1.0", "")
	f.Add("POST", "/v1/message:stream", body, "0.3", "7")
	f.Add("GET", "/tasks?pageSize=3&pageToken=x&statusTimestampAfter=2026-01-02T15:04:05Z&status=TASK_STATE_WORKING&includeArtifacts=true", "", "", "")
	f.Add("GET", "/v1/tasks/a%2Fb:subscribe?historyLength=1e9", "", "", "18446744073709551616")
	f.Add("DELETE", "/tasks/t/pushNotificationConfigs/p?A2A-Version=9", "", "", "")
	f.Add("POST", "/tasks/t/pushNotificationConfigs", `{"url":"https://a.example","token":"t"}`, "1.0", "")
	f.Add("POST", "/a2a/tools/acme%2eecho", `{`, "", "")
	f.Add("GET", "/extendedAgentCard", "", "1.0", "")
	operations := "|SendMessage|SendStreamingMessage|GetTask|ListTasks|CancelTask|SubscribeToTask|GetExtendedAgentCard|AgentCard|ListTools|SearchTools|CallTool|Health|Metrics|" +
		"PushNotificationConfig|CreateTaskPushNotificationConfig|GetTaskPushNotificationConfig|ListTaskPushNotificationConfigs|DeleteTaskPushNotificationConfig||"
	f.Fuzz(func(t *testing.T, method, target, body, version, last string) {
		r, ok := newRequest(method, target, body)
		if !ok {
			t.Skip("no request that net/http would pass on")
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("A2A-Version", version)
		r.Header.Set("Last-Event-ID", last)
		var log await.Log
		seen := newWatcher()
		fake := a2atest.NewFake()
		fake.AgentCard.Push = true
		s := server.New(server.Options{Handler: calmer{calm{fake}}, Observer: seen, Log: slog.New(slog.NewTextHandler(&log, nil))})
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if strings.Contains(log.String(), "panic") {
			t.Fatal(log.String())
		}
		o := seen.next(t)
		if !strings.Contains(operations, "|"+o.Operation+"|") || !strings.Contains("|jsonrpc|rest|http|", "|"+o.Binding+"|") || !strings.Contains("|1.0|0.3||", "|"+string(o.Version)+"|") {
			t.Errorf("observed %+v", o)
		}
		switch got := w.Body.Bytes(); {
		case len(got) == 0: // of HEAD, of what is deleted, of a notification
		case strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream"):
			for frame := range strings.SplitSeq(strings.TrimSuffix(string(got), "\n\n"), "\n\n") {
				_, data, ok := strings.Cut("\n"+frame, "\ndata: ")
				if !ok || !json.Valid([]byte(data)) {
					t.Errorf("frame %q", frame)
				}
			}
		case !json.Valid(got):
			t.Errorf("%d %q", w.Code, got)
		}
	})
}

// newRequest is httptest's, which panics where there can be no request.
func newRequest(method, target, body string) (r *http.Request, ok bool) {
	defer func() { ok = recover() == nil }()
	return httptest.NewRequest(method, target, strings.NewReader(body)), true
}
