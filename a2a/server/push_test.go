package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// A config that is made keeps who made it and in which dialect.
func TestPushConfigKeepsItsDialect(t *testing.T) {
	f := a2atest.NewFake()
	f.AgentCard.Push = true
	base, _ := start(t, server.Options{Handler: f})
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, req := range []struct{ path, body string }{
		{"/tasks/working/pushNotificationConfigs", `{"url":"https://example.com"}`},
		{"/v1/tasks/working/pushNotificationConfigs", `{"pushNotificationConfig":{"url":"https://example.com"}}`},
		{"/", `{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/set","params":{"taskId":"working","pushNotificationConfig":{"url":"https://example.com"}}}`},
		{"/", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]},"configuration":{"pushNotificationConfig":{"url":"https://example.com"}}}}`},
	} {
		if res, body := a2atest.Do(t, "POST", base+req.path, req.body, "Content-Type", "application/json", "Traceparent", trace); res.StatusCode != 200 || strings.Contains(body, `"error"`) {
			t.Fatalf("%s: %d %s", req.path, res.StatusCode, body)
		}
	}
	made := []a2a.PushConfig{f.Pushed[0].Config, f.Pushed[1].Config, f.Pushed[2].Config, *f.Sends()[0].Push}
	for i, want := range []a2a.Version{a2a.V10, a2a.V03, a2a.V03, a2a.V03} {
		if c := made[i]; c.Version != want || c.TraceParent != trace {
			raw, _ := json.Marshal(c)
			t.Errorf("%d: %s", i, raw)
		}
	}
}
