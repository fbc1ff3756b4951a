package server_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// calm is a fake that never fails, so that every panic is the server's.
type calm struct{ *a2atest.Fake }

func (c calm) SendMessage(context.Context, *a2a.SendRequest) (*a2a.SendResult, error) {
	return &a2a.SendResult{Task: &a2a.Task{ID: "task-1", ContextID: "ctx-1", Status: a2atest.Status(a2a.StateCompleted, "")}}, nil
}

func (c calm) StreamMessage(context.Context, *a2a.SendRequest) (a2a.Stream, error) {
	return &a2atest.Scripted{Events: []*a2a.Event{a2atest.Update(a2a.StateCompleted)}}, nil
}

// FuzzRPC sends any body under any Content-Type, version and Host: the answer is
// JSON, a stream or nothing, and no panic is behind it.
func FuzzRPC(f *testing.F) {
	for _, method := range []string{"SendMessage", "SendStreamingMessage", "message/send", "message/stream", "ListTasks", "tasks/get"} {
		f.Add(a2atest.Hello(method, "hello"), "application/json", "1.0", "localhost")
	}
	f.Add(`null`, "application/a2a+json; charset=utf-8", "0.3", "[::1]:8999")
	f.Add(`{"jsonrpc":"2.0","id":1e400,"method":"GetTask","params":{"id":{}}}`, "", "", "::")
	f.Fuzz(func(t *testing.T, body, contentType, version, host string) {
		var log await.Log
		s := server.New(server.Options{Handler: calm{a2atest.NewFake()}, Loopback: len(host)%2 == 0, Log: slog.New(slog.NewTextHandler(&log, nil))})
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", contentType)
		r.Header.Set("A2A-Version", version)
		r.Host = host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if strings.Contains(log.String(), "panic") {
			t.Fatal(log.String())
		}
		switch got := w.Body.Bytes(); {
		case w.Code == 204 && len(got) == 0:
		case strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream"):
			for frame := range strings.SplitSeq(strings.TrimSuffix(string(got), "\n\n"), "\n\n") {
				data, ok := strings.CutPrefix(frame, "data: ")
				if !ok || !json.Valid([]byte(data)) {
					t.Errorf("frame %q", frame)
				}
			}
		case !json.Valid(got):
			t.Errorf("%d %q", w.Code, got)
		}
	})
}
