package sidecar_test

import (
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
)

// TestEarlyRequestsAreHeld: the port is open before the agent runs, and what comes
// in between is held, not refused. Here the recording, a pipe that nobody reads
// yet, keeps the agent from being ready.
func TestEarlyRequestsAreHeld(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe.cast")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	tools := filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, tools, `[{"name":"acme.echo","description":"echo","inputSchema":{"type":"object"},"x-sidecar":{"bridge":{"exec":{"command":["cat"]}}}}]`)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	r := startOnly(t, nil, "--port", strconv.Itoa(port), "--manifest", tools, "--record", pipe, "--",
		"sh", "-c", `printf '$ '; while read -r line; do echo "got $line"; printf '$ '; done`)
	r.url = "http://127.0.0.1:" + strconv.Itoa(port)
	await.True(r.t, "the port to be open", func() bool {
		res, err := http.Get(r.url + "/readyz")
		if err != nil {
			return false
		}
		res.Body.Close()
		if res.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("ready while starting: %d", res.StatusCode)
		}
		return true
	})

	type answer struct {
		path string
		reply
	}
	requests := map[string]string{
		"/message:send":        `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"early"}]}}`,
		"/a2a/tools/acme.echo": `{"value":"early"}`,
		"/terminal":            "",
	}
	answers := make(chan answer, len(requests))
	for path, body := range requests {
		go func() {
			method := http.MethodPost
			if body == "" {
				method = http.MethodGet
			}
			answers <- answer{path, r.do(method, path, "application/json", body)}
		}()
	}
	select {
	case got := <-answers:
		t.Errorf("%s was answered %d while the sidecar starts: %s", got.path, got.status, got.body)
		answers <- got
	case <-time.After(300 * time.Millisecond): // long enough for a refusal
	}
	recording, err := os.Open(pipe)
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = io.Copy(io.Discard, recording)
	}()
	defer func() { r.stop(); <-read; recording.Close() }()
	for range requests {
		if got := await.One(t, answers, "an answer"); got.status != http.StatusOK {
			t.Errorf("%s: %d %s", got.path, got.status, got.body)
		}
	}
}
