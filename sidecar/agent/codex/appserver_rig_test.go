package codex_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/codex"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// wire is a message as the fake codex sends and gets it.
type wire struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

// fake is a codex app-server, of which the test plays the process.
type fake struct {
	t    *testing.T
	peer peer.Peer
	log  await.Log
	got  chan wire // what it was sent
}

// newFake returns a codex to which nothing was said yet.
func newFake(t *testing.T, options ...peer.Option) *fake {
	t.Helper()
	in, out := io.Pipe()
	f := &fake{t: t, got: make(chan wire, 100)}
	go func() {
		defer close(f.got)
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var w wire
			if json.Unmarshal(line, &w) != nil || bytes.Contains(line, []byte(`"jsonrpc"`)) {
				panic("not a message of this protocol: " + string(line))
			}
			f.got <- w
		}
	}()
	f.peer = codex.Agent().Stream.Peer(peer.Process{
		Input: out, Dir: "/work", Options: options, Version: "1.2.3",
		Log: slog.New(slog.NewTextHandler(&f.log, nil)),
	})
	t.Cleanup(func() {
		_ = out.Close()
		f.peer.Close()
		for range f.got { // until the reader has ended
		}
	})
	return f
}

// next is the next message, which must be a request or notification of that method.
func (f *fake) next(method string) wire {
	f.t.Helper()
	w := await.One(f.t, f.got, method)
	if w.Method != method {
		f.t.Fatalf("got %s %s instead of %s", w.Method, w.Result, method)
	}
	return w
}

// answered is the next message, which must be a response.
func (f *fake) answered() string {
	f.t.Helper()
	w := await.One(f.t, f.got, "an answer")
	if w.Method != "" {
		f.t.Fatalf("got %s instead of an answer", w.Method)
	}
	return string(cmp.Or(string(w.Result), string(w.Error)))
}

// says sends one line.
func (f *fake) says(format string, args ...any) {
	f.peer.Output(fmt.Appendf(nil, format+"\n", args...))
}

// replies answers a request.
func (f *fake) replies(w wire, result string) {
	f.says(`{"id":%s,"result":%s}`, w.ID, result)
}

// refuses answers a request with an error.
func (f *fake) refuses(w wire, why string) {
	f.says(`{"id":%s,"error":{"code":-32600,"message":%q}}`, w.ID, why)
}

// async runs something of the peer's while the test plays codex.
func async[T any](do func() (T, error)) func(t *testing.T) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, err}
	}()
	return func(t *testing.T) (T, error) {
		t.Helper()
		r := await.One(t, done, "the end of a call")
		return r.v, r.err
	}
}

const models = `{"data":[{"model":"big","supportedReasoningEfforts":[{"reasoningEffort":"low"},{"reasoningEffort":"high"}]},{"model":"small","supportedReasoningEfforts":[{"reasoningEffort":"low"}]}]}`

// start plays the beginning of a connection.
func (f *fake) start() error {
	f.t.Helper()
	end := async(func() (struct{}, error) { return struct{}{}, f.peer.Start(f.t.Context()) })
	f.replies(f.next("initialize"), `{"userAgent":"sidecar/0.169.0 (Debian)"}`)
	f.next("initialized")
	f.replies(f.next("account/read"), `{"account":null,"requiresOpenaiAuth":false}`)
	f.replies(f.next("config/read"), `{"config":{"model":"big","approval_policy":null,"sandbox_mode":"read-only","mcp_servers":{"theirs":{"command":"x"}}}}`)
	f.replies(f.next("model/list"), models)
	_, err := end(f.t)
	return err
}

// policies are what a conversation may do, as codex tells it when it opens one.
const policies = `"model":"big","approvalPolicy":"on-request","approvalsReviewer":"user","sandbox":{"type":"readOnly","networkAccess":false}`

// opened starts and opens the conversation "t1".
func opened(t *testing.T, options ...peer.Option) *fake {
	t.Helper()
	f := newFake(t, options...)
	if err := f.start(); err != nil {
		t.Fatal(err)
	}
	end := async(func() (string, error) { return f.peer.Open(t.Context(), peer.Conversation{}) })
	f.replies(f.next("thread/start"), `{"thread":{"id":"t1"},`+policies+`}`)
	if id, err := end(t); id != "t1" || err != nil {
		t.Fatal(id, err)
	}
	return f
}

// prompted begins a turn "u1" in it.
func (f *fake) prompted(on peer.Events) func(*testing.T) (peer.Ending, error) {
	f.t.Helper()
	end := async(func() (peer.Ending, error) {
		return f.peer.Prompt(f.t.Context(), "t1", peer.Message{Text: "hello"}, on)
	})
	f.replies(f.next("turn/start"), `{"turn":{"id":"u1","status":"inProgress"}}`)
	f.says(`{"method":"turn/started","params":{"threadId":"t1","turn":{"id":"u1","status":"inProgress"}}}`)
	return end
}

// notes sends a notification of the turn's; params begin after its ids.
func (f *fake) notes(method, params string) {
	f.says(`{"method":%q,"params":{"threadId":"t1","turnId":"u1",%s}}`, method, params)
}

// completes ends the turn.
func (f *fake) completes(status, more string) {
	f.says(`{"method":"turn/completed","params":{"threadId":"t1","turn":{"id":"u1","status":%q%s}}}`, status, more)
}

// story records what is told, one line each.
type story struct {
	mu     sync.Mutex
	lines  []string
	permit func(context.Context, peer.Action) (peer.Answer, error)
	ask    func(context.Context, peer.Question) (peer.Reply, error)
}

func (s *story) add(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *story) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.lines, "\n")
}

func (s *story) Say(words string)           { s.add("say %q", words) }
func (s *story) Paragraph()                 { s.add("paragraph") }
func (s *story) Part(p a2a.Part)            { s.add("part %s %d", p.MediaType, len(p.Raw)) }
func (s *story) Think(words string)         { s.add("think %q", words) }
func (s *story) Plan(all []peer.PlanEntry)  { s.add("plan %v", all) }
func (s *story) Note(key string, value any) { s.add("note %s %v", key, value) }
func (s *story) Host() peer.Host            { return nil }

func (s *story) Tool(t peer.Tool) {
	line := fmt.Sprintf("tool %s", t.ID)
	for _, f := range []string{string(t.Status), string(t.Kind), t.Name, t.Title, string(t.Input)} {
		if f != "" {
			line += " " + f
		}
	}
	if t.Output != nil {
		line += fmt.Sprintf(" out=%q", t.Output)
	}
	for _, d := range t.Diffs {
		line += " " + diff(d)
	}
	for _, p := range t.Places {
		line += " @" + p.Path
	}
	s.add("%s", line)
}

func diff(d peer.Diff) string {
	if d.Old == nil {
		return fmt.Sprintf("%s:%q", d.Path, d.New)
	}
	return fmt.Sprintf("%s:%q>%q", d.Path, *d.Old, d.New)
}

func (s *story) Usage(u peer.Usage) { s.add("usage %s", usage(u)) }

func usage(u peer.Usage) string {
	if u.Input == nil {
		return "unknown"
	}
	return fmt.Sprintf("%d %d %s", *u.Input, *u.Output, u.Model)
}

func (s *story) Permit(ctx context.Context, a peer.Action) (peer.Answer, error) {
	line := fmt.Sprintf("permit %s %s %s | %s", a.ID, a.Kind, a.Name, a.Title)
	for _, f := range []struct {
		name  string
		value []string
	}{{"command", []string{a.Command}}, {"argv", a.Argv}, {"dir", []string{a.Dir}}, {"reads", a.Reads}, {"writes", a.Writes}, {"hosts", a.Hosts}} {
		if v := strings.Join(f.value, ","); v != "" {
			line += " " + f.name + "=" + v
		}
	}
	for _, d := range a.Diffs {
		line += " " + diff(d)
	}
	if !a.NoAlways {
		line += " always"
	}
	s.add("%s", line)
	return s.permit(ctx, a)
}

func (s *story) Ask(ctx context.Context, q peer.Question) (peer.Reply, error) {
	line := fmt.Sprintf("ask %q", q.Text)
	for _, o := range q.Options {
		line += " " + o.ID
	}
	s.add("%s", line)
	return s.ask(ctx, q)
}

// always answers every permission.
func always(a peer.Answer, err error) func(context.Context, peer.Action) (peer.Answer, error) {
	return func(context.Context, peer.Action) (peer.Answer, error) { return a, err }
}

// until waits for the end of the context.
func until(ctx context.Context, _ peer.Action) (peer.Answer, error) {
	<-ctx.Done()
	return peer.Answer{}, context.Cause(ctx)
}

// expect compares what was told.
func (s *story) expect(t *testing.T, want ...string) {
	t.Helper()
	if got := s.String(); got != strings.Join(want, "\n") {
		t.Errorf("told:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
}
