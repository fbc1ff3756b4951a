package cli_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestLogsOfNoSidecar: what never ends a line is no log, and is not read without end.
func TestLogsOfNoSidecar(t *testing.T) {
	const all = 64 << 20
	var sent atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for piece := bytes.Repeat([]byte("x"), 1<<20); sent.Load() < all; sent.Add(int64(len(piece))) {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	}))
	defer srv.Close()
	code, said := says(t, "logs", "--url", srv.URL)
	if code != 4 || !strings.Contains(said, "is not a sidecar") {
		t.Errorf("%d: %.200s", code, said)
	}
	srv.CloseClientConnections()
	if n := sent.Load(); n >= all {
		t.Errorf("all of %d bytes were read", n)
	}
}
