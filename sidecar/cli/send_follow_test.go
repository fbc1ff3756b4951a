package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/codec"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/cli"
)

// recording is an agent whose task has happened already: every subscriber gets
// its events from where it asks.
type recording struct {
	server.Handler
	snapshot *a2a.Event // before the first of the others
	events   []*a2a.Event

	// forgets has a subscriber begin with all that was, in one Task.
	forgets bool
	// keeps, when set, is how many bytes of text a snapshot has.
	keeps int
	// repeats has a subscriber begin with events that it has.
	repeats bool
	// ends has the task be over for whoever comes back.
	ends bool
	// refuse, when set, answers a subscriber in place of a stream.
	refuse func(n int) error

	mu    sync.Mutex
	after []uint64 // what subscribers asked for
}

// numbered is a task whose answer has n lines and a few parts of other kinds,
// and that answer as it must be printed.
func numbered(n int) (*recording, string) {
	var want strings.Builder
	r := &recording{snapshot: &a2a.Event{ID: 1, Task: &a2a.Task{ID: "t-1", ContextID: "c-1", Status: a2a.Status{State: a2a.StateWorking}}}}
	add := func(e *a2a.Event) {
		e.ID = uint64(len(r.events) + 2)
		r.events = append(r.events, e)
	}
	for i := range n {
		part := a2a.TextPart(fmt.Sprintf("line %d of the answer\n", i))
		line := part.Text
		if i%10 == 3 {
			line = fmt.Sprintf(`{"line":%d}`, i)
			part, line = a2a.DataPart(json.RawMessage(line)), line+"\n"
		}
		want.WriteString(line)
		add(&a2a.Event{Artifact: &a2a.ArtifactUpdate{TaskID: "t-1", ContextID: "c-1", Append: i > 0,
			Artifact: a2a.Artifact{ID: "response", Parts: []a2a.Part{part}}}})
	}
	add(&a2a.Event{Status: &a2a.StatusUpdate{TaskID: "t-1", ContextID: "c-1", Status: a2a.Status{State: a2a.StateCompleted}}})
	return r, want.String()
}

func (r *recording) Card() *a2a.Card {
	return &a2a.Card{Name: "recording", Version: "1", Streaming: true}
}

func (r *recording) StreamMessage(context.Context, *a2a.SendRequest) (a2a.Stream, error) {
	return &replay{events: append([]*a2a.Event{r.snapshot}, r.events...)}, nil
}

func (r *recording) SubscribeTask(_ context.Context, q *a2a.SubscribeRequest) (a2a.Stream, error) {
	r.mu.Lock()
	r.after = append(r.after, q.After)
	n := len(r.after)
	r.mu.Unlock()
	if r.ends {
		return nil, a2a.ErrUnsupportedOperation.With("task %s has ended", q.ID)
	}
	if r.refuse != nil {
		if err := r.refuse(n); err != nil {
			return nil, err
		}
	}
	at, found := slices.BinarySearchFunc(r.events, q.After, func(e *a2a.Event, id uint64) int { return int(e.ID) - int(id) })
	if found {
		at++
	}
	if r.repeats {
		at = max(at-3, 0)
	}
	if r.forgets {
		at = min(at+2, len(r.events)) // more has happened meanwhile
		return &replay{events: append([]*a2a.Event{r.until(at)}, r.events[at:]...)}, nil
	}
	return &replay{events: r.events[at:]}, nil
}

func (r *recording) GetTask(context.Context, *a2a.GetRequest) (*a2a.Task, error) {
	return r.until(len(r.events)).Task, nil
}

// until is the task once its first n events have happened.
func (r *recording) until(n int) *a2a.Event {
	task := *r.snapshot.Task
	var parts []a2a.Part
	for _, e := range r.events[:n] {
		if e.Status != nil {
			task.Status = e.Status.Status
			continue
		}
		for _, p := range e.Artifact.Artifact.Parts {
			if last := len(parts) - 1; last >= 0 && p.Kind == a2a.PartText && parts[last].Kind == a2a.PartText {
				parts[last].Text += p.Text
				continue
			}
			parts = append(parts, p)
		}
	}
	artifact := a2a.Artifact{ID: "response", Parts: parts}
	if r.keeps > 0 && len(parts[0].Text) > r.keeps {
		total := fmt.Sprint(len(parts[0].Text))
		artifact.Metadata = a2a.Metadata{"truncated": json.RawMessage("true"), "totalBytes": json.RawMessage(total)}
		artifact.Parts = []a2a.Part{a2a.TextPart(parts[0].Text[:r.keeps])}
	}
	task.Artifacts = []a2a.Artifact{artifact}
	return &a2a.Event{ID: uint64(n + 1), Task: &task}
}

func (r *recording) subscribed() []uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.after)
}

// replay hands out events one at a time: each is a write of its own.
type replay struct{ events []*a2a.Event }

func (s *replay) Next(context.Context) ([]*a2a.Event, error) {
	if len(s.events) == 0 {
		return nil, io.EOF
	}
	first := s.events[:1]
	s.events = s.events[1:]
	return first, nil
}

func (s *replay) Close() {}

// cutter breaks the connection of an answer after so many bytes, wherever that
// is in an event.
type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	if len(p) <= c.left {
		c.left -= len(p)
		return c.ResponseWriter.Write(p)
	}
	_, _ = c.ResponseWriter.Write(p[:c.left])
	_ = http.NewResponseController(c.ResponseWriter).Flush()
	panic(http.ErrAbortHandler)
}

func (c *cutter) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// cutting serves r and breaks each of the first n streams after about so many
// bytes.
func cutting(t *testing.T, r *recording, n, bytes int) string {
	server := server.New(server.Options{Handler: r})
	var mu sync.Mutex
	answers := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		cut := answers < n
		if cut {
			w = &cutter{w, bytes + 37*answers} // in another place each time
		}
		answers++
		mu.Unlock()
		server.ServeHTTP(w, q)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// send runs sidecar send in this process.
func send(t *testing.T, url string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	std := cli.Std{In: file("in"), Out: file("out"), Err: file("err"), Env: []string{"SIDECAR_URL=" + url}}
	code = cli.Main(append([]string{"sidecar", "send"}, args...), std)
	read := func(f *os.File) string {
		b, err := os.ReadFile(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	return read(std.Out), read(std.Err), code
}

// A stream that breaks in the middle of an event, many times, is taken up after
// the last whole one: nothing is missing and nothing comes twice.
func TestSendGoesOn(t *testing.T) {
	r, want := numbered(300)
	url := cutting(t, r, 40, 1500)
	out, errs, code := send(t, url, "go")
	if out != want || errs != "" || code != 0 {
		t.Errorf("exit %d, stderr %q, %d bytes of answer, want %d", code, errs, len(out), len(want))
	}
	asked := r.subscribed()
	if len(asked) < 20 || asked[0] == 0 || !slices.IsSorted(asked) || len(slices.Compact(slices.Clone(asked))) != len(asked) {
		t.Errorf("asked for what came after %v", asked)
	}
}

// As JSON, each event is one line, once.
func TestSendGoesOnAsJSON(t *testing.T) {
	r, _ := numbered(100)
	out, errs, code := send(t, cutting(t, r, 10, 1500), "-o", "json", "go")
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != 102 || errs != "" || code != 0 {
		t.Fatalf("exit %d, stderr %q, %d lines", code, errs, len(lines))
	}
	for i, e := range append([]*a2a.Event{r.snapshot}, r.events...) {
		if lines[i] != string(codec.EncodeEvent(e, a2a.V10)) {
			t.Fatalf("line %d is %s", i, lines[i])
		}
	}
}

// A server that has forgotten the events tells all from the start: only what is
// new is printed, of parts of any kind.
func TestSendGoesOnWithASnapshot(t *testing.T) {
	r, want := numbered(60)
	r.forgets = true
	out, errs, code := send(t, cutting(t, r, 5, 2500), "go")
	if out != want || errs != "" || code != 0 {
		t.Errorf("exit %d, stderr %q, answer\n%s", code, errs, out)
	}
	if len(r.subscribed()) < 5 {
		t.Errorf("%d subscriptions", len(r.subscribed()))
	}
}

// A server that goes on from a little before tells nobody anything twice.
func TestSendSkipsWhatItHas(t *testing.T) {
	r, want := numbered(100)
	r.repeats = true
	out, errs, code := send(t, cutting(t, r, 10, 2500), "go")
	if out != want || errs != "" || code != 0 || len(r.subscribed()) < 5 {
		t.Errorf("exit %d, stderr %q, %v, answer\n%s", code, errs, r.subscribed(), out)
	}
}

// What is lost for good is said, once, where it is missing.
func TestSendSaysWhatIsMissing(t *testing.T) {
	r := &recording{forgets: true, keeps: 10, snapshot: &a2a.Event{ID: 1, Task: &a2a.Task{ID: "t-1", Status: a2a.Status{State: a2a.StateWorking}}}}
	for i, text := range []string{"aaaa\n", strings.Repeat("b", 2000) + "\n", "cccc\n", "dddd\n"} {
		r.events = append(r.events, &a2a.Event{ID: uint64(i + 2), Artifact: &a2a.ArtifactUpdate{TaskID: "t-1", Append: i > 0,
			Artifact: a2a.Artifact{ID: "response", Parts: []a2a.Part{a2a.TextPart(text)}}}})
	}
	r.events = append(r.events, &a2a.Event{ID: 6, Status: &a2a.StatusUpdate{TaskID: "t-1", Status: a2a.Status{State: a2a.StateCompleted}}})
	// The first connection breaks in the b's. The snapshot after it has these
	// and the c's, but keeps only ten bytes.
	out, errs, code := send(t, cutting(t, r, 1, 1200), "go")
	if want := "aaaa\nbbbbb\ndddd\n"; out != want || code != 0 {
		t.Errorf("exit %d, answer %q, want %q", code, out, want)
	}
	if want := "sidecar: 2001 bytes of response missing here: the server has kept only the beginning\n"; errs != want {
		t.Errorf("stderr %q, want %q", errs, want)
	}
}

// A task that ended while nobody listened is read as it is.
func TestSendReadsWhatEndedMeanwhile(t *testing.T) {
	r, want := numbered(60)
	r.ends = true
	out, errs, code := send(t, cutting(t, r, 1, 2500), "go")
	if out != want || errs != "" || code != 0 {
		t.Errorf("exit %d, stderr %q, answer\n%s", code, errs, out)
	}
}

// A server that is busy is asked again; one that does not know the task any
// more is not.
func TestSendAsksAgain(t *testing.T) {
	r, want := numbered(60)
	r.refuse = func(n int) error {
		if n > 3 {
			return nil
		}
		starting := *a2a.ErrUnavailable
		starting.RetryAfter = 0
		return &starting
	}
	out, errs, code := send(t, cutting(t, r, 1, 2500), "go")
	if out != want || errs != "" || code != 0 || len(r.subscribed()) != 4 {
		t.Errorf("exit %d, stderr %q, %v, answer\n%s", code, errs, r.subscribed(), out)
	}

	r, _ = numbered(60)
	r.refuse = func(int) error { return a2a.ErrTaskNotFound.With("task t-1 not found") }
	out, errs, code = send(t, cutting(t, r, 1, 2500), "go")
	if code != 1 || !strings.Contains(errs, "the stream broke off, and cannot be taken up again: task t-1 not found") || out == "" {
		t.Errorf("exit %d, stderr %q, answer\n%s", code, errs, out)
	}
	if n := len(r.subscribed()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
