package opencode_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/opencode"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// agentServer is opencode's server: each request to /event is given to serve.
type agentServer struct {
	t      *testing.T
	ln     net.Listener
	server *http.Server
}

func startAgentServer(t *testing.T, serve http.HandlerFunc) *agentServer {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &agentServer{t: t, ln: ln}
	s.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, ok := r.BasicAuth()
		switch {
		case r.URL.Path != "/event":
			http.NotFound(w, r)
		case !ok || user != "opencode" || password != "mine":
			w.WriteHeader(http.StatusUnauthorized)
		default:
			serve(w, r)
		}
	})}
	done := make(chan struct{})
	go func() { defer close(done); s.server.Serve(ln) }()
	t.Cleanup(func() { s.server.Close(); <-done })
	return s
}

// source is what reads the server's events.
func (s *agentServer) source(password string) func(context.Context, func(channel.Report)) error {
	s.t.Helper()
	o := agenttest.Launch(s.t, "opencode", "--port", strconv.Itoa(s.ln.Addr().(*net.TCPAddr).Port))
	o.Env = append(o.Env, "OPENCODE_SERVER_PASSWORD="+password)
	return agenttest.Prepare(s.t, opencode.Agent(), o).Source
}

// listen runs a source until the test ends, and passes on what it reports.
func listen(t *testing.T, source func(context.Context, func(channel.Report)) error) <-chan channel.Report {
	t.Helper()
	reports := make(chan channel.Report, 10_000)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := source(ctx, func(r channel.Report) { reports <- r }); err != nil {
			t.Errorf("the source ended: %v", err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return reports
}

// until takes reports up to one that is final.
func until(t *testing.T, reports <-chan channel.Report) (all []channel.Report) {
	t.Helper()
	for {
		select {
		case r := <-reports:
			if all = append(all, r); r.Final {
				return all
			}
		case <-time.After(await.Patience):
			t.Fatalf("no end of the turn after %v", all)
		}
	}
}

// events plays a stream and then keeps the connection.
func events(stream string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, stream)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

// What opencode told in real sessions, and what we make of it.
func TestWhatOpencodeTold(t *testing.T) {
	golden.Each(t, "testdata/*.sse", 1, func(t *testing.T, file string) {
		// One more turn, so that all that is before it has been told.
		const last = `data: {"type":"session.status","properties":{"sessionID":"ses_last","status":{"type":"busy"}}}` + "\n\n" +
			`data: {"type":"session.error","properties":{"sessionID":"ses_last","error":{"name":"TheLast"}}}` + "\n\n" +
			`data: {"type":"session.idle","properties":{"sessionID":"ses_last"}}` + "\n\n"
		reports := listen(t, startAgentServer(t, events(golden.Read(t, file)+last)).source("mine"))
		var got strings.Builder
		for done := false; !done; {
			for _, r := range until(t, reports) {
				got.WriteString(agenttest.Describe(r, true) + "\n")
				done = r.Message == "TheLast"
			}
		}
		golden.Same(t, golden.Beside(file, ".reports"), got.String())
	})
}

// said makes an event.
func said(kind, properties string) string {
	return `data: {"type":"` + kind + `","properties":` + properties + "}\n\n"
}

const (
	busy = `{"sessionID":"s","status":{"type":"busy"}}`
	idle = `{"sessionID":"s"}`
)

// answer is a turn that answers with these pieces.
func answer(pieces ...string) string {
	b := said("session.status", busy) + said("message.updated", `{"sessionID":"s","info":{"id":"m","role":"assistant"}}`) +
		said("message.part.updated", `{"sessionID":"s","part":{"id":"think","messageID":"m","type":"reasoning","text":""}}`) +
		said("message.part.updated", `{"sessionID":"s","part":{"id":"p","messageID":"m","type":"text","text":""}}`)
	for _, p := range pieces {
		b += said("message.part.delta", `{"sessionID":"s","messageID":"m","partID":"think","field":"text","delta":"hm"}`) +
			said("message.part.delta", `{"sessionID":"s","messageID":"m","partID":"p","field":"text","delta":`+strconv.Quote(p)+`}`)
	}
	return b + said("session.idle", idle)
}

// A connection that is never answered, one that ends, and one that is no stream
// are all begun anew.
func TestEventsGoOnAfterTheConnectionIsLost(t *testing.T) {
	var mu sync.Mutex
	attempt := 0
	s := startAgentServer(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		attempt++
		n := attempt
		mu.Unlock()
		switch n {
		case 1: // the agent still starts
			<-r.Context().Done()
		case 2:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 3:
			io.WriteString(w, said("server.connected", "{}")+answer("one ", "two")+said("session.status", busy)+"data: {\"type\":\"session.id")
		case 4: // in the middle of the next turn
			events(said("server.connected", "{}")+said("session.status", busy)+said("session.idle", idle)+answer("three"))(w, r)
		default:
			t.Errorf("%d connections", n)
		}
	})
	reports := listen(t, s.source("mine"))
	got := until(t, reports)
	if last := got[len(got)-1]; got[0].State != channel.ReportStarting || last.Text != "one two" || last.State != channel.ReportReady {
		t.Errorf("the first turn began with %+v and ended with %+v", got[0], last)
	}
	got = until(t, reports)
	if got[0].State != channel.ReportWorking || got[len(got)-1].Text != "" {
		t.Errorf("a turn of which the end was seen: %+v", got)
	}
	got = until(t, reports)
	if texts := []string{got[0].Text, got[1].Text, got[2].Text}; !slices.Equal(texts, []string{"", "three", "three"}) {
		t.Errorf("then %q", texts)
	}
}

// Who comes into the middle of a turn hears of its end, but that is not the end
// of one of his.
func TestATurnOfWhichNothingIsKnownHasNoAnswer(t *testing.T) {
	stream := said("message.part.delta", `{"sessionID":"s","messageID":"m","partID":"p","field":"text","delta":"x"}`) + said("session.idle", idle) + answer("y")
	got := until(t, listen(t, startAgentServer(t, events(stream)).source("mine")))
	if first := agenttest.Describe(got[0], true); first != "ready" {
		t.Errorf("first %s", first)
	}
	if last := got[len(got)-1]; last.Text != "y" {
		t.Errorf("then %+v", last)
	}
}

func TestEventsThatCannotBeReadAreSkipped(t *testing.T) {
	long := said("message.part.delta", `{"sessionID":"s","messageID":"m","partID":"p","field":"text","delta":"`+strings.Repeat("x", 5<<20)+`"}`)
	stream := ": a comment\n\nevent: x\ndata: {\ndata: null\ndata:[]\ndata: {\"type\":7}\n\n\r\n" + long + said("unknown", `[]`) + answer("fine")
	got := until(t, listen(t, startAgentServer(t, events(stream)).source("mine")))
	if last := got[len(got)-1]; last.Text != "fine" || len(got) != 3 {
		t.Errorf("%d reports, the last %+v", len(got), last)
	}
}

// An answer without end costs no memory without end, and the turn still ends.
func TestAnAnswerWithoutEndHasNoText(t *testing.T) {
	var b strings.Builder
	piece := strings.Repeat("x", 1<<20)
	for range 9 {
		b.WriteString(said("message.part.delta", `{"sessionID":"s","messageID":"m","partID":"p","field":"text","delta":"`+piece+`"}`))
	}
	stream := strings.Replace(answer(), said("session.idle", idle), b.String()+said("session.idle", idle), 1)
	got := until(t, listen(t, startAgentServer(t, events(stream)).source("mine")))
	last := got[len(got)-1]
	if last.Text != "" || last.State != channel.ReportReady || len(got[len(got)-2].Text) != 8<<20 {
		t.Errorf("%d reports, the last two with %d and %d bytes", len(got), len(got[len(got)-2].Text), len(last.Text))
	}
}

func TestTheWrongPasswordEndsTheSource(t *testing.T) {
	source := startAgentServer(t, events("")).source("theirs")
	err := source(t.Context(), func(r channel.Report) { t.Errorf("reported %+v", r) })
	if err == nil || !strings.Contains(err.Error(), "401") {
		t.Errorf("ended with %v", err)
	}
}

// An agent takes seconds until it listens, and may never do so.
func TestTheSourceWaitsForTheServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	o := agenttest.Launch(t, "opencode", fmt.Sprintf("--port=%d", ln.Addr().(*net.TCPAddr).Port))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	a := opencode.Agent()
	plan, err := a.Prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	go func() { done <- plan.Source(ctx, func(channel.Report) {}) }()
	cancel()
	if err := await.One(t, done, "the end"); err != nil {
		t.Errorf("ended with %v", err)
	}
}
