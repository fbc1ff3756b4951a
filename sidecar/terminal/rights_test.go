package terminal_test

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// Each caller has its own: what is nobody's yet is everybody's to see until
// somebody speaks or types first.
func TestRightsOfTwoCallers(t *testing.T) {
	t.Parallel()
	alice, bob := []string{"Authorization", "alice"}, []string{"Authorization", "bob"}
	paths := []string{"/terminal", "/terminal/stream", "/terminal/attach", "/terminal/attach?write=true"}
	for _, first := range []string{"speaks", "types"} {
		r := newRig(t, func(w *ways) { w.server.Authenticate = named })
		for _, path := range paths {
			if status, _, body := r.get(path, upgrade...); status != 401 {
				t.Errorf("nobody at %s: %d %s", path, status, body)
			}
		}
		looks, follows, types := r.attach("", bob...), r.watch(bob...), r.attach("?write=true", bob...)
		follows.event()
		mine := r.attach("?write=true", alice...)
		if first == "types" {
			mine.types("hello\r")
		} else {
			r.end(r.send("alice", "", "hello"))
		}
		mine.shows("got hello.")
		types.types("x")
		for _, a := range []*attached{looks, types} {
			code, reason, _ := a.ends()
			if code != websocket.StatusPolicyViolation || !strings.Contains(reason, "another caller") || strings.Contains(a.output.String(), "hello") {
				t.Errorf("bob's connection ends with %d %s after %q", code, reason, a.output.String())
			}
		}
		if e := follows.end(); e.data.Reason != "not-yours" || strings.Contains(string(follows.output), "hello") {
			t.Errorf("bob's stream ends with %+v after %q", e, follows.output)
		}
		for _, path := range paths {
			if status, _, body := r.get(path, append(bob, upgrade...)...); status != 403 || strings.Contains(body, "hello") {
				t.Errorf("bob at %s: %d %s", path, status, body)
			}
		}
		if status, _, body := r.get("/terminal", alice...); status != 200 || !strings.Contains(body, "got hello.") {
			t.Errorf("alice: %d %s", status, body)
		}
		bobs := r.tasks.Create("bob", "b", &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hi")}}, nil)
		if err := r.runner.Submit(bobs, turn.Request{}); !errors.Is(err, a2a.ErrBusy) {
			t.Errorf("bob may speak to it: %v", err)
		}
	}
}

// With several sessions each caller has to say which, and has its own only.
func TestSeveralSessions(t *testing.T) {
	t.Parallel()
	alice, bob := []string{"Authorization", "alice"}, []string{"Authorization", "bob"}
	r := newRig(t, func(w *ways) {
		w.runner.Sessions, w.runner.MaxConcurrency = 3, 3
		w.server.Authenticate = named
	})
	if _, status, body := r.dial("?write=true", alice...); status != 429 || !strings.Contains(body, "no context yet") {
		t.Errorf("typing into a session that may become anybody's: %d %s", status, body)
	}
	bobs := r.attach("", bob...)
	r.end(r.send("alice", "one", "hello one"))
	if code, _, _ := bobs.ends(); code != websocket.StatusPolicyViolation {
		t.Errorf("the spare session became alice's, and bob still looks: %d", code)
	}
	r.end(r.send("alice", "two", "hello two"))
	r.end(r.send("bob", "three", "hello three"))
	if status, _, body := r.get("/terminal", alice...); status != 400 || !strings.Contains(body, "(context one)") || !strings.Contains(body, "(context two)") || strings.Contains(body, "three") {
		t.Errorf("alice has two: %d %s", status, body)
	}
	for _, path := range []string{"/terminal?context=two", "/terminal?session=2"} {
		if status, _, body := r.get(path, alice...); status != 200 || !strings.Contains(body, "hello two") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, _, body := r.get("/terminal?context=two", bob...); status != 404 || strings.Contains(body, "two") {
		t.Errorf("bob asks for alice's: %d %s", status, body)
	}
	if status, _, body := r.get("/terminal", bob...); status != 200 || !strings.Contains(body, "hello three") {
		t.Errorf("bob has one: %d %s", status, body)
	}
	theirs := r.attach("?write=true&context=two", alice...)
	theirs.types("more\r")
	theirs.shows("got more.")
}

// Whoever loses its credentials loses what it looks at.
func TestRightsEnd(t *testing.T) {
	t.Parallel()
	var revoked sync.Map
	r := newRig(t, func(w *ways) {
		w.handler.Heartbeat = 20 * time.Millisecond
		w.server.Authenticate = func(r *http.Request) (server.Identity, error) {
			id, err := named(r)
			id.Valid = func() bool { _, gone := revoked.Load(id.Caller); return !gone }
			return id, err
		}
	})
	w, a := r.watch("Authorization", "alice"), r.attach("", "Authorization", "alice")
	w.event()
	revoked.Store("alice", true)
	if e := w.end(); e.data.Reason != "unauthenticated" {
		t.Errorf("the stream ends with %+v", e)
	}
	if code, _, last := a.ends(); code != websocket.StatusPolicyViolation || last.Reason != "unauthenticated" {
		t.Errorf("the connection ends with %d %+v", code, last)
	}
}
