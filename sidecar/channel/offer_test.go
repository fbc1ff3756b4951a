package channel_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// agent connects a program that takes messages and tool calls.
func agent(t *testing.T, offer channel.Capabilities) (*channel.Conn, *session, *channel.Client) {
	t.Helper()
	s := listen(t)
	o := newSession()
	client := dial(t, s, s.Grant(o).Token(), offer)
	return await.One(t, o.offered, "offer"), o, client
}

func TestDeliver(t *testing.T) {
	want := channel.Delivery{
		TaskID: "t", ContextID: "c", MessageID: "m", Text: "hi",
		Parts:    []a2a.Part{a2a.TextPart("hi"), {Kind: a2a.PartRaw, Raw: []byte{0, 1}, MediaType: "image/png"}},
		Metadata: a2a.Metadata{"k": json.RawMessage(`[1]`)}, Extensions: []string{"urn:x"}, ReferenceTaskIDs: []string{"t0"},
		TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	}
	var got channel.Delivery
	conn, _, _ := agent(t, channel.Capabilities{Name: "bot", OnDeliver: func(_ context.Context, d channel.Delivery) (channel.Delivered, error) {
		got = d
		return channel.Delivered{State: a2a.StateInputRequired, Parts: []a2a.Part{a2a.TextPart("more?")}}, nil
	}})
	if !conn.Messages() || conn.Tools() || conn.Name() != "bot" {
		t.Errorf("offer: %v %v %q", conn.Messages(), conn.Tools(), conn.Name())
	}
	answer, err := deliver(t.Context(), conn, want)
	if err != nil || answer.State != a2a.StateInputRequired || answer.Parts[0].Text != "more?" {
		t.Errorf("got %+v, %v", answer, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, err := callTool(t.Context(), conn, channel.ToolCall{}); !errors.Is(err, channel.ErrNotOffered) {
		t.Errorf("a tool call to who takes none: %v", err)
	}
}

func TestCallTool(t *testing.T) {
	call := channel.ToolCall{Name: "acme.echo", Arguments: json.RawMessage(`{"x":1}`), CallID: "1", TaskID: "t", TraceParent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		Metadata: a2a.Metadata{"k": json.RawMessage(`[1]`)}, Extensions: []string{"urn:x"}}
	result := channel.ToolResult{
		Content: []a2a.Part{
			a2a.TextPart("ok"),
			{Kind: a2a.PartRaw, Raw: []byte{1}, MediaType: "image/png", Filename: "file:///x"},
			{Kind: a2a.PartURL, URL: "https://example.com", Filename: "x"},
			a2a.DataPart(json.RawMessage(`{"type":"future"}`)),
		},
		StructuredContent: json.RawMessage(`{"y":2}`), IsError: true,
	}
	var got channel.ToolCall
	conn, _, _ := agent(t, channel.Capabilities{OnCall: func(_ context.Context, c channel.ToolCall) (channel.ToolResult, error) {
		got = c
		return result, nil
	}})
	back, err := callTool(t.Context(), conn, call)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(call, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(result, back); diff != "" {
		t.Error(diff)
	}
}

// The content types of MCP, as another program writes them.
func TestMCPContent(t *testing.T) {
	s := listen(t)
	o := newSession()
	p := connect(t, s)
	p.initialize(s.Grant(o).Token(), `{"tools":true}`)
	conn := await.One(t, o.offered, "offer")
	type outcome struct {
		r   channel.ToolResult
		err error
	}
	for content, want := range map[string]string{
		`[{"type":"text","text":"a"}]`:                                                       "text:a",
		`[{"type":"image","data":"AAE=","mimeType":"image/png"}]`:                            "raw:0001 (image/png )",
		`[{"type":"resource","resource":{"uri":"file:///a","text":"b"}}]`:                    "text:b ( file:///a)",
		`[{"type":"resource_link","uri":"https://e.com","name":"n","mimeType":"text/html"}]`: "url:https://e.com (text/html n)",
		`[{"type":"hologram","x":1}]`:                                                        `data:{"type":"hologram","x":1}`,
		`[{"type":"image","data":"!"}]`:                                                      "-32602 content[0].data",
		`"text"`:                                                                             "-32602 content",
	} {
		done := make(chan outcome, 1)
		go func() {
			r, err := callTool(t.Context(), conn, channel.ToolCall{Name: "x"})
			done <- outcome{r, err}
		}()
		var request struct{ ID json.RawMessage }
		json.Unmarshal([]byte(p.line()), &request)
		p.send(`{"jsonrpc":"2.0","id":` + string(request.ID) + `,"result":{"content":` + content + `}}`)
		got := await.One(t, done, "result")
		if code, field, bad := strings.Cut(want, " "); bad && code == "-32602" {
			if e := (*channel.Error)(nil); !errors.As(got.err, &e) || e.Field != field {
				t.Errorf("%s: %v", content, got.err)
			}
		} else if got.err != nil || describe(got.r.Content) != want {
			t.Errorf("%s: %q, %v", content, describe(got.r.Content), got.err)
		}
	}
}

func TestCancelReachesTheHandler(t *testing.T) {
	started := make(chan struct{})
	conn, _, _ := agent(t, channel.Capabilities{OnDeliver: func(ctx context.Context, d channel.Delivery) (channel.Delivered, error) {
		close(started)
		<-ctx.Done()
		return channel.Delivered{State: a2a.StateCanceled}, nil
	}})
	done := make(chan channel.Delivered, 1)
	go func() {
		d, _ := deliver(t.Context(), conn, channel.Delivery{TaskID: "t"})
		done <- d
	}()
	await.One(t, started, "delivery")
	conn.Cancel("another")
	conn.Cancel("t")
	if d := await.One(t, done, "answer"); d.State != a2a.StateCanceled {
		t.Errorf("got %+v", d)
	}
}

// An agent whose answers were prompt may take its time with the next one, and ask
// for something meanwhile: it is heard, and hears what else there is.
func TestPromptAgentThatTakesItsTime(t *testing.T) {
	started := make(chan struct{}, 1)
	var client *channel.Client
	conn, o, dialed := agent(t, channel.Capabilities{OnDeliver: func(ctx context.Context, d channel.Delivery) (channel.Delivered, error) {
		switch d.TaskID {
		case "says":
			return channel.Delivered{}, client.Status(ctx, channel.Status{Text: "at it"})
		case "waits":
			started <- struct{}{}
			<-ctx.Done()
			return channel.Delivered{State: a2a.StateCanceled}, nil
		}
		return channel.Delivered{}, nil
	}})
	client = dialed
	prompt := func() {
		t.Helper()
		for _, id := range []string{"a", "says", "b", "says"} {
			if _, err := deliver(t.Context(), conn, channel.Delivery{TaskID: id}); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
	waits := func() *channel.Flight[channel.Delivered] {
		t.Helper()
		f, err := conn.Deliver(channel.Delivery{TaskID: "waits"})
		if err != nil {
			t.Fatal(err)
		}
		await.One(t, started, "delivery")
		return f
	}
	prompt()
	f := waits()
	prompt()
	conn.Cancel("waits")
	await.One(t, f.Done(), "answer")
	if d, err := f.Answer(); err != nil || d.State != a2a.StateCanceled {
		t.Errorf("canceled: %+v, %v", d, err)
	}
	if said := o.take(); len(said) != 4 {
		t.Errorf("the agent said %q", said)
	}
	prompt()
	f = waits()
	conn.Close()
	await.One(t, f.Done(), "end")
	if _, err := f.Answer(); !errors.Is(err, channel.ErrLost) {
		t.Errorf("lost: %v", err)
	}
	await.One(t, client.Lost(), "loss")
}

func TestLostConnectionFailsWhatWasDelivered(t *testing.T) {
	started := make(chan struct{})
	var cause error
	conn, o, client := agent(t, channel.Capabilities{OnDeliver: func(ctx context.Context, d channel.Delivery) (channel.Delivered, error) {
		close(started)
		<-ctx.Done()
		cause = context.Cause(ctx)
		return channel.Delivered{}, cause
	}})
	done := make(chan error, 1)
	go func() {
		_, err := deliver(t.Context(), conn, channel.Delivery{TaskID: "t"})
		done <- err
	}()
	await.One(t, started, "delivery")
	client.Close()
	if err := await.One(t, done, "answer"); !errors.Is(err, channel.ErrLost) {
		t.Errorf("got %v", err)
	}
	if !errors.Is(cause, channel.ErrLost) {
		t.Errorf("the handler ended with %v", cause)
	}
	if lost := await.One(t, o.lost, "loss"); lost != conn {
		t.Error("another connection was lost")
	}
	if _, err := deliver(t.Context(), conn, channel.Delivery{}); !errors.Is(err, channel.ErrLost) {
		t.Errorf("delivered to nobody: %v", err)
	}
}

func TestOneConnectionOffers(t *testing.T) {
	s := listen(t)
	o := newSession()
	g := s.Grant(o)
	offer := channel.Capabilities{OnDeliver: func(context.Context, channel.Delivery) (channel.Delivered, error) {
		return channel.Delivered{}, nil
	}}
	first := dial(t, s, g.Token(), offer)
	await.One(t, o.offered, "offer")
	if _, err := channel.Dial(t.Context(), s.Path(), g.Token(), offer); !errors.Is(err, channel.ErrNotOffered) {
		t.Errorf("a second offer: %v", err)
	}
	dial(t, s, g.Token(), channel.Capabilities{}) // emit, beside it
	first.Close()
	await.One(t, o.lost, "loss")
	dial(t, s, g.Token(), offer)
	await.One(t, o.offered, "offer after the loss")
}

func TestMessageTooLongForTheChannel(t *testing.T) {
	conn, _, _ := agent(t, channel.Capabilities{OnDeliver: func(context.Context, channel.Delivery) (channel.Delivered, error) {
		return channel.Delivered{Parts: []a2a.Part{a2a.TextPart(strings.Repeat("x", 2<<20))}}, nil
	}})
	if _, err := deliver(t.Context(), conn, channel.Delivery{Text: strings.Repeat("x", 2<<20)}); !errors.Is(err, channel.ErrFrame) {
		t.Errorf("a long message: %v", err)
	}
	if _, err := deliver(t.Context(), conn, channel.Delivery{}); !errors.Is(err, channel.ErrFrame) {
		t.Errorf("a long answer: %v", err)
	}
}

// An answer that nobody wants any more makes room for the next request.
func TestForgottenDelivery(t *testing.T) {
	release := make(chan struct{})
	conn, _, _ := agent(t, channel.Capabilities{OnDeliver: func(context.Context, channel.Delivery) (channel.Delivered, error) {
		<-release
		return channel.Delivered{}, nil
	}})
	defer close(release)
	var last *channel.Flight[channel.Delivered]
	for range 64 {
		f, err := conn.Deliver(channel.Delivery{})
		if err != nil {
			t.Fatal(err)
		}
		last = f
	}
	if _, err := conn.Deliver(channel.Delivery{}); !errors.Is(err, channel.ErrBusy) {
		t.Errorf("one too many: %v", err)
	}
	last.Forget()
	if _, err := conn.Deliver(channel.Delivery{}); err != nil {
		t.Errorf("after one was forgotten: %v", err)
	}
}
