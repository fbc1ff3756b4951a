package channel_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// caller executes calls as their tools' names say.
type caller struct {
	running   atomic.Int64
	artifacts []a2a.Artifact // what each call makes
}

var _ channel.Caller = (*caller)(nil)

func (c *caller) CallTool(ctx context.Context, o channel.Owner, call channel.Call, canceled <-chan struct{}) (channel.Called, error) {
	c.running.Add(1)
	defer c.running.Add(-1)
	envelope := `{"type":"output","data":` + string(call.Arguments) + `}`
	switch call.Name {
	case "acme.echo":
		if o, ok := o.(*owner); ok {
			o.note("call %s id=%q timeout=%s batch=%q %q trace=%q", call.Arguments, call.ID, call.Timeout, call.Batch, call.OnFailure, call.TraceParent)
		}
		if call.Arguments == nil {
			envelope = `{"type":"output"}`
		}
	case "acme.steps":
		call.Progress(json.RawMessage(`{"statusUpdate":{}}`))
		envelope = `{"type":"output"}`
	case "acme.ask":
		answered := make(chan string, 1)
		call.Answers(func(_ context.Context, question, answer string) error {
			if question != "q-1" {
				return channel.ErrInvalidParams.With("no such question")
			}
			answered <- answer
			return nil
		})
		call.Progress(json.RawMessage(`{"statusUpdate":{}}`))
		envelope = `{"type":"output","data":"` + <-answered + `"}`
	case "acme.flood":
		for range 100_000 {
			call.Progress(json.RawMessage(`{"statusUpdate":{"text":"` + strings.Repeat("x", 100) + `"}}`))
		}
		envelope = `{"type":"output"}`
	case "acme.wait":
		select {
		case <-canceled:
			envelope = `{"type":"error"}`
		case <-ctx.Done():
			return channel.Called{}, context.Cause(ctx)
		}
	case "acme.busy":
		return channel.Called{}, channel.ErrBusy
	case "acme.broken":
		return channel.Called{}, errors.New("no such luck")
	case "acme.long":
		envelope = `{"data":"` + strings.Repeat("x", channel.MaxFrame) + `"}`
	case "acme.garbage":
		envelope = `{"data":`
	}
	return channel.Called{TaskID: "t-1", Envelope: json.RawMessage(envelope), Artifacts: c.artifacts}, nil
}

// idle expects that all calls end.
func (c *caller) idle(t *testing.T) {
	t.Helper()
	await.True(t, "all calls have ended", func() bool { return c.running.Load() == 0 })
}

func listenCalls(t *testing.T) (*channel.Server, *caller) {
	t.Helper()
	c := &caller{}
	s, err := channel.Listen(channel.Options{
		RuntimeDir: shortDir(t), UID: -1, Caller: c, URL: func() string { return "http://127.0.0.1:8999" },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, c
}

func TestClientCallsTools(t *testing.T) {
	s, c := listenCalls(t)
	client := dial(t, s, s.Grant(&owner{}).Token(), channel.Capabilities{})
	if client.URL() != "http://127.0.0.1:8999" {
		t.Errorf("the sidecar is at %q", client.URL())
	}
	called, err := client.CallTool(t.Context(), channel.Call{Name: "acme.echo", Arguments: json.RawMessage(`{"a":1}`)})
	if err != nil || called.TaskID != "t-1" || string(called.Envelope) != `{"type":"output","data":{"a":1},"_meta":{"taskId":"t-1"}}` {
		t.Errorf("%+v %v", called, err)
	}
	var steps []string
	if _, err = client.CallTool(t.Context(), channel.Call{Name: "acme.steps", Progress: func(e json.RawMessage) { steps = append(steps, string(e)) }}); err != nil || fmt.Sprint(steps) != `[{"statusUpdate":{}}]` {
		t.Errorf("told %s, %v", steps, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("not wanted any more")
	go func() {
		await.True(t, "the call runs", func() bool { return c.running.Load() == 1 })
		cancel(why)
	}()
	if _, err := client.CallTool(ctx, channel.Call{Name: "acme.wait"}); !errors.Is(err, why) {
		t.Errorf("canceled: %v", err)
	}
	c.idle(t)
	long := json.RawMessage(`"` + strings.Repeat("x", channel.MaxFrame) + `"`)
	if _, err := client.CallTool(t.Context(), channel.Call{Name: "acme.echo", Arguments: long}); !errors.Is(err, channel.ErrFrame) || !strings.Contains(err.Error(), "1048576 bytes") {
		t.Errorf("too long: %v", err)
	}
	if _, err := client.CallTool(t.Context(), channel.Call{Name: "acme.echo"}); err != nil {
		t.Errorf("after all that: %v", err)
	}
}

// Without anybody who calls, an agent is not told of an address, and is told why.
func TestNoCalls(t *testing.T) {
	s, err := channel.Listen(channel.Options{RuntimeDir: shortDir(t), UID: -1, URL: func() string { return "http://127.0.0.1:1" }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	client := dial(t, s, s.Grant(&owner{}).Token(), channel.Capabilities{})
	if _, err := client.CallTool(t.Context(), channel.Call{Name: "acme.echo"}); !errors.Is(err, channel.ErrMethod) || client.URL() != "" {
		t.Errorf("%v, at %q", err, client.URL())
	}
}

func call(id int, tool string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, id, tool)
}

// TestTooManyCalls: of ten thousand calls at once 16 run, and the others are told so; other
// requests, and other connections, do not wait for them; and the end of the connection ends
// them all.
func TestTooManyCalls(t *testing.T) {
	s, c := listenCalls(t)
	g := s.Grant(&owner{})
	p := connect(t, s)
	p.initialize(g.Token(), `{}`)
	const many = 10_000
	for i := range many {
		if p.send(call(i, "acme.wait")); i < 16+100 {
			continue // a peer must not leave more than some answers unread
		}
		if line := p.line(); !strings.Contains(line, `"code":-32004`) || !strings.Contains(line, "16 of this connection") {
			t.Fatalf("call %d: %s", i, line)
		}
	}
	p.send(`{"jsonrpc":"2.0","id":"last","method":"task/status","params":{"text":"x"}}`)
	for range 100 {
		p.wants(channel.ErrBusy.Code)
	}
	if line := p.line(); !strings.Contains(line, `"last"`) || c.running.Load() != 16 {
		t.Errorf("%d run, the last answer is %s", c.running.Load(), line)
	}
	other := connect(t, s)
	other.initialize(g.Token(), `{}`)
	other.send(call(1, "acme.echo"))
	if line := other.line(); !strings.Contains(line, `"result"`) {
		t.Errorf("another connection: %s", line)
	}
	p.send(`{"jsonrpc":"2.0","method":"tools/cancel","params":{"id":3}}`)
	if line := p.line(); !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":3,"result":{"type":"error"`) {
		t.Errorf("canceled: %s", line)
	}
	p.send(call(3, "acme.echo"))
	if line := p.line(); !strings.Contains(line, `"result"`) {
		t.Errorf("in its place: %s", line)
	}
	p.Close()
	c.idle(t)
}

// Who makes ten thousand calls and reads nothing is cut off, and nothing of it stays.
func TestCallsAndReadsNothing(t *testing.T) {
	s, c := listenCalls(t)
	g := s.Grant(&owner{})
	p := connect(t, s)
	p.initialize(g.Token(), `{}`)
	for i := range 10_000 {
		p.send(call(i, "acme.wait"))
	}
	c.idle(t)
	if err := g.Drain(await.Context(t)); err != nil {
		t.Error(err)
	}
}

// A call is answered once, at whatever moment it is canceled, how ever often, and by whatever
// id.
func TestCancelAtAnyMoment(t *testing.T) {
	s, c := listenCalls(t)
	p := connect(t, s)
	p.initialize(s.Grant(&owner{}).Token(), `{}`)
	const rounds = 300
	answers := map[int]int{}
	answered := func() {
		var r struct {
			ID    int
			Error struct{ Code int }
		}
		line := p.line()
		if json.Unmarshal([]byte(line), &r) != nil || r.Error.Code == channel.ErrBusy.Code {
			t.Fatalf("answered with %q", line)
		}
		answers[r.ID]++
	}
	for i := range rounds {
		cancel := fmt.Sprintf(`{"jsonrpc":"2.0","method":"tools/cancel","params":{"id":%d}}`, i)
		garbage := `{"jsonrpc":"2.0","method":"tools/cancel","params":{"id":{"a":[null]}}}`
		switch i % 4 {
		case 0:
			p.send(call(i, "acme.wait") + "\n" + cancel + "\n" + cancel)
		case 1:
			p.send(cancel + "\n" + call(i, "acme.echo") + "\n" + cancel)
		case 2:
			p.send(call(i, "acme.wait"))
			p.send(garbage)
			p.send(cancel)
		case 3:
			p.send(call(i, "acme.wait") + "\n" + call(i, "acme.wait") + "\n" + cancel)
			answered()
		}
		answered()
	}
	for i := range rounds {
		if want := 1 + i%4/3; answers[i] != want {
			t.Errorf("%d answers to %d, want %d", answers[i], i, want)
		}
	}
	c.idle(t)
	p.send(call(1, "acme.echo"))
	p.line()
}

// A connection that ends in the middle of calls ends them, and nothing else.
func TestConnectionEndsDuringCalls(t *testing.T) {
	s, c := listenCalls(t)
	g := s.Grant(&owner{})
	stays := connect(t, s)
	stays.initialize(g.Token(), `{}`)
	stays.send(call(1, "acme.wait"))
	var all sync.WaitGroup
	for i := range 50 {
		p := connect(t, s)
		p.initialize(g.Token(), `{}`)
		all.Go(func() {
			for n := range i % 17 {
				p.send(call(n, "acme.wait"))
			}
			p.Close()
		})
	}
	all.Wait()
	await.True(t, "one call is left", func() bool { return c.running.Load() == 1 })
	stays.send(`{"jsonrpc":"2.0","method":"tools/cancel","params":{"id":1}}`)
	if line := stays.line(); !strings.Contains(line, `"result"`) {
		t.Errorf("the other's: %s", line)
	}
	stays.send(call(2, "acme.wait"))
	await.True(t, "it runs", func() bool { return c.running.Load() == 1 })
	g.Revoke()
	c.idle(t)
}

// The progress of a call is left out for a peer that does not read; its answer is not.
func TestProgressIsNotForced(t *testing.T) {
	s, c := listenCalls(t)
	p := connect(t, s)
	p.initialize(s.Grant(&owner{}).Token(), `{}`)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"acme.flood","progress":true}}`)
	await.True(t, "the call runs", func() bool { return c.running.Load() == 1 })
	c.idle(t)
	told := 0
	line := p.line()
	for ; strings.Contains(line, `"tools/progress"`); line = p.line() {
		told++
	}
	if !strings.HasPrefix(line, `{"jsonrpc":"2.0","id":1,"result"`) || told == 0 || told == 100_000 {
		t.Errorf("after %d events: %.100q", told, line)
	}
}

func TestCallIDIsTooLong(t *testing.T) {
	s, _ := listenCalls(t)
	p := connect(t, s)
	p.initialize(s.Grant(&owner{}).Token(), `{}`)
	for n, ok := range map[int]bool{1022: true, 1023: false} { // and its quotes
		p.send(`{"jsonrpc":"2.0","id":"` + strings.Repeat("x", n) + `","method":"tools/call","params":{"name":"acme.echo"}}`)
		if line := p.line(); strings.Contains(line, `"result"`) != ok || !ok && !strings.Contains(line, "at most 1024 bytes") {
			t.Errorf("an id of %d bytes: %.80s…%s", n, line, line[max(0, len(line)-80):])
		}
	}
}
