package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

func TestContent(t *testing.T) {
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, one(func(r *raw, m message) {
		r.answer(m, strings.ReplaceAll(strings.ReplaceAll(`{"isError":true,"structuredContent":[1.50],"content":[
			{"type":"text","text":"a"},
			{"type":"image","data":"aGk=","mimeType":"image/png"},
			{"type":"audio","data":"aGk=","mimeType":"audio/wav"},
			{"type":"resource_link","uri":"file:///a","name":"n","mimeType":"text/plain"},
			{"type":"resource","resource":{"uri":"u:1","mimeType":"text/x","text":"b"}},
			{"type":"resource","resource":{"uri":"u:2","blob":"aGk="}},
			{"type":"hologram"}]}`, "\n", ""), "\t", ""))
	}))})
	got, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t"})
	want := &client.Result{IsError: true, Structured: json.RawMessage(`[1.50]`), Content: []client.Content{
		{Kind: client.ContentText, Text: "a"},
		{Kind: client.ContentImage, Data: []byte("hi"), MediaType: "image/png"},
		{Kind: client.ContentAudio, Data: []byte("hi"), MediaType: "audio/wav"},
		{Kind: client.ContentLink, URI: "file:///a", Name: "n", MediaType: "text/plain"},
		{Kind: client.ContentResource, URI: "u:1", Text: "b", MediaType: "text/x"},
		{Kind: client.ContentResource, URI: "u:2", Data: []byte("hi")},
		{Kind: client.ContentText, Text: `[content of the kind "hologram", which is not known here, was left out]`},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answered := make(chan struct{}, 1)
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, one(func(r *raw, m message) {
			var p struct {
				Meta struct{ ProgressToken json.RawMessage } `json:"_meta"`
			}
			json.Unmarshal(m.Params, &p)
			for n := 1; n <= 3; n++ {
				r.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":3,"message":"step\u001b %d"}}`, p.Meta.ProgressToken, n, n)
			}
			r.answer(m, ok)
			r.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":4}}`, p.Meta.ProgressToken)
			answered <- struct{}{}
		}))})
		for range 50 { // the first report is heard when the others and the answer are there
			l := &listener{hears: sync.OnceFunc(func() { <-answered })}
			if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t", Listener: l}); err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(l.notes(), "; "); got != "1/3 step 1; 2/3 step 2; 3/3 step 3" {
				t.Fatalf("heard %q", got)
			}
		}
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		called, told := make(chan message, 1), make(chan message, 1)
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
			r.hello("2025-11-25")
			r.list(tool("t"))
			called <- r.await("tools/call")
			m := r.await("notifications/cancelled")
			told <- m
			r.say(`{"jsonrpc":"2.0","id":1,"result":{}}`) // too late
			r.calls(func(m message) { r.answer(m, ok) })
		})})
		why := errors.New("the caller has had enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := r.Call(ctx, client.Call{Server: "x", Tool: "t"})
			done <- err
		}()
		m := <-called
		cancel(why)
		if err := <-done; !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
		if p := string((<-told).Params); !strings.Contains(p, `"requestId":`+string(m.ID)) {
			t.Errorf("the server was told %s", p)
		}
		call(t, r, "t")
	})
}

// TestCancelOfServerThatDoesNotRead holds that the caller waits for nothing, and that the
// server is lost after its limit.
func TestCancelOfServerThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
			r.hello("2025-11-25")
			r.list(tool("t"))
			<-end
		})})
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		if _, err := r.Call(ctx, client.Call{Server: "x", Tool: "t"}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second {
			t.Errorf("got %v after %s", err, time.Since(began))
		}
		time.Sleep(30 * time.Second)
		synctest.Wait()
		if st := state(r); st.State != client.StateBackingOff || !strings.Contains(st.LastError, "does not read") {
			t.Errorf("got %+v", st)
		}
		close(end)
	})
}

// form answers elicitations.
func form(_ context.Context, e client.Elicitation) (client.Elicited, error) {
	return client.Elicited{Action: "accept", Content: json.RawMessage(`{"name":"` + e.Message + `"}`)}, nil
}

// sampled answers sampling.
func sampled(_ context.Context, s client.Sampling) (client.Sampled, error) {
	return client.Sampled{Text: s.Messages[0].Content[0].Text + "!", Model: "m"}, nil
}

// TestQuestions has the SDK's server ask, in the way of each revision.
func TestQuestions(t *testing.T) {
	for _, revisions := range [][]string{{"2025-06-18"}, {"2025-11-25"}} {
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: sdk(t, func() *mcp.Server {
			s := mcp.NewServer(&mcp.Implementation{Name: "asks", Version: "1"}, &mcp.ServerOptions{SupportedProtocolVersions: revisions})
			s.AddTool(&mcp.Tool{Name: "ask", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				e, err := r.Session.Elicit(ctx, &mcp.ElicitParams{Message: "who", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`)})
				if err != nil {
					return nil, err
				}
				//lint:ignore SA1019 servers of older revisions ask for samples
				m, err := r.Session.CreateMessage(ctx, &mcp.CreateMessageParams{MaxTokens: 5, SystemPrompt: "be", Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "hi"}}}})
				if err != nil {
					return nil, err
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(e.Action, e.Content["name"], m.Content.(*mcp.TextContent).Text)}}}, nil
			})
			return s
		})})
		l := &listener{elicit: form, sample: sampled}
		got, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "ask", Listener: l})
		if err != nil || got.Content[0].Text != "acceptwhohi!" {
			t.Fatalf("%v: got %+v, %v; heard %q", revisions, got, err, l.notes())
		}
	}
}

// TestInputRequired asks as since 2026-07-28, in rounds.
func TestInputRequired(t *testing.T) {
	rounds := 0
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
		r.answer(r.next(), `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		r.list(tool("t"))
		r.calls(func(m message) {
			var p struct {
				Arguments, InputResponses map[string]any
				RequestState              string
			}
			json.Unmarshal(m.Params, &p)
			switch rounds++; {
			case rounds == 1:
				r.answer(m, `{"resultType":"input_required","requestState":"s1","inputRequests":{"q":{"method":"elicitation/create","params":{"mode":"url","message":"go","url":"https://a.example/"}},"m":{"method":"sampling/createMessage","params":{"systemPrompt":"be","messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}}}}`)
			case rounds == 2 && p.RequestState == "s1" && p.Arguments["a"] == "b" && fmt.Sprint(p.InputResponses["q"]) == "map[action:accept]":
				r.answer(m, `{"resultType":"input_required"}`)
			case rounds == 3 && p.RequestState == "":
				r.answer(m, `{"resultType":"complete","content":[{"type":"text","text":"done"}]}`)
			default:
				r.answer(m, fmt.Sprintf(`{"resultType":"complete","isError":true,"content":[{"type":"text","text":%q}]}`, m.Params))
			}
		})
	})})
	l := &listener{elicit: form, sample: sampled}
	got, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t", Arguments: json.RawMessage(`{"a":"b"}`), Listener: l})
	if err != nil || got.Content[0].Text != "done" || strings.Join(l.notes(), "; ") != "sample be; elicit go" {
		t.Errorf("got %+v, %v; heard %q", got, err, l.notes())
	}
}

// endless asks for ever, and says what it was answered.
const asks = `{"jsonrpc":"2.0","id":%d,"method":"elicitation/create","params":{"message":"q","requestedSchema":{"type":"object"}}}`

func TestEndlessQuestions(t *testing.T) {
	l := &listener{elicit: form}
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, one(func(r *raw, m message) {
		accepted, declined := 0, 0
		for n := range 100 {
			r.say(asks, 1000+n)
			if strings.Contains(string(r.next().Result), "accept") {
				accepted++
			} else {
				declined++
			}
		}
		r.answer(m, fmt.Sprintf(`{"content":[{"type":"text","text":"%d %d"}]}`, accepted, declined))
	}))})
	got, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t", Listener: l})
	if err != nil || got.Content[0].Text != "32 68" || len(l.notes()) != 32 {
		t.Errorf("got %+v, %v after %d questions", got, err, len(l.notes()))
	}
	r = newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
		r.answer(r.next(), `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		r.list(tool("t"))
		r.calls(func(m message) {
			r.answer(m, `{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"q","requestedSchema":{}}}}}`)
		})
	})})
	l = &listener{elicit: form}
	if _, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t", Listener: l}); !errors.Is(err, client.ErrProtocol) || len(l.notes()) != 16 {
		t.Errorf("got %v after %d questions", err, len(l.notes()))
	}
}

// TestQuestionsAtOnce has a server ask more than it may before it reads an answer, and end a
// question of its own.
func TestQuestionsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, one(func(r *raw, m message) {
			for n := range 20 {
				r.say(asks, n+1000)
			}
			refused := 0
			for range 12 {
				if r.next().Error != nil {
					refused++
				}
			}
			for n := range 8 {
				r.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, n+1000)
			}
			for range 8 {
				r.next()
			}
			r.answer(m, fmt.Sprintf(`{"content":[{"type":"text","text":"%d"}]}`, refused))
		}))})
		l := &listener{elicit: func(ctx context.Context, _ client.Elicitation) (client.Elicited, error) {
			<-ctx.Done()
			return client.Elicited{}, ctx.Err()
		}}
		got, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t", Listener: l})
		if err != nil || got.Content[0].Text != "12" || len(l.notes()) != 8 {
			t.Errorf("got %+v, %v after %d questions", got, err, len(l.notes()))
		}
	})
}

// TestQuestionOfNobody has a server ask while no call runs, while two do, and in a call that
// nobody listens to.
func TestQuestionOfNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &listener{elicit: form}
		declined := make(chan bool, 3)
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
			ask := func() {
				r.say(asks, 1000)
				declined <- strings.Contains(string(r.next().Result), `"decline"`)
			}
			r.hello("2025-11-25")
			r.list(tool("t"))
			ask()
			first, second := r.await("tools/call"), r.await("tools/call")
			ask()
			r.answer(first, ok)
			r.answer(second, ok)
			third := r.await("tools/call")
			ask()
			r.answer(third, ok)
			r.await("never")
		})})
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		done := make(chan error, 2)
		for range 2 {
			go func() {
				_, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t", Listener: l})
				done <- err
			}()
		}
		if err := errors.Join(<-done, <-done); err != nil {
			t.Fatal(err)
		}
		call(t, r, "t")
		for _, when := range []string{"before calls", "in two calls", "without a listener"} {
			if !<-declined {
				t.Errorf("%s: it was not declined", when)
			}
		}
		if len(l.notes()) != 0 {
			t.Errorf("heard %q", l.notes())
		}
	})
}

// TestQuestionOutlivesNoCall ends a call whose question nobody has answered.
func TestQuestionOutlivesNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, one(func(r *raw, m message) {
			r.say(asks, 1000)
			r.answer(m, ok)
		}))})
		ended := false
		l := &listener{elicit: func(ctx context.Context, _ client.Elicitation) (client.Elicited, error) {
			<-ctx.Done()
			ended = true
			return client.Elicited{}, ctx.Err()
		}}
		if _, err := r.Call(t.Context(), client.Call{Server: "x", Tool: "t", Listener: l}); err != nil || !ended && len(l.notes()) > 0 {
			t.Errorf("got %v; the question has ended: %v", err, ended)
		}
	})
}
