package interop

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
)

// breaks is how often the connection of a client breaks.
const breaks = 8

// TestReconnect breaks the connection of each dialect in the middle of ten
// thousand events, again and again. A client that comes back by subscribing gets
// a snapshot and the rest; one that names the last event that it has, the rest
// alone. Either way it has everything once and in order.
func TestReconnect(t *testing.T) {
	for _, store := range []struct {
		name  string
		flags []string
		// lead is how far the agent may be ahead of its client.
		lead int
		// away has the client come back only when the agent is that far. Of
		// what is in memory only, the newest is kept; a store has all.
		away bool
	}{
		{"memory", nil, 2 * agentBlock, false},
		{"disk", []string{"--state-dir", t.TempDir()}, agentEvents - agentBlock, true},
	} {
		g, gateURL := startGate(t)
		t.Setenv(agentGate, gateURL)
		base := serve(t, append(store.flags, "--mode", "oneshot", "--", agentBinary(t))...)
		for _, by := range []string{"snapshot", "Last-Event-ID"} {
			t.Run(store.name+" "+by, func(t *testing.T) {
				forEach(t, func(t *testing.T, d dialect) {
					g.reset(store.lead)
					byID, breaks := by == "Last-Event-ID", breaks
					if store.away && !byID {
						breaks = 1 // there is little to tell after a snapshot
					}
					proxy, url := startBreaker(t, base, breaks)
					ids := &idReader{next: &http.Transport{}}
					f := &follower{t: t, gate: g, ids: ids, byID: byID, breaks: breaks, away: store.away}
					f.client = dialWith(t, url, d, &http.Client{Transport: ids})
					f.run()
					if n := proxy.broken(); n != breaks || f.resumed != breaks {
						t.Errorf("%d connections were broken and %d taken up, want %d", n, f.resumed, breaks)
					}
				})
			})
		}
	}
}

// follower is a client with a task whose connection breaks.
type follower struct {
	t      *testing.T
	client *a2aclient.Client
	gate   *gate
	ids    *idReader
	byID   bool
	breaks int
	away   bool // as long as there are breaks to come

	task    a2a.TaskID
	count   int // of lines, which are numbered
	state   a2a.TaskState
	stderr  strings.Builder
	resumed int
}

func (f *follower) run() {
	ctx, stop := context.WithTimeout(f.t.Context(), 2*time.Minute)
	defer stop()
	err := f.read(f.client.SendStreamingMessage(ctx, message("go")))
	for err != nil && f.resumed < 2*f.breaks {
		if f.task == "" || ctx.Err() != nil {
			f.t.Fatalf("after %d lines: %v", f.count, err)
		}
		f.resumed++
		if f.away {
			f.gate.await(f.t)
		}
		again := ctx
		if f.byID {
			again = a2aclient.AttachServiceParams(ctx, a2aclient.ServiceParams{"Last-Event-ID": {f.ids.last}})
		}
		err = f.read(f.client.SubscribeToTask(again, &a2a.SubscribeToTaskRequest{ID: f.task}))
	}
	if err != nil || f.count != agentEvents || f.state != a2a.TaskStateCompleted {
		f.t.Errorf("ended %s with %d lines: %v\n%s", f.state, f.count, err, &f.stderr)
	}
}

// read takes one stream in, to its end or until it breaks.
func (f *follower) read(events iter.Seq2[a2a.Event, error]) error {
	first := true
	for event, err := range events {
		if err != nil {
			return err
		}
		f.ids.took()
		switch e := event.(type) {
		case *a2a.Task:
			f.snapshot(e, first)
		case *a2a.TaskArtifactUpdateEvent:
			switch e.Artifact.ID {
			case "log":
				f.lines(partsText(e.Artifact))
			case "stderr":
				f.stderr.WriteString(partsText(e.Artifact))
			}
		case *a2a.TaskStatusUpdateEvent:
			f.state = e.Status.State
		}
		first = false
		if !f.away || f.resumed == f.breaks {
			f.gate.saw(f.count)
		}
	}
	return nil
}

// snapshot begins anew: with as much as was there, or more.
func (f *follower) snapshot(task *a2a.Task, first bool) {
	if !first || f.byID && f.resumed > 0 {
		f.t.Fatalf("a Task came after %d lines, in mid-stream or though its client went on by Last-Event-ID", f.count)
	}
	f.task, f.state = task.ID, task.Status.State
	had := f.count
	f.count = 0
	for _, a := range task.Artifacts {
		if a.ID == "log" {
			f.lines(partsText(a))
		}
	}
	if f.count < had {
		f.t.Fatalf("a snapshot of %d lines for a client that had %d", f.count, had)
	}
}

// lines are to be the next ones.
func (f *follower) lines(text string) {
	for got := range strings.Lines(text) {
		if want := line(f.count); got != want {
			f.t.Fatalf("line %q came in place of %q", got, want)
		}
		f.count++
	}
}

// idReader is the transport of a client that does not show event ids: it reads
// them off the streams. A client reads ahead of what it tells, so that the id of
// the last event is that of the one that was taken last.
type idReader struct {
	next http.RoundTripper

	mu   sync.Mutex
	ids  []string // of the events that came and were not taken
	last string
}

func (r *idReader) RoundTrip(q *http.Request) (*http.Response, error) {
	resp, err := r.next.RoundTrip(q)
	if err != nil || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp, err
	}
	r.mu.Lock()
	r.ids = nil
	r.mu.Unlock()
	resp.Body = &idBody{ReadCloser: resp.Body, reader: r}
	return resp, nil
}

// took says that the client has told one more event.
func (r *idReader) took() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ids) == 0 {
		panic("an event was told that never came")
	}
	r.last, r.ids = r.ids[0], r.ids[1:]
}

// idBody is the body of one stream.
type idBody struct {
	io.ReadCloser
	reader *idReader
	rest   []byte
	id     string
}

func (b *idBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.rest = append(b.rest, p[:n]...)
	for {
		text, rest, whole := bytes.Cut(b.rest, []byte("\n"))
		if !whole {
			return n, err
		}
		b.rest = rest
		if id, ok := strings.CutPrefix(string(text), "id: "); ok {
			b.id = id
		}
		if bytes.HasPrefix(text, []byte("data:")) {
			b.reader.mu.Lock()
			b.reader.ids = append(b.reader.ids, b.id)
			b.reader.mu.Unlock()
			b.id = fmt.Sprint("none after ", b.id)
		}
	}
}
