package terminal_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/proc/term"
)

// keeps is how much of what was shown the tests keep, in bytes.
const keeps = 512 << 10

// event is one of a stream's.
type event struct {
	name, id string
	data     struct {
		Session, ContextID, Title, Reason, Text string
		Cols, Rows                              int
		Offset                                  uint64
		Redraw, Bytes                           []byte
		ExitCode                                *int
	}
}

// watcher follows a stream as a client would: it draws what comes on a screen of
// its own.
type watcher struct {
	t      testing.TB
	res    *http.Response
	in     *bufio.Reader
	stop   context.CancelFunc
	last   string // the last event's id
	next   uint64 // the offset that must come next
	screen *term.Screen
	output []byte // since the last picture
	size   [2]int
	seen   []string // the names of the events
}

// watch opens a stream.
func (r *rig) watch(header ...string) *watcher {
	r.t.Helper()
	ctx, stop := context.WithCancel(await.Context(r.t))
	r.t.Cleanup(stop)
	w := &watcher{t: r.t, stop: stop}
	w.res = r.open(ctx, "/terminal/stream", header...)
	if kind := w.res.Header.Get("Content-Type"); w.res.StatusCode != http.StatusOK || kind != "text/event-stream" {
		body, _ := io.ReadAll(w.res.Body)
		r.t.Fatalf("the stream is %d %s: %s", w.res.StatusCode, kind, body)
	}
	w.in = bufio.NewReaderSize(w.res.Body, 64<<10)
	return w
}

// event reads the next one, false at the end of the stream.
func (w *watcher) event() (e event, ok bool) {
	w.t.Helper()
	for {
		line, err := w.in.ReadString('\n')
		if err == io.EOF && line == "" {
			return e, false
		} else if err != nil {
			w.t.Fatalf("after %v: %v", w.seen, err)
		}
		line = strings.TrimSuffix(line, "\n")
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			if err := json.Unmarshal([]byte(value), &e.data); err != nil {
				w.t.Fatalf("%v: %s", err, value)
			}
		case "":
			if e.name == "" {
				continue // a heartbeat
			}
			w.take(&e)
			return e, true
		}
	}
}

// take draws an event, and checks that nothing is missing or twice.
func (w *watcher) take(e *event) {
	w.t.Helper()
	w.seen = append(w.seen, e.name)
	d := &e.data
	switch e.name {
	case "snapshot":
		if w.size != [2]int{} && w.size != [2]int{d.Cols, d.Rows} && w.seen[max(0, len(w.seen)-2)] != "resize" {
			w.t.Errorf("a new size without an event: %v", w.seen)
		}
		w.size = [2]int{d.Cols, d.Rows}
		w.screen = term.New(term.Options{Cols: d.Cols, Rows: d.Rows})
		w.screen.Write(d.Redraw)
		w.next, w.output = d.Offset, nil
	case "output":
		if d.Offset != w.next || len(d.Bytes) == 0 || len(d.Bytes) > 32<<10 {
			w.t.Fatalf("%d bytes at %d, want those at %d", len(d.Bytes), d.Offset, w.next)
		}
		w.next += uint64(len(d.Bytes))
		if len(w.output) > keeps {
			w.output = w.output[:0]
		}
		if w.output = append(w.output, d.Bytes...); w.screen != nil {
			w.screen.Write(d.Bytes)
		}
	case "resize", "end":
		return
	}
	if w.last = e.id; !strings.HasSuffix(e.id, fmt.Sprintf(".%d", w.next)) {
		w.t.Errorf("the id %q is not the place behind the event, %d", e.id, w.next)
	}
}

// until reads until the output since the last picture, or the screen, has the
// text.
func (w *watcher) until(text string) {
	w.t.Helper()
	for !strings.Contains(string(w.output), text) && (w.screen == nil || !strings.Contains(w.screen.Snapshot().Text(), text)) {
		if _, ok := w.event(); !ok {
			w.t.Fatalf("the stream ended before %q: %q", text, w.output)
		}
	}
}

// end reads to the last event.
func (w *watcher) end() event {
	w.t.Helper()
	var last event
	for {
		e, ok := w.event()
		if !ok {
			return last
		}
		last = e
	}
}

// same checks that the watcher sees what the terminal shows.
func (w *watcher) same(r *rig) {
	w.t.Helper()
	want := r.screen()
	for w.next < want.Offset {
		if _, ok := w.event(); !ok {
			w.t.Fatal("the stream ended")
		}
	}
	got := w.screen.StyledSnapshot()
	for i, l := range want.Lines {
		if i >= len(got.Lines) || got.Lines[i].Text != l.Text {
			w.t.Errorf("row %d is %q, and %q on the terminal", i, got.Lines[i].Text, l.Text)
		}
	}
	if got.CursorRow != want.Cursor.Row || got.CursorCol != want.Cursor.Col || got.Title != want.Title || got.Alternate != want.Alternate ||
		got.Modes.BracketedPaste != want.Modes["bracketedPaste"] {
		w.t.Errorf("cursor, title or modes differ: %+v, %+v", got, want)
	}
}
