package claude_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/claude"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// deadline is for what must happen.
const deadline = 20 * time.Second

const session = "b2b0d680-83a2-432a-aecd-c710b0ff9f99"

// wire is a message in either direction.
type wire map[string]any

// fake is the process at the other end: it reads what we write, and says what the test wants.
type fake struct {
	t    *testing.T
	peer peer.Peer
	got  chan wire
	in   *io.PipeWriter
}

// start returns a connection to a fake that was started with these flags.
func start(t *testing.T, flags ...string) *fake {
	t.Helper()
	return startWith(t, nil, append([]string{"claude", "--session-id", session}, flags...)...)
}

func startWith(t *testing.T, options []peer.Option, argv ...string) *fake {
	t.Helper()
	r, w := io.Pipe()
	f := &fake{t: t, got: make(chan wire, 64), in: w}
	f.peer = claude.Agent().Stream.Peer(peer.Process{Input: w, Dir: "/work", Argv: argv, Options: options, Log: slog.New(slog.DiscardHandler)})
	var reading sync.WaitGroup
	reading.Go(func() {
		defer close(f.got)
		for lines := bufio.NewReader(r); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			var m wire
			if err := json.Unmarshal(line, &m); err != nil {
				t.Errorf("%s: %v", line, err)
			}
			f.got <- m
		}
	})
	t.Cleanup(func() { f.peer.Close(); r.Close(); reading.Wait() })
	return f
}

// say writes a line as claude would, in two chunks.
func (f *fake) say(v any) {
	f.t.Helper()
	line, isText := v.(string)
	if !isText {
		b, err := json.Marshal(v)
		if err != nil {
			f.t.Fatal(err)
		}
		line = string(b)
	}
	half := len(line) / 2
	f.peer.Output([]byte(line[:half]))
	f.peer.Output([]byte(line[half:] + "\n"))
}

// next returns what was written to claude.
func (f *fake) next() wire {
	f.t.Helper()
	select {
	case m, ok := <-f.got:
		if !ok {
			f.t.Fatal("the connection was closed")
		}
		return m
	case <-time.After(deadline):
		f.t.Fatal("nothing was written")
	}
	return nil
}

// path returns a member of a message by the names that lead to it.
func (m wire) path(names ...string) any {
	var v any = map[string]any(m)
	for _, name := range names {
		object, _ := v.(map[string]any)
		v = object[name]
	}
	return v
}

// request expects a control request of ours.
func (f *fake) request(subtype string) wire {
	f.t.Helper()
	m := f.next()
	if m["type"] != "control_request" || m.path("request", "subtype") != subtype {
		f.t.Fatalf("want the request %s, got %v", subtype, m)
	}
	return m
}

// grant answers a request of ours.
func (f *fake) grant(m wire, response any) {
	f.t.Helper()
	f.say(wire{"type": "control_response", "response": wire{"subtype": "success", "request_id": m["request_id"], "response": response}})
}

func (f *fake) refuse(m wire, why string) {
	f.t.Helper()
	f.say(wire{"type": "control_response", "response": wire{"subtype": "error", "request_id": m["request_id"], "error": why}})
}

// offers is what claude answers to initialize.
func offers() wire {
	return wire{"claude_code_version": "2.1.328", "current_permission_mode": "default", "models": []wire{
		{"value": "default", "supportedEffortLevels": []string{"low", "high"}}, {"value": "haiku"},
	}}
}

// settled has the connection started.
func (f *fake) settled() {
	f.t.Helper()
	started := make(chan error, 1)
	go func() { started <- f.peer.Start(f.t.Context()) }()
	f.grant(f.request("initialize"), offers())
	f.grant(f.request("get_settings"), wire{"applied": wire{"model": "claude-opus", "effort": "high"}})
	if err := await(f.t, started); err != nil {
		f.t.Fatal(err)
	}
}

func await[T any](t *testing.T, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(deadline):
		t.Fatal("it did not happen")
	}
	return v
}

// ended is how Prompt returned.
type ended struct {
	peer.Ending
	err error
}

// prompt begins a turn and expects the message.
func (f *fake) prompt(text string, on peer.Events) (ends chan ended, message wire) {
	f.t.Helper()
	ends = make(chan ended, 1)
	go func() {
		e, err := f.peer.Prompt(f.t.Context(), session, peer.Message{Text: text}, on)
		ends <- ended{e, err}
	}()
	message = f.next()
	if message["type"] != "user" {
		f.t.Fatalf("want a message, got %v", message)
	}
	return ends, message
}

// Events as claude writes them.

func began() wire {
	return wire{"type": "system", "subtype": "init", "session_id": session, "model": "claude-opus", "claude_code_version": "2.1.328"}
}

func messageStart(id string) wire {
	return wire{"type": "stream_event", "parent_tool_use_id": nil, "event": wire{"type": "message_start", "message": wire{"id": id}}}
}

func words(text string) wire {
	return wire{"type": "stream_event", "parent_tool_use_id": nil, "event": wire{"type": "content_block_delta", "delta": wire{"type": "text_delta", "text": text}}}
}

func uses(parent any, id, name string, input any) wire {
	return wire{"type": "assistant", "parent_tool_use_id": parent, "message": wire{"id": "msg-" + id, "content": []wire{{"type": "tool_use", "id": id, "name": name, "input": input}}}}
}

func mayUse(id, use, name string, input any) wire {
	return wire{"type": "control_request", "request_id": id, "request": wire{"subtype": "can_use_tool", "tool_name": name, "tool_use_id": use, "input": input}}
}

func result(more wire) wire {
	m := wire{"type": "result", "subtype": "success", "is_error": false, "terminal_reason": "completed", "result": "", "usage": wire{"input_tokens": 10, "output_tokens": 5}}
	for k, v := range more {
		m[k] = v
	}
	return m
}

// events writes down what it is told.
type events struct {
	mu     sync.Mutex
	told   []string
	permit func(context.Context, peer.Action) (peer.Answer, error)
	asks   func(context.Context, peer.Question) (peer.Reply, error)
}

func (e *events) add(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	line := fmt.Sprintf(format, args...)
	if last := len(e.told) - 1; last >= 0 && strings.HasPrefix(line, "say ") && strings.HasPrefix(e.told[last], "say ") {
		e.told[last] += line[len("say "):]
		return
	}
	e.told = append(e.told, line)
}

func (e *events) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.told, "\n")
}

func (e *events) Say(words string)   { e.add("say %s", words) }
func (e *events) Paragraph()         {}
func (e *events) Part(p a2a.Part)    { e.add("part %v", p) }
func (e *events) Think(words string) { e.add("think %s", words) }
func (e *events) Usage(u peer.Usage) { e.add("usage %v", u) }
func (e *events) Host() peer.Host    { return nil }
func (e *events) Plan(entries []peer.PlanEntry) {
	e.add("plan %+v", entries)
}

func (e *events) Note(key string, value any) {
	b, err := json.Marshal(value)
	e.add("note %s %s%s", key, b, errText(err))
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return " " + err.Error()
}

func (e *events) Tool(t peer.Tool) {
	line := fmt.Sprintf("tool %s %s %s", t.ID, t.Name, t.Status)
	if t.Kind != "" {
		line += " " + string(t.Kind)
	}
	if t.Title != "" {
		line += fmt.Sprintf(" %q", t.Title)
	}
	if t.Output != nil {
		line += fmt.Sprintf(" output=%q", t.Output)
	}
	for _, d := range t.Diffs {
		line += " diff=" + describe(d)
	}
	e.add("%s", line)
}

func describe(d peer.Diff) string {
	if d.Old == nil {
		return fmt.Sprintf("%s: %q", d.Path, d.New)
	}
	return fmt.Sprintf("%s: %q -> %q", d.Path, *d.Old, d.New)
}

var errUnasked = errors.New("the test expects no question")

func (e *events) Permit(ctx context.Context, a peer.Action) (peer.Answer, error) {
	line := fmt.Sprintf("permit %s %s %s %q", a.ID, a.Kind, a.Name, a.Title)
	for name, values := range map[string][]string{"reads": a.Reads, "writes": a.Writes, "hosts": a.Hosts} {
		if values != nil {
			line += fmt.Sprintf(" %s=%q", name, values)
		}
	}
	if a.Command != "" {
		line += fmt.Sprintf(" command=%q", a.Command)
	}
	for _, d := range a.Diffs {
		line += " diff=" + describe(d)
	}
	e.add("%s", line)
	if e.permit == nil {
		return peer.Answer{}, errUnasked
	}
	return e.permit(ctx, a)
}

func (e *events) Ask(ctx context.Context, q peer.Question) (peer.Reply, error) {
	e.add("ask %q %v %v", q.Text, q.Options, q.Several)
	if e.asks == nil {
		return peer.Reply{}, errUnasked
	}
	return e.asks(ctx, q)
}
