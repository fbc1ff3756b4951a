package opencode

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Limits of an event stream.
const (
	// maxEvent is the longest event that is read; a longer one is skipped.
	maxEvent = 4 << 20
	// reconnectFirst and reconnectLast are how long we wait between attempts. An agent
	// takes seconds until it listens, and an attempt is cheap.
	reconnectFirst = 50 * time.Millisecond
	reconnectLast  = 250 * time.Millisecond
	// answerFirst and answerLast are how long the server may take to begin its answer:
	// each attempt waits longer. A request that comes while the agent starts is never
	// answered.
	answerFirst = 500 * time.Millisecond
	answerLast  = 5 * time.Second
	// silence is the time after which a silent stream is given up. A heartbeat comes
	// every ten seconds.
	silence = 35 * time.Second
)

// stream reads the events of a server.
type stream struct {
	api *api
	// connected is called for each connection. What it returns takes the connection's events, nil in
	// the place of one that is too long. An event is valid until the next one.
	connected func() (event func(data []byte))
}

// errRefused means that the server does not let us in, and never will.
var errRefused = errors.New("the agent's server does not let us in")

// readReports reports what the server's events say until ctx ends.
func readReports(ctx context.Context, server *api, report func(channel.Report)) error {
	defer server.close()
	heard := false // it was connected already
	s := &stream{api: server, connected: func() func([]byte) {
		var events reporter
		return func(data []byte) {
			r, ok := events.event(data)
			if r.State == channel.ReportStarting { // it is reported only once
				ok, heard = !heard, true
			}
			if ok {
				r.Message = text.Shorten(r.Message, spec.MaxMessage)
				report(r)
			}
		}
	}}
	return s.run(ctx)
}

// run reads until ctx ends. It connects again whenever the stream ends.
func (s *stream) run(ctx context.Context) error {
	wait, answer := reconnectFirst, answerFirst
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
		heard, err := s.read(ctx, answer)
		switch {
		case errors.Is(err, errRefused):
			return err
		case heard:
			wait, answer = reconnectFirst, answerFirst
		case errors.Is(err, errSilent):
			answer = min(2*answer, answerLast)
		default: // nobody listens yet
			wait = min(2*wait, reconnectLast)
		}
		timer.Reset(wait)
	}
}

// errSilent means that the server has not answered, or has sent nothing more.
var errSilent = errors.New("the agent's server is silent")

// read uses one connection until it ends. It reports whether anything was received.
func (s *stream) read(ctx context.Context, answer time.Duration) (heard bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(answer, func() { cancel(errSilent) })
	defer late.Stop()
	resp, err := s.api.do(ctx, http.MethodGet, "/event", nil)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden:
		return false, fmt.Errorf("%w: %s", errRefused, resp.Status)
	case resp.StatusCode != http.StatusOK:
		return false, errors.New(resp.Status)
	}
	event := s.connected()
	lines := bufio.NewReaderSize(resp.Body, 64<<10)
	for {
		late.Reset(silence)
		line, long, err := boundedLine(lines, maxEvent)
		if err != nil {
			return heard, err
		}
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		switch {
		case long:
			event(nil)
		case ok:
			heard = true
			event(data)
		}
	}
}

// boundedLine reads a line without its end. Of a line that is too long nothing is returned but that.
func boundedLine(r *bufio.Reader, limit int) (line []byte, long bool, err error) {
	for {
		piece, err := r.ReadSlice('\n')
		if long = long || len(line)+len(piece) > limit; long {
			line = nil
		} else if line == nil && err == nil {
			return bytes.TrimRight(piece, "\r\n"), false, nil // valid until the next read
		} else {
			line = append(line, piece...)
		}
		if err == nil {
			return bytes.TrimRight(line, "\r\n"), long, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, false, err
		}
	}
}
