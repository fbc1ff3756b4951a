package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// An answer that took its time is not for a caller who has lost the right to it.
func TestRevokedTokenGetsNoAnswer(t *testing.T) {
	valid := true
	url, _ := start(t, server.Options{Handler: a2atest.NewFake(), Authenticate: func(*http.Request) (server.Identity, error) {
		return server.Identity{Caller: "alice", Valid: func() bool { return valid }}, nil
	}})
	for _, valid = range []bool{true, false} {
		res, body := a2atest.Do(t, "POST", url+"/", a2atest.Hello("SendMessage", "hello"), "Content-Type", "application/json")
		if (res.StatusCode == http.StatusOK) != valid || strings.Contains(body, "echo") != valid {
			t.Errorf("valid %v: %d %s", valid, res.StatusCode, body)
		}
	}
}

// A caller without a name would own what is everybody's.
func TestNamelessCallerIsRefused(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f, Authenticate: func(*http.Request) (server.Identity, error) { return server.Identity{}, nil }})
	if res, body := a2atest.Do(t, "POST", url+"/", a2atest.Hello("SendMessage", "hello"), "Content-Type", "application/json"); strings.Contains(body, "echo") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if len(f.Sends()) > 0 {
		t.Error("the message reached the handler")
	}
}
