package push_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/push"
)

// loopback lets a sender reach test servers.
var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}

func deliver(t *testing.T, s *push.Sender, c *a2a.PushConfig, e *a2a.Event) *push.Error {
	t.Helper()
	err := s.Send(t.Context(), c, e)
	if err == nil {
		return nil
	}
	var fault *push.Error
	if !errors.As(err, &fault) {
		t.Fatalf("not an Error: %v", err)
	}
	return fault
}

// What a receiver gets, in both versions (§4.3.3; 0.3 §9.5).
func TestPushRequest(t *testing.T) {
	var got *http.Request
	var body []byte
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer srv.Close()
	s := push.New(push.Options{Allow: loopback, UserAgent: "sidecar/1"})
	defer s.Close()
	config := a2a.PushConfig{
		URL: srv.URL + "/hook?x=1", Token: "the-token", Scheme: "Bearer", Credentials: "the-credentials",
		TraceParent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
	}
	headers := map[string]string{
		"Content-Type": "application/a2a+json", "Authorization": "Bearer the-credentials", "User-Agent": "sidecar/1",
		"A2A-Notification-Token": "the-token", "X-A2A-Notification-Token": "the-token", "Traceparent": config.TraceParent,
	}
	check := func(want string) {
		t.Helper()
		if got.Method != "POST" || got.URL.String() != "/hook?x=1" {
			t.Errorf("%s %s", got.Method, got.URL)
		}
		for name, value := range headers {
			if v := got.Header.Get(name); v != value {
				t.Errorf("%s: %q, want %q", name, v, value)
			}
		}
		if string(body) != want {
			t.Errorf("body %s\nwant %s", body, want)
		}
	}

	if err := deliver(t, s, &config, a2atest.Update(a2a.StateCompleted)); err != nil {
		t.Fatal(err)
	}
	check(`{"statusUpdate":{"taskId":"task-1","contextId":"ctx-1","status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-02T03:04:05.678Z"}}}`)

	config.Version = a2a.V03
	headers["Content-Type"] = "application/json"
	task := &a2a.Event{Task: &a2a.Task{ID: "task-1", ContextID: "ctx-1", Status: a2atest.Status(a2a.StateCompleted, "")}}
	if err := deliver(t, s, &config, task); err != nil {
		t.Fatal(err)
	}
	check(`{"kind":"task","id":"task-1","contextId":"ctx-1","status":{"state":"completed","timestamp":"2026-01-02T03:04:05.678Z"}}`)

	config = a2a.PushConfig{URL: srv.URL, Scheme: "Bearer"}
	if err := deliver(t, s, &config, a2atest.Update(a2a.StateWorking)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Authorization", "A2A-Notification-Token", "X-A2A-Notification-Token", "Traceparent"} {
		if v, ok := got.Header[http.CanonicalHeaderKey(name)]; ok {
			t.Errorf("%s: %q was not asked for", name, v)
		}
	}
}

// What an answer means: taken, again later, or never.
func TestPushAnswers(t *testing.T) {
	var status atomic.Int32
	var after atomic.Value
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", after.Load().(string))
		w.WriteHeader(int(status.Load()))
	}))
	defer srv.Close()
	s := push.New(push.Options{Allow: loopback})
	defer s.Close()
	config := &a2a.PushConfig{URL: srv.URL + "/secret-path?key=secret-key", Token: "secret-token", Scheme: "Bearer", Credentials: "secret-credentials"}
	for code, want := range map[int]string{
		200: "ok", 201: "ok", 202: "ok", 204: "ok",
		400: "never", 401: "never", 403: "never", 404: "never", 405: "never", 410: "never", 413: "never", 422: "never", 304: "never", 300: "never",
		408: "again", 425: "again", 429: "again", 500: "again", 502: "again", 503: "again", 504: "again",
	} {
		status.Store(int32(code))
		after.Store("7")
		got := "ok"
		if err := deliver(t, s, config, a2atest.Update(a2a.StateWorking)); err != nil {
			got = "again"
			if err.Permanent {
				got = "never"
			}
			if got == "again" && err.RetryAfter != 7*time.Second {
				t.Errorf("%d: again after %v", code, err.RetryAfter)
			}
			if err.Status != code || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), err.Host) {
				t.Errorf("%d: %v", code, err)
			}
		}
		if got != want {
			t.Errorf("%d means %s, want %s", code, got, want)
		}
	}
	status.Store(503)
	after.Store(time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
	if err := deliver(t, s, config, a2atest.Update(a2a.StateWorking)); err.RetryAfter < 59*time.Minute || err.RetryAfter > time.Hour {
		t.Errorf("a date an hour away: %v", err.RetryAfter)
	}
	after.Store("soon")
	if err := deliver(t, s, config, a2atest.Update(a2a.StateWorking)); err.RetryAfter != 0 {
		t.Errorf("nonsense: %v", err.RetryAfter)
	}
}
