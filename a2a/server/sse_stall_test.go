package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

func openStream(t *testing.T, ctx context.Context, url, method string) *http.Response {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, time.Minute) // no test hangs on it
	t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "POST", url+"/", strings.NewReader(a2atest.Hello(method, "hello")))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	got := make(chan *http.Response, 1)
	go func() {
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			res = &http.Response{Body: http.NoBody, Status: err.Error()}
		}
		got <- res
	}()
	// The answer begins with the first event: the caller sends it meanwhile.
	res := &http.Response{Body: &lateBody{got: got}}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// lateBody is the body of a response that has not begun.
type lateBody struct {
	got  chan *http.Response
	once sync.Once
	res  *http.Response
}

func (b *lateBody) wait() { b.once.Do(func() { b.res = <-b.got }) }

func (b *lateBody) Read(p []byte) (int, error) { b.wait(); return b.res.Body.Read(p) }

func (b *lateBody) Close() error { b.wait(); return b.res.Body.Close() }

// A subscriber that does not read holds up nobody, and is cut off.
func TestSlowSubscriber(t *testing.T) {
	t.Parallel()
	f := a2atest.NewFake()
	slow, fast := a2atest.NewLive(), a2atest.NewLive()
	streams := make(chan a2a.Stream, 2)
	streams <- slow
	f.Open = func() a2a.Stream { return <-streams }
	url, _ := start(t, server.Options{Handler: f, StallTimeout: 3 * time.Second}) // longer than the machine ever stands still

	conn := dial(t, url)
	body := `{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"working"}}`
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	select {
	case slow.Events <- []*a2a.Event{a2atest.Big(64 << 10)}: // it is this one's
	case <-time.After(time.Minute):
		t.Fatal("the first event was not taken")
	}
	stop := make(chan struct{})
	var feeding sync.WaitGroup
	feeding.Go(func() { // fills every buffer between here and the reader that does not read
		for {
			select {
			case slow.Events <- []*a2a.Event{a2atest.Big(64 << 10)}:
			case <-slow.Closed:
				return
			case <-stop:
				return
			}
		}
	})
	defer feeding.Wait()
	defer close(stop)

	// The stalled one is in mid-write by now or will be; the other reads on.
	streams <- fast
	res := openStream(t, t.Context(), url, "SendStreamingMessage")
	lines := bufio.NewReaderSize(res.Body, 128<<10)
	for i := range 200 {
		select {
		case fast.Events <- []*a2a.Event{a2atest.Big(32 << 10)}:
		case <-time.After(time.Minute):
			t.Fatalf("event %d was not taken", i)
		}
		if line, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(line, "data: ") {
			t.Fatalf("event %d: %.40q, %v", i, line, err)
		}
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	await.One(t, slow.Closed, "the stalled subscriber to be cut off")
}

// The kernel is not given megabytes that wait for a reader: the writer could not
// tell one that is slow from one that has stalled.
func TestLittleWaitsInTheKernel(t *testing.T) {
	f, st := a2atest.NewFake(), a2atest.NewLive()
	f.Open = func() a2a.Stream { return st }
	url, _ := start(t, server.Options{Handler: f, StallTimeout: 200 * time.Millisecond})
	conn := dial(t, url)
	if err := conn.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"SubscribeToTask","params":{"id":"working"}}`
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	for taken := 0; ; taken += 32 << 10 {
		select {
		case st.Events <- []*a2a.Event{a2atest.Big(32 << 10)}:
		case <-st.Closed:
			if taken > 1<<20 {
				t.Errorf("%d bytes were taken for a reader that read nothing", taken)
			}
			return
		}
	}
}

// A client that stalls in a long answer is cut off as well.
func TestStalledReaderOfALongAnswer(t *testing.T) {
	f := &longHandler{Fake: a2atest.NewFake(), text: strings.Repeat("x", 64<<20)}
	s := server.New(server.Options{Handler: f, StallTimeout: 100 * time.Millisecond})
	served := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(served)
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	conn := dial(t, srv.URL)
	io.WriteString(conn, "GET /tasks/done HTTP/1.1\r\nHost: x\r\n\r\n")
	await.One(t, served, "the server, which must not wait for a reader that does not read")
}

// thinLine takes a mebibyte a second and holds to its deadline, in the time of a
// bubble.
type thinLine struct {
	*writer
	until time.Time
}

func (w *thinLine) SetWriteDeadline(t time.Time) error { w.until = t; return nil }

func (w *thinLine) Write(p []byte) (int, error) {
	taken := time.Now().Add(time.Duration(len(p)) * time.Second >> 20)
	if taken.After(w.until) {
		return 0, os.ErrDeadlineExceeded
	}
	<-time.After(time.Until(taken))
	return w.writer.Write(p)
}

// A reader that is slow but reads gets a long first event, however much longer
// than the stall limit that takes.
func TestLongEventOnAThinLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, st := a2atest.NewFake(), a2atest.NewLive()
		f.Open = func() a2a.Stream { return st }
		w := &thinLine{writer: newWriter()}
		go func() { st.Events <- []*a2a.Event{a2atest.Big(8 << 20), a2atest.Update(a2a.StateCompleted)} }()
		server.New(server.Options{Handler: f, StallTimeout: 2 * time.Second}).ServeHTTP(w, streamRequest(t.Context(), "SendStreamingMessage"))
		if got := strings.Count(w.text(), "data: "); got != 2 || !strings.Contains(w.text(), "COMPLETED") {
			t.Errorf("%d events came", got)
		}
	})
}

type longHandler struct {
	*a2atest.Fake
	text string
}

func (h *longHandler) GetTask(context.Context, *a2a.GetRequest) (*a2a.Task, error) {
	return &a2a.Task{ID: "done", Status: a2atest.Status(a2a.StateCompleted, ""), Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.TextPart(h.text)}}}}, nil
}

type bursting struct{ began bool }

func (b *bursting) Next(context.Context) ([]*a2a.Event, error) {
	if b.began {
		panic("the stream has a bug")
	}
	b.began = true
	return []*a2a.Event{a2atest.Update(a2a.StateWorking)}, nil
}

func (b *bursting) Close() {}
