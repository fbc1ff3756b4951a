package sidecar_test

import (
	"net/http"
	"strings"
	"testing"
)

// The flags of what may be sent, and by which pages, reach the server.
func TestWebSettings(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--accept", "image/*", "--accept", "text/markdown", "--allowed-host", "agent.example", "--cors", "https://chat.example", "--", "cat")
	if card := r.getPath("/.well-known/agent-card.json").body; !strings.Contains(card, `"defaultInputModes":["text/plain","application/json","image/*","text/markdown"]`) {
		t.Errorf("the card lacks what is accepted: %s", card)
	}
	for mediaType, status := range map[string]int{"image/png": 200, "text/markdown": 200, "video/mp4": 400} {
		body := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hi","mediaType":"` + mediaType + `"}]}}`
		if got := r.do("POST", "/message:send", "application/json", body); got.status != status {
			t.Errorf("%s: %d %s", mediaType, got.status, got.body)
		}
	}
	for _, tt := range []struct {
		host, origin string
		status       int
		allowed      string
	}{
		{"agent.example:8999", "", 200, ""}, {"agent.other:8999", "", 421, ""}, {"localhost", "https://chat.example", 200, "https://chat.example"}, {"localhost", "https://chat.other", 200, ""},
	} {
		req, err := http.NewRequestWithContext(r.context(), "GET", r.url+"/tasks", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		if tt.origin != "" {
			req.Header.Set("Origin", tt.origin)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != tt.status || res.Header.Get("Access-Control-Allow-Origin") != tt.allowed {
			t.Errorf("%+v: %d %v", tt, res.StatusCode, res.Header)
		}
	}
}
