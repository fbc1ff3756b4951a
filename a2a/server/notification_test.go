package server_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// A request without an id is a notification: nothing is begun by it. A good one is
// answered 204, a bad one with an error whose id is null.
func TestNotifications(t *testing.T) {
	f := a2atest.NewFake()
	f.AgentCard.Push = true
	url, _ := start(t, server.Options{Handler: f})
	const message = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi"}]}}`
	const config = `{"taskId":"working","url":"https://example.com/hook"}`
	for _, tt := range []struct {
		method, params string
		code           int // 0: it is good
	}{
		{"SendMessage", message, 0}, {"SendStreamingMessage", message, 0}, {"message/send", message, 0}, {"message/stream", message, 0},
		{"GetTask", `{"id":"t"}`, 0}, {"ListTasks", `{}`, 0}, {"CancelTask", `{"id":"t"}`, 0}, {"SubscribeToTask", `{"id":"t"}`, 0},
		{"CreateTaskPushNotificationConfig", config, 0}, {"GetTaskPushNotificationConfig", `{"taskId":"t","id":"i"}`, 0},
		{"ListTaskPushNotificationConfigs", `{"taskId":"t"}`, 0}, {"DeleteTaskPushNotificationConfig", `{"taskId":"t","id":"i"}`, 0},
		{"nothing", `{}`, -32601}, {"SendMessage", `{}`, -32602}, {"SendMessage", `[]`, -32602}, {"message/send", `{"message":{}}`, -32602},
		{"SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"","mediaType":"video/mp4"}]}}`, -32005},
		{"SendStreamingMessage", `{"message":1}`, -32602}, {"GetTask", `{}`, -32602}, {"GetTask", `{"id":"t","historyLength":-1}`, -32602},
		{"ListTasks", `{"pageSize":0}`, -32602}, {"CancelTask", `{"id":1}`, -32602}, {"SubscribeToTask", `{}`, -32602},
		{"CreateTaskPushNotificationConfig", `{"taskId":"t"}`, -32602}, {"GetTaskPushNotificationConfig", `{"taskId":"t"}`, -32602},
		{"ListTaskPushNotificationConfigs", `{}`, -32602}, {"DeleteTaskPushNotificationConfig", `{"taskId":"t"}`, -32602},
	} {
		res, text := a2atest.Do(t, "POST", url+"/", `{"jsonrpc":"2.0","method":"`+tt.method+`","params":`+tt.params+`}`, "Content-Type", "application/json")
		if tt.code == 0 {
			if res.StatusCode != 204 || text != "" {
				t.Errorf("%s %s: %d %s", tt.method, tt.params, res.StatusCode, text)
			}
			continue
		}
		var answer struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil || res.StatusCode != 200 || string(answer.ID) != "null" || answer.Error.Code != tt.code {
			t.Errorf("%s %s: want %d with id null: %d %s", tt.method, tt.params, tt.code, res.StatusCode, text)
		}
	}
	if n := len(f.Sends()); n != 0 {
		t.Errorf("%d messages reached the agent", n)
	}
	if len(f.Pushed) != 0 || len(f.Unpushed) != 0 {
		t.Errorf("configs were changed: %v %v", f.Pushed, f.Unpushed)
	}
}

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A body in gzip is decoded within the limits of any other; what is packed in
// another way is refused by name.
func TestContentEncoding(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f, MaxBody: 4 << 10})
	rpc := a2atest.Hello("SendMessage", "packed")
	rest := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"packed"}]}}`
	bomb := gzipped(t, strings.Repeat(" ", 64<<20))
	members := strings.Repeat(gzipped(t, ""), 4<<10) // many of nothing
	for _, tt := range []struct {
		path, encoding, body string
		status               int
		want                 string
	}{
		{"/", "gzip", gzipped(t, rpc), 200, "echo: packed"},
		{"/", "GZip", gzipped(t, rpc), 200, "echo: packed"},
		{"/", "identity", rpc, 200, "echo: packed"},
		{"/message:send", "gzip", gzipped(t, rest), 200, "echo: packed"},
		{"/v1/message:send", "gzip", gzipped(t, rest), 200, "echo: packed"},
		{"/a2a/tools/acme.echo", "gzip", gzipped(t, `{"say":"packed"}`), 200, "packed"},
		{"/message:send", "gzip", bomb[:4<<10], 413, "larger than 4096 bytes"},
		{"/message:send", "gzip", members, 413, "larger than 4096 bytes"},
		{"/", "gzip", gzipped(t, rpc)[:40], 200, `"code":-32700`},
		{"/", "gzip", rpc, 200, `"code":-32700`},
		{"/message:send", "gzip", rest, 400, "gzip"},
		{"/", "br", rpc, 415, `Content-Encoding \"br\"`},
		{"/message:send", "deflate", rest, 415, `Content-Encoding \"deflate\"`},
		{"/message:send", "gzip, gzip", gzipped(t, gzipped(t, rest)), 415, `Content-Encoding \"gzip, gzip\"`},
		{"/a2a/tools/acme.echo", "zstd", "{}", 415, `Content-Encoding \"zstd\"`},
	} {
		res, text := a2atest.Do(t, "POST", url+tt.path, tt.body, "Content-Type", "application/json", "Content-Encoding", tt.encoding)
		if res.StatusCode != tt.status || !strings.Contains(text, tt.want) {
			t.Errorf("%s %s: %d %.200s, want %d %s", tt.path, tt.encoding, res.StatusCode, text, tt.status, tt.want)
		}
		if accept := res.Header.Get("Accept-Encoding"); (accept == "gzip") != (tt.status == http.StatusUnsupportedMediaType) {
			t.Errorf("%s %s: Accept-Encoding %q", tt.path, tt.encoding, accept)
		}
	}
	// In chunks nobody says how long it is, packed or not.
	for body, want := range map[string]string{gzipped(t, rpc): "echo: packed", bomb: "larger than 4096 bytes", members: "larger than 4096 bytes"} {
		chunked, err := http.NewRequestWithContext(t.Context(), "POST", url+"/", io.MultiReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		chunked.Header.Set("Content-Type", "application/json")
		chunked.Header.Set("Content-Encoding", "gzip")
		res, err := http.DefaultClient.Do(chunked)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if !strings.Contains(string(b), want) {
			t.Errorf("%d bytes in chunks: %.200s, want %s", len(body), b, want)
		}
	}
}
