package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

func TestAnswerThatIsTooLarge(t *testing.T) {
	const size = 100 << 20
	chunk := []byte(strings.Repeat("x", 1<<20))
	n := 0
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, one(func(r *raw, m message) {
		if n++; n > 2 {
			r.answer(m, ok)
			return
		}
		if n == 1 { // the id first, as some servers write it, or last
			fmt.Fprintf(r.out, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"`, m.ID)
		} else {
			fmt.Fprint(r.out, `{"result":{"content":[{"type":"text","text":"`)
		}
		for range size / len(chunk) {
			r.out.Write(chunk)
		}
		if n == 1 {
			fmt.Fprint(r.out, "\"}]}}\n")
		} else {
			fmt.Fprintf(r.out, `"}]},"jsonrpc":"2.0","id":%s}`+"\n", m.ID)
		}
	}))})
	if err := r.Refresh(await.Context(t)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t"})
		runtime.ReadMemStats(&after)
		if !errors.Is(err, client.ErrTooLarge) || !strings.Contains(err.Error(), "16 MiB") && !strings.Contains(err.Error(), "16MiB") {
			t.Fatalf("got %v", err)
		}
		// All that was allocated, garbage included: a line grows to its limit by doubling.
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 4*client.DefaultMaxMessage {
			t.Errorf("%d MiB were allocated", grown>>20)
		}
	}
	if _, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t"}); err != nil || state(r).Starts != 1 {
		t.Errorf("the server does not go on: %v, %+v", err, state(r))
	}
}

func TestLineThatDoesNotEnd(t *testing.T) {
	r := newRig(t, client.Options{}, client.Server{Slug: "x", MaxMessage: 64 << 10, Dial: program(t, one(func(r *raw, m message) {
		fmt.Fprintf(r.out, `{"jsonrpc":"2.0","id":%s,"result":"`, m.ID)
		for {
			if _, err := io.WriteString(r.out, strings.Repeat("x", 64<<10)); err != nil {
				return
			}
		}
	}))})
	_, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t"})
	if !errors.Is(err, client.ErrLost) || !strings.Contains(err.Error(), "64 times") {
		t.Errorf("got %v", err)
	}
}

// TestNoise has servers do what harms nobody else: a call succeeds all the same.
func TestNoise(t *testing.T) {
	for what, noise := range map[string]func(*raw){
		"lines that are no messages": func(r *raw) {
			r.say("starting …")
			r.say("")
			r.say(`{"level":"info"}`)
			r.say(`{"jsonrpc":"2.0"`)
			r.say("[1,2]")
			r.say("[]")
			r.say("\x00\xff")
		},
		"ids that nobody has": func(r *raw) {
			r.say(`{"jsonrpc":"2.0","id":4711,"result":{}}`)
			r.say(`{"jsonrpc":"2.0","id":"a","result":{}}`)
			r.say(`{"jsonrpc":"2.0","id":null,"result":{}}`)
			r.say(`{"jsonrpc":"2.0","id":{"a":1},"result":{}}`)
			r.say(`{"jsonrpc":"2.0","id":%s1,"result":{}}`, strings.Repeat("1", 1000))
		},
		"requests without sense": func(r *raw) {
			for n, method := range []string{"elicitation/create", "sampling/createMessage", "ping", "roots/list", "no/such", ""} {
				r.say(`{"jsonrpc":"2.0","id":"q%d","method":%q}`, n, method)
				r.say(`{"jsonrpc":"2.0","id":"r%d","method":%q,"params":[]}`, n, method)
				r.say(`{"jsonrpc":"2.0","method":%q,"params":null}`, method)
			}
			for _, method := range []string{"progress", "message", "cancelled", "elicitation/complete", "tools/list_changed", "resources/updated"} {
				r.say(`{"jsonrpc":"2.0","method":"notifications/%s"}`, method)
				r.say(`{"jsonrpc":"2.0","method":"notifications/%s","params":7}`, method)
				r.say(`{"jsonrpc":"2.0","id":1,"method":"notifications/%s","params":{}}`, method)
			}
		},
		"progress of nobody": func(r *raw) {
			for n := range 1000 {
				r.say(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%d,"progress":1e308}}`, n)
			}
		},
	} {
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
			r.hello("2025-03-26")
			r.list(tool("t"))
			for {
				switch m := r.next(); m.Method {
				case "tools/call":
					go func() { noise(r); r.answer(m, ok) }() // it reads on meanwhile
				case "tools/list":
					go r.answer(m, `{"tools":[`+tool("t")+`]}`)
				case "":
					if m.ID == nil {
						return
					}
				}
			}
		})})
		got, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t", Listener: &listener{}})
		if err != nil || got.Content[0].Text != "ok" {
			t.Errorf("%s: got %v, %v", what, got, err)
		}
	}
}

// TestFloods has servers do too much: the connection ends, and says why.
func TestFloods(t *testing.T) {
	for what, c := range map[string]struct {
		serve func(*raw, message)
		want  string
	}{
		"notifications": {func(r *raw, m message) {
			for range 50_000 {
				r.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
			}
		}, "it floods"},
		"answers": {func(r *raw, m message) {
			for range 50_000 {
				r.say(`{"jsonrpc":"2.0","id":99,"result":{}}`)
			}
		}, "it floods"},
		"pings that it does not read": {func(r *raw, m message) {
			for n := range 50_000 {
				r.say(`{"jsonrpc":"2.0","id":"p%d","method":"ping"}`, n)
			}
		}, "faster than it reads"},
		"garbage": {func(r *raw, m message) {
			for range 50_000 {
				r.say("garbage")
			}
		}, "no messages"},
		"the end": {func(r *raw, m message) { r.out.(io.Closer).Close() }, "EOF"},
	} {
		other := client.Server{Slug: "other", Dial: sdk(t, echo)}
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, one(c.serve))}, other)
		_, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t"})
		if !errors.Is(err, client.ErrLost) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", what, err)
		}
		if _, err := r.Call(await.Context(t), client.Call{Server: "other", Tool: "sayBack"}); err != nil {
			t.Errorf("%s: another server: %v", what, err)
		}
	}
}

func TestResultsThatAreNone(t *testing.T) {
	for result, want := range map[string]error{
		`null`: client.ErrProtocol, `7`: client.ErrProtocol, `[]`: client.ErrProtocol,
		`{"content":7}`:                                       client.ErrProtocol,
		`{"content":[7]}`:                                     client.ErrProtocol,
		`{"content":[{"type":"resource"}]}`:                   client.ErrProtocol,
		`{"content":[{"type":"image","data":"?"}]}`:           client.ErrProtocol,
		`{"resultType":"no such"}`:                            client.ErrProtocol,
		`{"resultType":"input_required","inputRequests":7}`:   client.ErrProtocol,
		`{"content":[` + strings.Repeat(`{},`, 5000) + `{}]}`: client.ErrTooLarge,
	} {
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, one(func(r *raw, m message) { r.answer(m, result) }))})
		if got, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t"}); !errors.Is(err, want) {
			t.Errorf("%.60s: got %+v, %v", result, got, err)
		}
	}
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, one(func(r *raw, m message) {
		r.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-5,"message":"bad\u001b[31m\nthing%s"}}`, m.ID, strings.Repeat("x", 10_000))
	}))})
	_, err := r.Call(await.Context(t), client.Call{Server: "x", Tool: "t"})
	if !errors.Is(err, client.ErrProtocol) || !strings.Contains(err.Error(), "error -5: bad") || strings.ContainsAny(err.Error(), "\x1b\n") || len(err.Error()) > 700 {
		t.Errorf("got %.900q", err)
	}
}

func TestListsWithoutEnd(t *testing.T) {
	for what, c := range map[string]struct {
		cursor func(n int) string
		page   int // tools on each
		want   string
		tools  int
	}{
		"a cursor that repeats": {func(int) string { return "same" }, 1, "a cursor came twice", 2},
		"pages without end":     {func(n int) string { return fmt.Sprint(n) }, 0, "1000 pages", 0},
		"tools without end":     {func(n int) string { return fmt.Sprint(n) }, 3000, "10000 tools", 10000},
		"a long cursor":         {func(n int) string { return strings.Repeat("x", 5000+n) }, 1, "cursor has more than", 1},
	} {
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
			r.hello("2025-11-25")
			for n := 0; ; n++ {
				m := r.await("tools/list")
				if m.ID == nil {
					return
				}
				tools := make([]string, c.page)
				for i := range tools {
					tools[i] = tool(fmt.Sprintf("t%d", n*c.page+i))
				}
				r.answer(m, fmt.Sprintf(`{"tools":[%s],"nextCursor":%q}`, strings.Join(tools, ","), c.cursor(n)))
			}
		})})
		if err := r.Refresh(await.Context(t)); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		l := r.Tools()[0]
		if len(l.Tools) != c.tools || len(l.Problems) != 1 || !strings.Contains(l.Problems[0].Error(), c.want) {
			t.Errorf("%s: got %d tools, %q", what, len(l.Tools), l.Problems)
		}
	}
}

// TestCutListIsToldFirst holds that a list's own limit is not lost among the problems of its tools.
func TestCutListIsToldFirst(t *testing.T) {
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
		r.hello("2025-11-25")
		for n := range 2 {
			r.answer(r.await("tools/list"), fmt.Sprintf(`{"tools":[7,%s],"nextCursor":"same"}`, tool(fmt.Sprintf("t%d", n))))
		}
		r.await("the end")
	})})
	if err := r.Refresh(await.Context(t)); err != nil {
		t.Fatal(err)
	}
	if l := r.Tools()[0]; len(l.Problems) != 3 || !strings.Contains(l.Problems[0].Error(), "a cursor came twice") {
		t.Errorf("got %q", l.Problems)
	}
}

// TestEndIsTheReason holds that a server which is gone when it is written to tells why, and not that
// a pipe is broken.
func TestEndIsTheReason(t *testing.T) {
	dial := func(context.Context) (mcp.Transport, error) {
		transport, in, out := pipes()
		in.Close()
		time.AfterFunc(50*time.Millisecond, func() { out.(*io.PipeWriter).CloseWithError(errors.New("its program has ended: exit status 4")) })
		return transport, nil
	}
	r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: dial})
	changed := r.Changed()
	if err := r.Refresh(await.Context(t)); err == nil || !strings.Contains(err.Error(), "exit status 4") {
		t.Errorf("got %v", err)
	}
	await.One(t, changed, "word of the failure")
}

func TestServerThatNeverStopsToChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lists atomic.Int64
		r := newRig(t, client.Options{}, client.Server{Slug: "x", Dial: program(t, func(r *raw) {
			r.hello("2025-11-25")
			for {
				m := r.await("tools/list")
				if m.ID == nil {
					return
				}
				r.answer(m, `{"tools":[`+tool(fmt.Sprintf("t%d", lists.Add(1)))+`]}`)
				for range 50 {
					r.say(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
				}
			}
		})})
		if err := r.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		began := lists.Load()
		time.Sleep(10 * time.Minute)
		if n := lists.Load() - began; n < 20 || n > 26 { // after 1, 2, 4, 8, 16 and then each 30 s
			t.Errorf("it was listed %d times in 10 min", n)
		}
		if lines := r.log.Lines("level=INFO"); len(lines) > 12 {
			t.Errorf("the log has %d lines of it", len(lines))
		}
	})
}

// TestNothingIsLeft holds that all goroutines end with Close, whatever servers do.
func TestNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // it fails if a goroutine is left
		stuck := make(chan struct{}, 1)
		r := client.New(client.Options{})
		r.Set([]client.Server{
			{Slug: "a", Dial: sdk(t, echo)},
			{Slug: "b", Dial: program(t, one(func(_ *raw, m message) { stuck <- struct{}{} }))},
			{Slug: "c", Dial: program(t, func(r *raw) { r.await("never") })},
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := r.Call(t.Context(), client.Call{Server: "b", Tool: "t", Listener: &listener{}})
			done <- err
		}()
		<-stuck
		go func() { done <- r.Refresh(ctx) }()
		time.Sleep(time.Second)
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		r.Close()
		if err := <-done; !errors.Is(err, client.ErrLost) {
			t.Errorf("got %v", err)
		}
		if _, err := r.Call(t.Context(), client.Call{Server: "a", Tool: "sayBack"}); !errors.Is(err, client.ErrUnavailable) {
			t.Errorf("got %v after Close", err)
		}
		if err := r.Set(nil); err == nil {
			t.Error("Set after Close is accepted")
		}
		r.Close()
	})
}
