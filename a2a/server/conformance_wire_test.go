package server_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// TestConformance replays the transcripts testdata/conformance/VERSION/*.txtar
// against the server with the agent in memory: what the wire itself shows.
// Those in VERSION/sidecar run against a whole sidecar, in package sidecar. A
// line "server: …" in the comment of a file picks the server.
func TestConformance(t *testing.T) {
	files, err := filepath.Glob("testdata/conformance/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d transcripts: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimPrefix(strings.TrimSuffix(file, ".txtar"), "testdata/conformance/"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			srv := httptest.NewServer(server.New(conformanceServer(t, string(a2atest.ParseArchive(text).Comment))))
			defer srv.Close()
			replay(t, srv.Listener.Addr().String(), file)
		})
	}
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
