package channel_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// owner is a task that writes down what it is told.
type owner struct {
	mu    sync.Mutex
	calls []string
	// ask answers questions; nil: with the first option, or "42".
	ask func(ctx context.Context, q channel.Question) (channel.Answer, error)
	err error // what statements are answered with
}

var _ channel.Owner = (*owner)(nil)

func (o *owner) note(format string, args ...any) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.calls = append(o.calls, fmt.Sprintf(format, args...))
	return o.err
}

// take returns the calls since the last take.
func (o *owner) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	calls := o.calls
	o.calls = nil
	return calls
}

func number[T any](p *T) string {
	if p == nil {
		return "-"
	}
	return fmt.Sprint(*p)
}

func describe(parts []a2a.Part) string {
	var out []string
	for _, p := range parts {
		switch p.Kind {
		case a2a.PartText:
			out = append(out, "text:"+p.Text)
		case a2a.PartData:
			out = append(out, "data:"+string(p.Data))
		case a2a.PartRaw:
			out = append(out, fmt.Sprintf("raw:%x", p.Raw))
		case a2a.PartURL:
			out = append(out, "url:"+p.URL)
		}
		if p.MediaType != "" || p.Filename != "" {
			out = append(out, fmt.Sprintf("(%s %s)", p.MediaType, p.Filename))
		}
		if len(p.Metadata) > 0 {
			out = append(out, "{"+strings.TrimSpace(beside("", p.Metadata, nil))+"}")
		}
	}
	return strings.Join(out, " ")
}

func (o *owner) Status(s channel.Status) error {
	return o.note("status %q %s%s%s", s.Text, number(s.Progress), after(describe(s.Parts)), beside("", s.Metadata, s.Extensions))
}

// after sets a text off from what is before it.
func after(s string) string {
	if s != "" {
		s = " " + s
	}
	return s
}

// beside is what a thing carries beside its content, "" for nothing.
func beside(description string, m a2a.Metadata, extensions []string) (out string) {
	if description != "" {
		out = fmt.Sprintf(" description=%q", description)
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		out += fmt.Sprintf(" %s=%s", k, m[k])
	}
	return out + after(strings.Join(extensions, " "))
}

func (o *owner) Artifact(_ context.Context, u a2a.ArtifactUpdate) error {
	return o.note("artifact %q %q append=%v last=%v %s", u.Artifact.ID, u.Artifact.Name, u.Append, u.LastChunk,
		describe(u.Artifact.Parts)+beside(u.Artifact.Description, u.Artifact.Metadata, u.Artifact.Extensions))
}

func (o *owner) Ask(ctx context.Context, q channel.Question) (channel.Answer, error) {
	o.note("ask %q %v %v%s%s", q.Text, q.Options, q.Timeout, after(describe(q.Parts)), beside("", q.Metadata, q.Extensions))
	if o.ask != nil {
		return o.ask(ctx, q)
	}
	if len(q.Options) > 0 {
		return channel.Answer{Text: q.Options[0].Label, OptionID: q.Options[0].ID}, nil
	}
	return channel.Answer{Text: "42"}, nil
}

func (o *owner) Done(d channel.Done) error {
	return o.note("done %q %q message=%v %s", d.State, d.Text, d.Message, describe(d.Parts)+beside("", d.Metadata, d.Extensions))
}

func (o *owner) Usage(u channel.Usage) error {
	return o.note("usage %s %s %s %q", number(u.InputTokens), number(u.OutputTokens), number(u.CostUSD), u.Model)
}

// session is an owner that takes offers.
type session struct {
	owner
	offered chan *channel.Conn
	lost    chan *channel.Conn
}

var _ channel.SessionOwner = (*session)(nil)

func newSession() *session {
	return &session{offered: make(chan *channel.Conn, 16), lost: make(chan *channel.Conn, 16)}
}

func (s *session) Report(r channel.Report) error {
	return s.note("report %s %q %q %q %q %q final=%v", r.State, r.Kind, r.Text, r.Message, r.ID, r.Prompt, r.Final)
}

func (s *session) Offered(c *channel.Conn) { s.offered <- c }
func (s *session) Lost(c *channel.Conn)    { s.lost <- c }
func (s *session) Listed()                 { _ = s.note("listed") }

func listen(t testing.TB) *channel.Server {
	t.Helper()
	s, err := channel.Listen(channel.Options{RuntimeDir: shortDir(t), UID: -1, Version: "1.2.3", Caller: &caller{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// shortDir is a directory whose path leaves room for a socket's.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "ch")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		left, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		os.RemoveAll(dir)
	})
	return dir
}

func dial(t testing.TB, s *channel.Server, token string, c channel.Capabilities) *channel.Client {
	t.Helper()
	client, err := channel.Dial(t.Context(), s.Path(), token, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// peer is a connection that says what it likes.
type peer struct {
	t testing.TB
	net.Conn
	in *bufio.Reader
}

func connect(t testing.TB, s *channel.Server) *peer {
	t.Helper()
	nc, err := net.Dial("unix", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(patience))
	return &peer{t, nc, bufio.NewReader(nc)}
}

// send writes a line; a connection that is closed meanwhile is no fault.
func (p *peer) send(line string) { io.WriteString(p, line+"\n") }

// line reads one, "" at the end of the connection.
func (p *peer) line() string {
	p.t.Helper()
	line, err := p.in.ReadString('\n')
	if err != nil && os.IsTimeout(err) {
		p.t.Fatal("nothing came in time")
	}
	return strings.TrimSuffix(line, "\n")
}

// initialize says hello and expects to be let in.
func (p *peer) initialize(token, capabilities string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"token":"` + token + `","protocolVersion":"1","capabilities":` + capabilities + `}}`)
	if got := p.line(); !strings.Contains(got, `"result"`) {
		p.t.Fatalf("not let in: %s", got)
	}
}

// wants expects an answer with an error of this code.
func (p *peer) wants(code int) string {
	p.t.Helper()
	line := p.line()
	var r struct{ Error struct{ Code int } }
	if err := json.Unmarshal([]byte(line), &r); err != nil || r.Error.Code != code {
		p.t.Errorf("want error %d, got %q", code, line)
	}
	return line
}

// ends expects the connection to be closed.
func (p *peer) ends() {
	p.t.Helper()
	if line := p.line(); line != "" {
		p.t.Errorf("want the end, got %q", line)
	}
}

// deliver hands a message over and waits for the answer.
func deliver(ctx context.Context, c *channel.Conn, d channel.Delivery) (channel.Delivered, error) {
	f, err := c.Deliver(d)
	if err != nil {
		return channel.Delivered{}, err
	}
	return landed(ctx, f)
}

// callTool hands a call over and waits for the result.
func callTool(ctx context.Context, c *channel.Conn, call channel.ToolCall) (channel.ToolResult, error) {
	f, err := c.CallTool(call)
	if err != nil {
		return channel.ToolResult{}, err
	}
	return landed(ctx, f)
}

func landed[T any](ctx context.Context, f *channel.Flight[T]) (answer T, err error) {
	select {
	case <-f.Done():
		return f.Answer()
	case <-ctx.Done():
		return answer, context.Cause(ctx)
	}
}
