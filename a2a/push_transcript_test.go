package a2a_test

import (
	"encoding/json"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// TestPushTranscripts replays testdata/push/*/*.txtar against a server whose
// card says that push notifications are sent. What one answers whose card does
// not is in the other transcripts.
func TestPushTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/push/*/*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatalf("found %d transcripts: %v", len(files), err)
	}
	f := newFake()
	f.card.Push = true
	srv := httptest.NewServer(a2a.NewServer(a2a.ServerOptions{Handler: f}))
	t.Cleanup(srv.Close)
	for _, file := range files {
		t.Run(strings.TrimPrefix(strings.TrimSuffix(file, ".txtar"), "testdata/push/"), func(t *testing.T) {
			replay(t, srv.Listener.Addr().String(), file)
		})
	}
}

// A config that is made keeps who made it and in which dialect.
func TestPushConfigKeepsItsDialect(t *testing.T) {
	f := newFake()
	f.card.Push = true
	base, _ := start(t, a2a.ServerOptions{Handler: f})
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, req := range []struct{ path, body string }{
		{"/tasks/working/pushNotificationConfigs", `{"url":"https://example.com"}`},
		{"/v1/tasks/working/pushNotificationConfigs", `{"pushNotificationConfig":{"url":"https://example.com"}}`},
		{"/", `{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"working","pushNotificationConfig":{"url":"https://example.com"}}}`},
		{"/", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"pushNotificationConfig":{"url":"https://example.com"}}}}`},
	} {
		if res, body := do(t, "POST", base+req.path, req.body, "Content-Type", "application/json", "Traceparent", trace); res.StatusCode != 200 || strings.Contains(body, `"error"`) {
			t.Fatalf("%s: %d %s", req.path, res.StatusCode, body)
		}
	}
	made := []a2a.PushConfig{f.pushed[0].Config, f.pushed[1].Config, f.pushed[2].Config, *f.sends()[0].Push}
	for i, want := range []a2a.Version{a2a.V10, a2a.V03, a2a.V03, a2a.V03} {
		if c := made[i]; c.Version != want || c.TraceParent != trace {
			raw, _ := json.Marshal(c)
			t.Errorf("%d: %s", i, raw)
		}
	}
}
