package opencode_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/opencode"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// fakeServer is `opencode serve`: it says what a test has it say.
type fakeServer struct {
	*httptest.Server
	t     *testing.T
	open  bool        // it asks for no password
	posts chan string // what was sent to it: "PATH BODY"
	// streams has each new connection to its events.
	streams chan *connection
	handle  func(w http.ResponseWriter, r *http.Request, body string) bool // if it returns false, the usual is done

	mu       sync.Mutex
	replies  map[string]string // GET, by path
	sessions int
	live     []*connection
}

// connection is one connection to the events.
type connection struct {
	lines chan string
	end   chan struct{} // closed to break it
}

const provider = `{"providers":[{"id":"stub","models":{"one":{"capabilities":{"input":{"image":true,"pdf":false}}},"two":{}}}],"default":{}}`

func startFake(t *testing.T) *fakeServer {
	f := &fakeServer{t: t, posts: make(chan string, 1000), streams: make(chan *connection, 100), replies: map[string]string{
		"/global/health": `{"healthy":true,"version":"1.2.3"}`, "/config/providers": provider, "/config": `{"model":"stub/one"}`,
		"/agent":          `[{"name":"build","mode":"primary"},{"name":"title","mode":"primary","hidden":true},{"name":"explore","mode":"subagent"},{"name":"plan","mode":"primary"}]`,
		"/session/status": `{}`, "/permission": `[]`, "/question": `[]`,
	}}
	f.Server = httptest.NewServer(http.HandlerFunc(f.serve))
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

func (f *fakeServer) serve(w http.ResponseWriter, r *http.Request) {
	if user, password, _ := r.BasicAuth(); !f.open && (user != "opencode" || password != "mine") {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	data, _ := io.ReadAll(r.Body)
	body := string(data)
	switch {
	case f.handle != nil && f.handle(w, r, body):
	case r.URL.Path == "/event":
		f.stream(w, r)
	case r.Method == http.MethodPost:
		f.post(w, r.URL.Path, body)
	default:
		f.mu.Lock()
		reply, ok := f.replies[r.URL.Path]
		f.mu.Unlock()
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			reply = `{"name":"NotFoundError","data":{"message":"nothing is there"}}`
		}
		io.WriteString(w, reply)
	}
}

func (f *fakeServer) post(w http.ResponseWriter, path, body string) {
	f.posts <- path + " " + body
	if path == "/session" {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.sessions++
		fmt.Fprintf(w, `{"id":"ses_%d"}`, f.sessions)
		return
	}
	io.WriteString(w, "true")
}

func (f *fakeServer) stream(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	e := &connection{lines: make(chan string, 10_000), end: make(chan struct{})}
	f.mu.Lock()
	f.live = append(f.live, e)
	f.mu.Unlock()
	f.streams <- e
	for line := `{"type":"server.connected","properties":{}}`; ; {
		if _, err := io.WriteString(w, "data: "+line+"\n\n"); err != nil {
			return
		}
		w.(http.Flusher).Flush()
		select {
		case line = <-e.lines:
		case <-e.end:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// say sends events, as JSON, to the newest connection.
func (f *fakeServer) say(events ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range events {
		f.live[len(f.live)-1].lines <- e
	}
}

// breakStream ends the newest connection.
func (f *fakeServer) breakStream() {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.live[len(f.live)-1].end)
}

// set says what a path is answered with.
func (f *fakeServer) set(path, reply string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replies[path] = reply
}

// posted waits for what is sent to a path, and returns its body.
func (f *fakeServer) posted(path string) string {
	f.t.Helper()
	for {
		if p, body, _ := strings.Cut(await.One(f.t, f.posts, "a request to "+path), " "); p == path {
			return body
		}
	}
}

// connect returns a Peer of the server that was started.
func (f *fakeServer) connect(options ...peer.Option) peer.Peer {
	f.t.Helper()
	p, err := f.tryConnect(options...)
	if err != nil {
		f.t.Fatal(err)
	}
	return p
}

func (f *fakeServer) tryConnect(options ...peer.Option) (peer.Peer, error) {
	f.t.Helper()
	p := opencode.Agent().Stream.Peer(peer.Process{
		Dir: "/work", Env: []string{"OPENCODE_SERVER_PASSWORD=mine"}, Options: options, Log: slog.New(slog.DiscardHandler),
	})
	f.t.Cleanup(p.Close)
	out := "Warning: something else\nopencode server listening on " + f.URL + "\n"
	for i := range len(out) { // it may come in any pieces
		p.Output([]byte(out[i : i+1]))
	}
	return p, p.Start(await.Context(f.t))
}

// prompted sends a message and waits until the server has it. Its id stands for MESSAGE in the events.
func (f *fakeServer) prompted(p peer.Peer, session, text string, on *told) (*prompting, string) {
	f.t.Helper()
	g := &prompting{done: make(chan struct{})}
	go func() {
		defer close(g.done)
		g.ending, g.err = p.Prompt(await.Context(f.t), session, peer.Message{Text: text}, on)
	}()
	var sent struct {
		MessageID string `json:"messageID"`
	}
	if body := f.posted("/session/" + session + "/prompt_async"); json.Unmarshal([]byte(body), &sent) != nil || sent.MessageID == "" {
		f.t.Fatalf("the message was sent as %s", body)
	}
	return g, sent.MessageID
}

// prompting is a Prompt that goes on.
type prompting struct {
	done   chan struct{}
	ending peer.Ending
	err    error
}

func (g *prompting) wait(t *testing.T) peer.Ending {
	t.Helper()
	await.One(t, g.done, "the end of the turn")
	if g.err != nil {
		t.Fatal(g.err)
	}
	return g.ending
}

// told takes what is told of a turn.
type told struct {
	permit func(ctx context.Context, a peer.Action) (peer.Answer, error)
	answer func(q peer.Question) (peer.Reply, error)
	slow   func() // called in Say

	mu    sync.Mutex
	lines []string
	asked []string
	text  strings.Builder
}

func (o *told) add(format string, a ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.lines = append(o.lines, fmt.Sprintf(format, a...))
}

func (o *told) Say(words string) {
	o.add("say %q", words)
	o.mu.Lock()
	o.text.WriteString(words)
	o.mu.Unlock()
	if o.slow != nil {
		o.slow()
	}
}

func (o *told) Paragraph() {
	o.add("paragraph")
	o.mu.Lock()
	o.text.WriteString("\n\n")
	o.mu.Unlock()
}
func (o *told) Part(p a2a.Part)         { o.add("part %s %s %q", p.MediaType, p.Filename, p.Raw) }
func (o *told) Think(words string)      { o.add("think %q", words) }
func (o *told) Plan(e []peer.PlanEntry) { o.add("plan %+v", e) }
func (o *told) Note(key string, v any)  { o.add("note %s %v", key, v) }
func (o *told) Host() peer.Host         { return nil }
func (o *told) Usage(u peer.Usage)      { o.add("usage %s", usage(u)) }
func (o *told) Tool(t peer.Tool) {
	line := fmt.Sprintf("tool %s %s %s %q", t.ID, t.Name, t.Status, t.Title)
	if t.Kind != "" {
		line += " kind=" + string(t.Kind)
	}
	if t.Input != nil {
		line += " input=" + string(t.Input)
	}
	if t.Output != nil {
		line += fmt.Sprintf(" output=%q", t.Output)
	}
	for _, p := range t.Places {
		line += " place=" + p.Path
	}
	o.add("%s", line+diffs(t.Diffs))
}

func (o *told) Permit(ctx context.Context, a peer.Action) (peer.Answer, error) {
	o.mu.Lock()
	o.asked = append(o.asked, fmt.Sprintf("permit %s %s %s %q command=%q dir=%q reads=%q writes=%q hosts=%q input=%s noAlways=%v%s",
		a.ID, a.Kind, a.Name, a.Title, a.Command, a.Dir, a.Reads, a.Writes, a.Hosts, a.Input, a.NoAlways, diffs(a.Diffs)))
	o.mu.Unlock()
	if o.permit != nil {
		return o.permit(ctx, a)
	}
	return peer.Answer{Allowed: true}, nil
}

func (o *told) Ask(_ context.Context, q peer.Question) (peer.Reply, error) {
	o.mu.Lock()
	o.asked = append(o.asked, fmt.Sprintf("ask %+v", q))
	o.mu.Unlock()
	return o.answer(q)
}

// said is the text of the answer.
func (o *told) said() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func (o *told) asks() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.asked)
}

func diffs(all []peer.Diff) (s string) {
	for _, d := range all {
		old := "none"
		if d.Old != nil {
			old = fmt.Sprintf("%q", *d.Old)
		}
		s += fmt.Sprintf(" diff=%s old=%s new=%q", d.Path, old, d.New)
	}
	return s
}

func usage(u peer.Usage) string {
	if u.Input == nil {
		return u.Model
	}
	return fmt.Sprintf("%d %d %g %s", *u.Input, *u.Output, *u.Cost, u.Model)
}

func describe(e peer.Ending) string {
	return fmt.Sprintf("ok=%v canceled=%v reason=%q usage=%s", e.OK, e.Canceled, e.Reason, usage(e.Usage))
}
