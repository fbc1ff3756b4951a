package a2a_test

import (
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// TestPushTranscripts replays testdata/push/*/*.txtar against a server whose
// card says that push notifications are sent. What one answers whose card does
// not is in the other transcripts.
func TestPushTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/push/*/*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatalf("found %d transcripts: %v", len(files), err)
	}
	f := newFake()
	f.card.Push = true
	srv := httptest.NewServer(a2a.NewServer(a2a.ServerOptions{Handler: f}))
	t.Cleanup(srv.Close)
	for _, file := range files {
		t.Run(strings.TrimPrefix(strings.TrimSuffix(file, ".txtar"), "testdata/push/"), func(t *testing.T) {
			replay(t, srv.Listener.Addr().String(), file)
		})
	}
}
