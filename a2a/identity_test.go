package a2a_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// An answer that took its time is not for a caller who has lost the right to it.
func TestRevokedTokenGetsNoAnswer(t *testing.T) {
	valid := true
	url, _ := start(t, a2a.ServerOptions{Handler: newFake(), Authenticate: func(*http.Request) (a2a.Identity, error) {
		return a2a.Identity{Caller: "alice", Valid: func() bool { return valid }}, nil
	}})
	for _, valid = range []bool{true, false} {
		res, body := do(t, "POST", url+"/", hello("SendMessage", "hello"), "Content-Type", "application/json")
		if (res.StatusCode == http.StatusOK) != valid || strings.Contains(body, "echo") != valid {
			t.Errorf("valid %v: %d %s", valid, res.StatusCode, body)
		}
	}
}

// A caller without a name would own what is everybody's.
func TestNamelessCallerIsRefused(t *testing.T) {
	f := newFake()
	url, _ := start(t, a2a.ServerOptions{Handler: f, Authenticate: func(*http.Request) (a2a.Identity, error) { return a2a.Identity{}, nil }})
	if res, body := do(t, "POST", url+"/", hello("SendMessage", "hello"), "Content-Type", "application/json"); strings.Contains(body, "echo") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
	if len(f.sends()) > 0 {
		t.Error("the message reached the handler")
	}
}
