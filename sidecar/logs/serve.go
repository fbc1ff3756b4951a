package logs

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

const (
	// defaultLines is how many lines are sent if the request does not say.
	defaultLines = 100
	// beatEvery is the longest silence on a log that is followed.
	beatEvery = 15 * time.Second
)

// Serve answers GET /logs: the last ?lines= lines of the log, JSON each, and with
// ?follow=true those that come after, until the request's context ends, the reader's
// credentials expire or are revoked, or the reader stops reading. The caller has checked
// that the reader may.
func (t *Tail) Serve(w http.ResponseWriter, r *http.Request, id server.Identity) error {
	count, follow, err := query(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	f := &follower{w: w, rc: http.NewResponseController(w), id: id, tail: t, next: t.Last(count)}
	_ = f.run(r.Context(), follow) // nobody reads any more
	return nil
}

// query reads what a request asks for.
func query(r *http.Request) (count int, follow bool, err error) {
	q := r.URL.Query()
	count = defaultLines
	if text := q.Get("lines"); text != "" {
		if count, err = strconv.Atoi(text); err != nil {
			return 0, false, a2a.ErrInvalidParams.With("lines: %q is not a number: how many lines, -1 for all that are kept", text)
		}
	}
	if text := q.Get("follow"); text != "" {
		if follow, err = strconv.ParseBool(text); err != nil {
			return 0, false, a2a.ErrInvalidParams.With("follow: %q is neither true nor false", text)
		}
	}
	return count, follow, nil
}

// follower is one reader of the log.
type follower struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	id   server.Identity
	tail *Tail
	next uint64
}

// run writes the lines that there are and, with follow, new ones, until ctx ends, the
// reader's credentials expire or are revoked, or the reader stops reading.
func (f *follower) run(ctx context.Context, follow bool) error {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		more, err := f.write()
		if err != nil || !follow {
			return err
		}
		select {
		case <-more:
		case <-beat.C:
			_, err = f.w.Write([]byte("\n"))
		case <-ctx.Done():
			_, err = f.write() // the last words
			return err
		}
		if err != nil || f.id.Valid != nil && !f.id.Valid() {
			return err
		}
	}
}

// write writes the new lines and returns a channel that is closed when there are more.
func (f *follower) write() (<-chan struct{}, error) {
	lines, missed, next, more := f.tail.From(f.next)
	f.next = next
	if missed > 0 {
		note := fmt.Sprintf(`{"time":%q,"level":"WARN","msg":"lines of the log were missed","lines":%d}`+"\n", time.Now().Format(time.RFC3339Nano), missed)
		if _, err := f.w.Write([]byte(note)); err != nil {
			return nil, err
		}
	}
	for _, line := range lines {
		if _, err := f.w.Write(append(line[:len(line):len(line)], '\n')); err != nil {
			return nil, err
		}
	}
	return more, f.rc.Flush()
}
