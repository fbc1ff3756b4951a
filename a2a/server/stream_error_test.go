package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// A streaming call over JSON-RPC that fails is answered by one event with the
// error, as the official server does it: clients keep its code then. What says
// something to those between (401, Retry-After) keeps its status, and plain calls
// stay as they are.
func TestStreamErrorIsAnEvent(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f})
	call := func(method, params string) (*http.Response, string) {
		return a2atest.Do(t, "POST", url+"/", `{"jsonrpc":"2.0","id":"a","method":"`+method+`","params":`+params+`}`, "Content-Type", "application/json")
	}
	const noSuchTask = `{"message":{"messageId":"m","role":"ROLE_USER","taskId":"nope","parts":[{"text":"x"}]}}`
	for method, params := range map[string]string{"SendStreamingMessage": noSuchTask, "SubscribeToTask": `{"id":"nope"}`, "message/stream": noSuchTask} {
		res, body := call(method, params)
		if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" ||
			!strings.HasPrefix(body, `data: {"jsonrpc":"2.0","id":"a","error":{"code":-32001,`) || !strings.HasSuffix(body, "}\n\n") || strings.Count(body, "data:") != 1 {
			t.Errorf("%s: %d %v\n%s", method, res.StatusCode, res.Header, body)
		}
	}
	if res, body := call("GetTask", `{"id":"nope"}`); res.StatusCode != 200 || !strings.HasPrefix(body, `{"jsonrpc":"2.0","id":"a","error":{"code":-32001,`) {
		t.Errorf("GetTask: %d %s", res.StatusCode, body)
	}
	if res, body := call("SendStreamingMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"drain"}]}}`); res.StatusCode != 503 || res.Header.Get("Retry-After") == "" || !strings.HasPrefix(body, `{"jsonrpc"`) {
		t.Errorf("while draining: %d %v\n%s", res.StatusCode, res.Header, body)
	}
}
