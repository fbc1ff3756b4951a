package server_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// writer is a ResponseWriter in memory that counts what a connection would see
// and takes deadlines.
type writer struct {
	mu        sync.Mutex
	header    http.Header
	status    int
	body      strings.Builder
	writes    int
	flushes   int
	deadlines int
	times     []time.Time // of the writes
}

func newWriter() *writer { return &writer{header: make(http.Header)} }

func (w *writer) Header() http.Header { return w.header }

func (w *writer) WriteHeader(status int) { w.status = status }

func (w *writer) SetReadDeadline(time.Time) error { return nil }

func (w *writer) SetWriteDeadline(time.Time) error { w.deadlines++; return nil }

func (w *writer) FlushError() error { w.flushes++; return nil }

func (w *writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	w.times = append(w.times, time.Now())
	return w.body.Write(p)
}

func (w *writer) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.body.String()
}

func (w *writer) lastWrites(n int) []time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.times[len(w.times)-n:]
}

func streamRequest(ctx context.Context, method string) *http.Request {
	r := httptest.NewRequest("POST", "/", strings.NewReader(a2atest.Hello(method, "hello"))).WithContext(ctx)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// All that Next returned goes out in one write and one flush, and the deadline
// is not set again for each.
func TestBatchIsOneWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, st := a2atest.NewFake(), a2atest.NewLive()
		f.Open = func() a2a.Stream { return st }
		w := newWriter()
		done := make(chan struct{})
		go func() {
			server.New(server.Options{Handler: f, StallTimeout: 40 * time.Second}).ServeHTTP(w, streamRequest(t.Context(), "SendStreamingMessage"))
			close(done)
		}()
		const batches, each = 100, 5
		for range batches {
			var events []*a2a.Event
			for range each {
				events = append(events, a2atest.Big(100))
			}
			st.Events <- events
			synctest.Wait()
			time.Sleep(time.Second) // the bubble's: 100 s in all
		}
		st.Fail <- io.EOF
		<-done
		if w.writes != batches || w.flushes != batches {
			t.Errorf("%d batches took %d writes and %d flushes", batches, w.writes, w.flushes)
		}
		if got := strings.Count(w.text(), "data: "); got != batches*each {
			t.Errorf("%d events came", got)
		}
		if w.deadlines > 12 {
			t.Errorf("%d deadlines were set in 100 s, at a limit of 40 s", w.deadlines)
		}
	})
}

// A comment goes out whenever nothing else did for the interval, and only then.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, st := a2atest.NewFake(), a2atest.NewLive()
		f.Open = func() a2a.Stream { return st }
		w := newWriter()
		done := make(chan struct{})
		begin := time.Now()
		go func() {
			server.New(server.Options{Handler: f}).ServeHTTP(w, streamRequest(t.Context(), "SendStreamingMessage"))
			close(done)
		}()
		for range 10 { // an event each 4 s is no silence
			time.Sleep(4 * time.Second)
			st.Events <- []*a2a.Event{a2atest.Update(a2a.StateWorking)}
		}
		synctest.Wait()
		if strings.Contains(w.text(), "\n:") {
			t.Errorf("a comment between events:\n%s", w.text())
		}
		time.Sleep(46 * time.Second)
		synctest.Wait()
		for i, at := range w.lastWrites(3) {
			if want := 40*time.Second + time.Duration(i+1)*15*time.Second; at.Sub(begin) != want {
				t.Errorf("comment %d after %v, want %v", i, at.Sub(begin), want)
			}
		}
		if got := strings.Count(w.text(), ": \n\n"); got != 3 {
			t.Errorf("%d comments:\n%s", got, w.text())
		}
		st.Events <- []*a2a.Event{a2atest.Update(a2a.StateCompleted)}
		<-done
		<-st.Closed
	})
}

// A stream that fails in its middle says so in the dialect; a subscriber that
// the log gave up on is told to come again.
func TestBrokenStream(t *testing.T) {
	for _, c := range []struct {
		method string
		err    error
		want   string
	}{
		{"SendStreamingMessage", a2a.ErrStalled, `"id":1,"error":{"code":-32051,"message":"the stream was cut off because it was read too slowly: subscribe again"`},
		{"message/stream", a2a.ErrStalled, `"id":1,"error":{"code":-32051`},
		{"SendStreamingMessage", errors.New("a secret"), `"error":{"code":-32603,"message":"internal error"`},
	} {
		f := a2atest.NewFake()
		st := a2atest.NewLive()
		f.Open = func() a2a.Stream { return st }
		url, _ := start(t, server.Options{Handler: f})
		res := openStream(t, t.Context(), url, c.method)
		st.Events <- []*a2a.Event{a2atest.Update(a2a.StateWorking)}
		st.Fail <- c.err
		body, err := io.ReadAll(res.Body)
		if err != nil || !strings.Contains(string(body), c.want) || strings.Contains(string(body), "secret") {
			t.Errorf("%s, %v: %v\n%s", c.method, c.err, err, body)
		}
		<-st.Closed
	}
}

// An error that comes from the stream before its first event is answered as one
// from opening it.
func TestStreamFailsBeforeItsFirstEvent(t *testing.T) {
	for _, method := range []string{"SendStreamingMessage", "message/stream"} {
		f, st := a2atest.NewFake(), a2atest.NewLive()
		f.Open = func() a2a.Stream { return st }
		st.Fail <- a2a.ErrTaskNotFound
		w := newWriter()
		server.New(server.Options{Handler: f}).ServeHTTP(w, streamRequest(t.Context(), method))
		if w.status != 200 || !strings.Contains(w.text(), "-32001") {
			t.Errorf("%s: %d %s", method, w.status, w.text())
		}
	}
}

// historyLength is for the Task that opens a stream, too (§3.2.4).
func TestHistoryOfAStream(t *testing.T) {
	for configuration, want := range map[string]int{`{}`: 3, `{"historyLength":2}`: 2, `{"historyLength":9}`: 3, `{"historyLength":0}`: 0} {
		task, err := a2atest.NewFake().GetTask(t.Context(), &a2a.GetRequest{ID: "working"})
		if err != nil {
			t.Fatal(err)
		}
		shared := &a2a.Event{Task: task}
		f := a2atest.NewFake()
		f.Open = func() a2a.Stream {
			return &a2atest.Scripted{Events: []*a2a.Event{shared, a2atest.Update(a2a.StateCompleted)}}
		}
		body := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]},"configuration":` + configuration + `}`
		r := httptest.NewRequest("POST", "/message:stream", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		server.New(server.Options{Handler: f}).ServeHTTP(w, r)
		if got := strings.Count(w.Body.String(), `"messageId":"msg-`); got != want || want == 0 && strings.Contains(w.Body.String(), "history") {
			t.Errorf("%s: %d messages\n%s", configuration, got, w.Body)
		}
		if len(task.History) != 3 {
			t.Error("the event of all subscribers was changed")
		}
	}
}

// A client that goes away ends its own subscription.
func TestSubscriberGoesAway(t *testing.T) {
	f := a2atest.NewFake()
	gone, stays := a2atest.NewLive(), a2atest.NewLive()
	streams := make(chan a2a.Stream, 2)
	f.Open = func() a2a.Stream { return <-streams }
	url, _ := start(t, server.Options{Handler: f})

	ctx, cancel := context.WithCancel(t.Context())
	streams <- gone
	first := openStream(t, ctx, url, "SendStreamingMessage")
	gone.Events <- []*a2a.Event{a2atest.Update(a2a.StateWorking)}
	if _, err := bufio.NewReader(first.Body).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	streams <- stays
	second := openStream(t, t.Context(), url, "SendStreamingMessage")
	stays.Events <- []*a2a.Event{a2atest.Update(a2a.StateWorking)}
	cancel()
	<-gone.Closed
	stays.Events <- []*a2a.Event{a2atest.Update(a2a.StateCompleted)}
	if body, err := io.ReadAll(second.Body); err != nil || strings.Count(string(body), "data: ") != 2 {
		t.Errorf("the other stream: %v\n%s", err, body)
	}
}

// Shutdown leaves a stream the time to send its last events, then ends it, and
// waits for it.
func TestShutdownEndsStreams(t *testing.T) {
	f := a2atest.NewFake()
	ending, waiting := a2atest.NewLive(), a2atest.NewLive()
	streams := make(chan a2a.Stream, 2)
	f.Open = func() a2a.Stream { return <-streams }
	url, hs := start(t, server.Options{Handler: f})
	streams <- ending
	one := openStream(t, t.Context(), url, "SendStreamingMessage")
	ending.Events <- []*a2a.Event{a2atest.Update(a2a.StateWorking)}
	streams <- waiting
	two := openStream(t, t.Context(), url, "SendStreamingMessage")
	waiting.Events <- []*a2a.Event{a2atest.Update(a2a.StateWorking)}

	shut := make(chan error, 1)
	go func() { shut <- hs.Shutdown(t.Context()) }()
	ending.Events <- []*a2a.Event{a2atest.Update(a2a.StateFailed)}
	if body, err := io.ReadAll(one.Body); err != nil || !strings.Contains(string(body), "TASK_STATE_FAILED") {
		t.Errorf("the stream that ends: %v\n%s", err, body)
	}
	if body, err := io.ReadAll(two.Body); err != nil || strings.Count(string(body), "data: ") != 1 {
		t.Errorf("the stream that waits: %v\n%s", err, body)
	}
	<-waiting.Closed
	if err := <-shut; err != nil {
		t.Error(err)
	}
}

// A panic in mid-stream cuts the connection: half an answer is not a whole one.
func TestPanicInMidStream(t *testing.T) {
	f := a2atest.NewFake()
	f.Open = func() a2a.Stream { return &bursting{} }
	url, _ := start(t, server.Options{Handler: f})
	res := openStream(t, t.Context(), url, "SendStreamingMessage")
	if body, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("the stream ended as if it were whole:\n%s", body)
	}
}
