package watchdog_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/proc/proctest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/watchdog"
)

// request is a call that the rules allow.
func request() watchdog.Request {
	return watchdog.Request{
		Call: policy.Request{
			Tool: &manifest.Tool{Name: "acme.deploy", Effects: manifest.EffectsWrite}, Source: "manifest",
			Arguments: `{"env":"prod"}`, Caller: "ann", ContextID: "ctx-1",
			Uses: []policy.Use{{Capability: policy.FSWrite, Pointer: "/path", Value: "/srv/a"}},
		},
		Decision: policy.Decision{Verdict: policy.Allow, Kind: policy.KindRule, Scope: policy.ScopeManifest, Rule: "acme.* allow"},
		CallID:   "call-1", TaskID: "task-1", Manifest: "sha256:ab",
	}
}

// program writes a bash script and returns its path. Nobody but its owner can change it.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "watchdog")
	if err := os.WriteFile(path, []byte("#!/bin/bash\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// open opens a watchdog that has a minute for its answer, unless the options say
// otherwise.
func open(t *testing.T, o watchdog.Options) *watchdog.Watchdog {
	t.Helper()
	if o.Timeout == 0 {
		o.Timeout = proctest.Patience
	}
	if o.Host == nil {
		o.Host = proctest.NewHost(t)
	}
	w, err := watchdog.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// serve listens on a socket and handles each connection on a goroutine of its own. It
// returns the socket's path. listen replaces the way to listen.
func serve(t *testing.T, handle func(net.Conn), listen ...func(path string) (net.Listener, error)) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "wd") // short: a socket's path has at most about 100 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	if listen == nil {
		listen = append(listen, func(path string) (net.Listener, error) { return net.Listen("unix", path) })
	}
	l, err := listen[0](path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); handle(c) }()
		}
	}()
	return path
}

// expect checks an answer.
func expect(t *testing.T, a watchdog.Answer, verdict policy.Verdict, f watchdog.Failure, reason string) {
	t.Helper()
	if a.Verdict != verdict || a.Failure != f || a.Reason != reason {
		t.Errorf("answer %s, failure %q, reason %q; want %s, %q, %q", a.Verdict, a.Failure, a.Reason, verdict, f, reason)
	}
}

// short is a time limit that passes.
const short = 100 * time.Millisecond
