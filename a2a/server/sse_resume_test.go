package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// subscription is one way to ask for a stream of a task.
type subscription struct{ name, method, path, body string }

func subscriptions() []subscription {
	rpc := func(method string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{"id":"working"}}`
	}
	return []subscription{
		{"1.0 JSON-RPC", "POST", "/", rpc("SubscribeToTask")},
		{"0.3 JSON-RPC", "POST", "/a2a", rpc("tasks/resubscribe")},
		{"1.0 REST", "POST", "/tasks/working:subscribe", ""},
		{"1.0 REST, EventSource", "GET", "/tasks/working:subscribe", ""},
		{"0.3 REST", "POST", "/v1/tasks/working:subscribe", ""},
		{"0.3 REST, EventSource", "GET", "/v1/tasks/working:subscribe", ""},
	}
}

func (s subscription) request(lastEventIDs ...string) *http.Request {
	r := httptest.NewRequest(s.method, s.path, strings.NewReader(s.body))
	if s.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for _, id := range lastEventIDs {
		r.Header.Add("Last-Event-ID", id)
	}
	return r
}

// ids are those of the events in the text of a stream, "-" for an event without
// one.
func ids(stream string) []string {
	var out []string
	for frame := range strings.SplitSeq(strings.TrimSuffix(stream, "\n\n"), "\n\n") {
		id := "-"
		for line := range strings.Lines(frame) {
			if v, ok := strings.CutPrefix(line, "id: "); ok {
				id = strings.TrimSuffix(v, "\n")
			}
		}
		out = append(out, id)
	}
	return out
}

// Every event carries its place in every dialect, and a client that names the
// last one that it has gets those behind it (WHATWG HTML §9.2.6).
func TestEventIDs(t *testing.T) {
	for _, s := range subscriptions() {
		l := a2atest.NewNumbered()
		server := server.New(server.Options{Handler: l})
		for after, want := range map[string]string{"": "1 2 3 4 5", "1": "2 3 4 5", "3": "4 5", "4": "5"} {
			r := s.request()
			if after != "" {
				r = s.request(after)
			}
			w := httptest.NewRecorder()
			server.ServeHTTP(w, r)
			if got := strings.Join(ids(w.Body.String()), " "); got != want {
				t.Errorf("%s after %q: events %s, want %s\n%s", s.name, after, got, want, w.Body)
			}
			if w.Header().Get("Content-Type") != "text/event-stream" {
				t.Errorf("%s after %q: %v", s.name, after, w.Header())
			}
		}
	}
}

// The stream of a send has ids too: it may break off, and the task goes on. The
// Task that was shortened for this client keeps its own.
func TestEventIDsOfASend(t *testing.T) {
	const message = `{"message":{"messageId":"m","role":"%s","%s":[{"text":"hello"}]},"configuration":{"historyLength":0}}`
	for path, body := range map[string]string{
		"/message:stream":    fmt.Sprintf(message, "ROLE_USER", "parts"),
		"/v1/message:stream": fmt.Sprintf(message, "ROLE_USER", "content"),
		"/":                  `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":` + fmt.Sprintf(message, "ROLE_USER", "parts") + `}`,
		"/a2a":               `{"jsonrpc":"2.0","id":1,"method":"message/stream","params":` + fmt.Sprintf(message, "user", "parts") + `}`,
	} {
		r := httptest.NewRequest("POST", path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Last-Event-ID", "3") // says nothing of a new task
		w := httptest.NewRecorder()
		server.New(server.Options{Handler: a2atest.NewNumbered()}).ServeHTTP(w, r)
		if got := strings.Join(ids(w.Body.String()), " "); got != "1 2 3 4 5" || strings.Contains(w.Body.String(), "msg-0") {
			t.Errorf("%s: events %s\n%s", path, got, w.Body)
		}
	}
}

// What is no id of ours is none: the stream begins with a snapshot.
func TestMalformedLastEventID(t *testing.T) {
	l := a2atest.NewNumbered()
	server := server.New(server.Options{Handler: l})
	for _, s := range subscriptions() {
		for _, c := range []struct {
			values []string
			want   uint64
		}{
			{[]string{"3"}, 3},
			{[]string{"18446744073709551615"}, 1<<64 - 1},
			{[]string{"18446744073709551616"}, 0},
			{[]string{""}, 0},
			{[]string{"-1"}, 0},
			{[]string{"+1"}, 0},
			{[]string{"1.0"}, 0},
			{[]string{"0x3"}, 0},
			{[]string{"a3f8c1de-6c1e-4a1c-9d39-0f6c2f1b8a11"}, 0},
			{[]string{strings.Repeat("1", 60_000)}, 0},
			{[]string{"3", "4"}, 0},
		} {
			server.ServeHTTP(httptest.NewRecorder(), s.request(c.values...))
			if got := l.LastAsked(); got != c.want {
				t.Errorf("%s, %.40q: after %d, want %d", s.name, c.values, got, c.want)
			}
		}
	}
}

// A client that comes back to a silent task learns at once that it is
// connected, and only it hears a comment.
func TestResumedStreamBeginsAtOnce(t *testing.T) {
	for after, want := range map[string]time.Duration{"3": 100 * time.Millisecond, "": 15 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			st := a2atest.NewLive()
			f := a2atest.NewFake()
			f.Open = func() a2a.Stream { return st }
			w := newWriter()
			begin, done := time.Now(), make(chan struct{})
			go func() {
				defer close(done)
				server.New(server.Options{Handler: f}).ServeHTTP(w, subscriptions()[0].request(after))
			}()
			<-time.After(want)
			synctest.Wait()
			if w.text() != ": \n\n" || w.lastWrites(1)[0].Sub(begin) != want || w.header.Get("Content-Type") != "text/event-stream" {
				t.Errorf("after %q the client got %q in %v", after, w.text(), time.Since(begin))
			}
			<-time.After(14 * time.Second)
			if synctest.Wait(); w.text() != ": \n\n" {
				t.Errorf("after %q a second comment came early: %q", after, w.text())
			}
			st.Events <- []*a2a.Event{a2atest.Update(a2a.StateCompleted)}
			<-done
		})
	}
}

// A client that has everything is told so, and does not come back for ever as
// it would after an empty stream.
func TestNothingLeftToResume(t *testing.T) {
	for _, s := range subscriptions() {
		w := httptest.NewRecorder()
		server.New(server.Options{Handler: a2atest.NewNumbered()}).ServeHTTP(w, s.request("5"))
		status := 400
		if strings.HasSuffix(s.name, "JSON-RPC") {
			status = 200 // and an error event
		}
		if w.Code != status || !strings.Contains(w.Body.String(), "nothing came after Last-Event-ID") {
			t.Errorf("%s: %d %s", s.name, w.Code, w.Body)
		}
	}
}
