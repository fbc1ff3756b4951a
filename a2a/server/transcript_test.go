package server_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/golden"
)

// TestTranscripts replays testdata/*/*.txtar: requests as they go over the
// wire, each with the answer that must come. The comment of a file names what it
// checks.
func TestTranscripts(t *testing.T) {
	f := a2atest.NewFake()
	f.AgentCard.Extensions = []a2a.Extension{{URI: a2atest.Extension}}
	replayAll(t, "testdata/*/*.txtar", 20, server.Options{
		Handler: f,
		Headers: map[string]string{"x-spring-voyage-bridge-version": "1.2.3"},
		MaxBody: 4 << 10,
	})
}

// TestPushTranscripts replays testdata/push/*/*.txtar against a server whose
// card says that push notifications are sent. What one answers whose card does
// not is in the other transcripts.
func TestPushTranscripts(t *testing.T) {
	f := a2atest.NewFake()
	f.AgentCard.Push = true
	replayAll(t, "testdata/push/*/*.txtar", 4, server.Options{Handler: f})
}

// TestConformance replays the transcripts testdata/conformance/VERSION/*.txtar
// against the server with the agent in memory: what the wire itself shows.
// Those in VERSION/sidecar run against a whole sidecar, in package sidecar. A
// line "server: …" in the comment of a file picks the server.
func TestConformance(t *testing.T) {
	golden.Each(t, "testdata/conformance/*/*.txtar", 1, func(t *testing.T, file string) {
		replay(t, file, conformanceServer(t, string(golden.Archive(t, file).Comment)))
	})
}

// replayAll replays the files of a pattern against one server.
func replayAll(t *testing.T, pattern string, least int, o server.Options) {
	golden.Each(t, pattern, least, func(t *testing.T, file string) { replay(t, file, o) })
}

func replay(t *testing.T, file string, o server.Options) {
	if c := string(golden.Archive(t, file).Comment); !strings.Contains(c, "§") && !strings.Contains(c, "(ours)") {
		t.Errorf("%s: the comment names nothing that it checks", file)
	}
	srv := httptest.NewServer(server.New(o))
	defer srv.Close()
	golden.Replay(t, file, func(request string) string {
		return a2atest.Exchange(t, srv.Listener.Addr().String(), "sidecar.test", request)
	})
}

// conformanceServer is the server that a transcript's comment asks for.
func conformanceServer(t *testing.T, comment string) server.Options {
	t.Helper()
	fake := a2atest.NewFake()
	fake.AgentCard.Extensions = []a2a.Extension{{URI: a2atest.Extension}}
	opts := server.Options{Handler: fake}
	for line := range strings.Lines(comment) {
		kind, ok := strings.CutPrefix(line, "server: ")
		if !ok {
			continue
		}
		switch strings.TrimSpace(kind) {
		case "without streaming":
			fake.AgentCard.Streaming = false
		case "that pushes":
			fake.AgentCard.Push = true
		case "that requires its extension":
			fake.AgentCard.Extensions[0].Required = true
		default:
			t.Fatalf("there is no server %q", kind)
		}
	}
	return opts
}
