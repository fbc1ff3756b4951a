package sidecar

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/gate"
	"github.com/a2a-sidecar/sidecar/sidecar/logs"
)

// logsPath is where the operator reads the last lines of the log.
const logsPath = "/logs"

const (
	// defaultLines is how many lines are told where nobody says.
	defaultLines = 100
	// logBeat is the longest silence on a log that is followed.
	logBeat = 15 * time.Second
)

// keepLog keeps the last lines of the log beside wherever it goes.
func keepLog(o *Options) *logs.Tail {
	tail := &logs.Tail{}
	o.Log = slog.New(slog.NewMultiHandler(o.Log.Handler(), tail.Handler(o.Config.LogLevel)))
	return tail
}

// operator refuses the log to all but whoever operates the sidecar: a caller that
// --operators names, or `sidecar logs` run on this machine by the sidecar's own
// user. The agent and what it starts are neither, whatever token they have.
func (s *sidecar) operator(ctx context.Context, caller string) error {
	if err := gate.Outsider(ctx); err != nil {
		return err
	}
	if caller != "" && slices.Contains(s.Config.Operators, caller) || gate.Kin(ctx) {
		return nil
	}
	e := a2a.ErrInvalidRequest.With("the log is for whoever operates the sidecar: `sidecar logs`, this very binary, run by the sidecar's user on its machine or in its container, or a caller that --operators names")
	e.HTTP, e.Status, e.Reason = http.StatusForbidden, "PERMISSION_DENIED", "NOT_AN_OPERATOR"
	return e
}

// serveLogs answers GET /logs: the last ?lines= lines of the log, JSON each, and with
// ?follow=true those that come after.
func (s *sidecar) serveLogs(w http.ResponseWriter, r *http.Request, id a2a.Identity) error {
	if err := s.operator(r.Context(), id.Caller); err != nil {
		return err
	}
	count, follow, err := logQuery(r)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	f := &logFollower{w: w, rc: http.NewResponseController(w), id: id, tail: s.tail, next: s.tail.Last(count)}
	_ = f.run(r.Context(), follow) // nobody reads any more
	return nil
}

// logQuery is what a request asks for.
func logQuery(r *http.Request) (count int, follow bool, err error) {
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

// logFollower is one reader of the log.
type logFollower struct {
	w    http.ResponseWriter
	rc   *http.ResponseController
	id   a2a.Identity
	tail *logs.Tail
	next uint64
}

// run writes what there is and, with follow, what comes, until ctx ends, the reader's
// credentials do, or it reads no more.
func (f *logFollower) run(ctx context.Context, follow bool) error {
	beat := time.NewTicker(logBeat)
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

// write writes the lines that have come, and returns what is closed when there are
// more.
func (f *logFollower) write() (<-chan struct{}, error) {
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
