package logs

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// endsAtFirst is a connection whose request ends, and the sidecar with it, when
// something has been written to it.
type endsAtFirst struct {
	*httptest.ResponseRecorder
	end func()
}

func (w endsAtFirst) Flush() { w.end() }

// TestFollowerHasTheLastWords: what is logged just before the end is told to who
// follows the log, whatever is seen first.
func TestFollowerHasTheLastWords(t *testing.T) {
	for n := range 50 {
		ctx, cancel := context.WithCancel(t.Context())
		tail := &Tail{}
		ended := false
		w := endsAtFirst{httptest.NewRecorder(), func() {
			if !ended {
				ended = true
				fmt.Fprintf(tail, "the last words\n")
				cancel()
			}
		}}
		f := &follower{w: w, rc: http.NewResponseController(w), tail: tail}
		_ = f.run(ctx, true)
		cancel()
		if !strings.Contains(w.Body.String(), "the last words") {
			t.Fatalf("time %d: %q", n+1, w.Body)
		}
	}
}
