package rpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

func TestEverythingBeforeAResponseIsHandledBeforeIt(t *testing.T) {
	var heard []string // belongs to the goroutine that calls Output: this one
	r := connect(t, rpc.Options{Notice: func(method string, params json.RawMessage) { heard = append(heard, method+string(params)) }})
	p, err := r.Send("go", map[string]int{"n": 1}, func(result json.RawMessage) { heard = append(heard, "response "+string(result)) })
	if err != nil {
		t.Fatal(err)
	}
	if m := r.next(); m.Method != "go" || string(m.Params) != `{"n":1}` {
		t.Errorf("wrote %+v", m)
	}
	r.says(`{"method":"a","params":[1]}`, `{"jsonrpc":"2.0","method":"b"}`, `{"id":1,"result":{"x":2}}`, `{"method":"c"}`, `{"id":1,"result":{"x":3}}`)
	var got struct{ X int }
	if err := p.Wait(t.Context(), &got); err != nil || got.X != 2 {
		t.Errorf("%+v %v", got, err)
	}
	if s := strings.Join(heard, " "); s != "a[1] b response {\"x\":2} c" {
		t.Errorf("heard %s", s)
	}
}

func TestResponses(t *testing.T) {
	for _, test := range []struct{ name, response, result, fault string }{
		{"a result", `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, `{"a":1}`, ""},
		{"the id as a text", `{"id":"1","result":2}`, "2", ""},
		{"null", `{"id":1,"result":null}`, "null", ""},
		{"a version that is a number", `{"jsonrpc":2,"id":1,"result":3}`, "3", ""},
		{"neither result nor error", `{"id":1}`, "", "the result of go cannot be read: unexpected end of JSON input"},
		{"an error", `{"id":1,"error":{"code":-5,"message":"no","data":{"why":"so"}}}`, "", `no: {"why":"so"}`},
		{"an error of null is none", `{"id":1,"error":null,"result":4}`, "4", ""},
		{"an error that is a text", `{"id":1,"error":"boom"}`, "", "boom"},
		{"an error that is a list", `{"id":1,"error":["boom"]}`, "", `["boom"]`},
		{"an error with a code that is a text", `{"id":1,"error":{"code":"E","message":"boom"}}`, "", "boom"},
		{"an error with a message that is none", `{"id":1,"error":{"code":7,"message":{"a":1}}}`, "", `{"a":1}`},
		{"an error that says nothing", `{"id":1,"error":{"code":7}}`, "", "error 7"},
		{"an error with a terminal's escapes", `{"id":1,"error":{"code":7,"message":"\u001b[2J"}}`, "", `\x1b[2J`},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := connect(t, rpc.Options{})
			_, end := r.call("go")
			r.says(`{"id":2,"result":"another's"}`, `{"id":1.5,"result":0}`, `{"id":{"a":1},"result":0}`, test.response)
			got := await.One(t, end, "the end of the call")
			fault := ""
			if got.err != nil {
				fault = got.err.Error()
			}
			if got.result != test.result || fault != test.fault {
				t.Errorf("%q %q", got.result, fault)
			}
		})
	}
}

func TestAnErrorIsShownShort(t *testing.T) {
	long := &rpc.Error{Message: strings.Repeat("m", 1<<20), Data: json.RawMessage(`"` + strings.Repeat("d", 1<<20) + `"`)}
	if n := len(long.Error()); n > 4<<10 {
		t.Errorf("%d bytes", n)
	}
}

func TestRequestsOfTheProcess(t *testing.T) {
	r := connect(t, rpc.Options{Request: func(_ context.Context, method string, params json.RawMessage) (any, error) {
		switch method {
		case "echo":
			return params, nil
		case "fault":
			return nil, rpc.Errorf(-7, "own %s", "code")
		}
		return nil, errors.New("plain")
	}})
	for _, test := range []struct{ request, id, want string }{
		{`{"id":1,"method":"echo","params":[1]}`, "1", "[1]"},
		{`{"id":"a b","method":"echo","params":[2]}`, `"a b"`, "[2]"},
		{`{"id":123456789012345678901234567890,"method":"echo","params":[3]}`, "123456789012345678901234567890", "[3]"},
		{`{"id":-1.5e300,"method":"echo","params":[4]}`, "-1.5e300", "[4]"},
		{`{"id":{"odd":[true]},"method":"echo","params":[5]}`, `{"odd":[true]}`, "[5]"},
		{`{"id":"","method":"echo","params":[6]}`, `""`, "[6]"},
		{`{"id":0,"method":"fault"}`, "0", "-7 own code"},
		{`{"id":7,"method":"plain"}`, "7", "-32603 plain"},
		{`{"id":8,"method":5}`, "8", "-32603 plain"},
	} {
		r.says(test.request)
		m := r.next()
		got := string(m.Result)
		if m.Error != nil {
			got = fmt.Sprintf("%d %s", m.Error.Code, m.Error.Message)
		}
		if string(m.ID) != test.id || got != test.want {
			t.Errorf("%s: id %s, %s", test.request, m.ID, got)
		}
	}
}

func TestWithoutAHandlerThereAreNoRequests(t *testing.T) {
	r := connect(t, rpc.Options{})
	r.says(`{"id":1,"method":"x"}`, `{"method":"nobody hears it"}`)
	if m := r.next(); m.Error == nil || m.Error.Code != rpc.MethodNotFound {
		t.Errorf("%+v", m)
	}
}

// TestRequestsArriveInOrder, among the notifications.
func TestRequestsArriveInOrder(t *testing.T) {
	var heard []string
	r := connect(t, rpc.Options{
		Request: func(context.Context, string, json.RawMessage) (any, error) { return nil, nil },
		Arrived: func(method string, params json.RawMessage) { heard = append(heard, method+string(params)) },
		Notice:  func(method string, _ json.RawMessage) { heard = append(heard, method) },
	})
	r.says(`{"method":"a"}`, `{"id":1,"method":"b","params":[2]}`, `{"method":"c"}`)
	if s := strings.Join(heard, " "); s != "a b[2] c" {
		t.Errorf("heard %s", s)
	}
}

func TestTwoOpenRequestsWithOneID(t *testing.T) {
	free := make(chan struct{})
	var n atomic.Int32
	r := connect(t, rpc.Options{Request: func(context.Context, string, json.RawMessage) (any, error) {
		n.Add(1)
		<-free
		return "done", nil
	}})
	r.says(`{"id":1,"method":"x"}`, `{"id":1,"method":"x"}`)
	await.True(t, "both run", func() bool { return n.Load() == 2 })
	close(free)
	for range 2 {
		if m := r.next(); string(m.ID) != "1" || string(m.Result) != `"done"` {
			t.Errorf("%+v", m)
		}
	}
}

func TestTooManyRequestsAreRefusedAtOnce(t *testing.T) {
	const limit, flood = 3, 1000
	free := make(chan struct{})
	r := connect(t, rpc.Options{MaxRequests: limit, Request: func(context.Context, string, json.RawMessage) (any, error) {
		<-free
		return nil, nil
	}})
	before := runtime.NumGoroutine()
	for i := range flood {
		r.says(fmt.Sprintf(`{"id":%d,"method":"x"}`, i))
	}
	for range flood - limit {
		if m := r.next(); m.Error == nil || m.Error.Code != rpc.Busy || !strings.Contains(m.Error.Message, "3 open requests") {
			t.Fatalf("%+v", m)
		}
	}
	if n := runtime.NumGoroutine() - before; n > limit {
		t.Errorf("%d goroutines more", n)
	}
	close(free)
	for range limit {
		if m := r.next(); m.Error != nil {
			t.Errorf("%+v", m)
		}
	}
	r.says(`{"id":1,"method":"x"}`)
	if m := r.next(); m.Error != nil {
		t.Errorf("the places do not come back: %+v", m)
	}
}

func TestDefaultLimitOfRequests(t *testing.T) {
	free := make(chan struct{})
	defer close(free)
	r := connect(t, rpc.Options{Request: func(context.Context, string, json.RawMessage) (any, error) {
		<-free
		return nil, nil
	}})
	for i := range rpc.DefaultMaxRequests + 1 {
		r.says(fmt.Sprintf(`{"id":%d,"method":"x"}`, i))
	}
	if m := r.next(); string(m.ID) != fmt.Sprint(rpc.DefaultMaxRequests) || m.Error == nil {
		t.Errorf("%+v", m)
	}
	t.Cleanup(r.Close)
}

func TestARequestIsWithdrawn(t *testing.T) {
	var running sync.WaitGroup
	running.Add(2)
	r := connect(t, rpc.Options{Request: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		running.Done()
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}})
	r.says(`{"id":"q","method":"x"}`, `{"id":2,"method":"x"}`)
	running.Wait()
	r.Withdraw(json.RawMessage(`"nobody's"`))
	r.Withdraw(json.RawMessage(`"q"`))
	if m := r.next(); string(m.ID) != `"q"` || m.Error == nil || m.Error.Message != rpc.ErrWithdrawn.Error() {
		t.Errorf("%+v", m)
	}
	r.Withdraw(json.RawMessage(` 2 `))
	if m := r.next(); string(m.ID) != "2" {
		t.Errorf("%+v", m)
	}
}

func TestCloseInMidCall(t *testing.T) {
	ended := make(chan error, 1)
	r := connect(t, rpc.Options{Request: func(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, ctx.Err()
	}})
	_, end := r.call("go")
	r.says(`{"id":1,"method":"x"}`)
	r.Close()
	if got := await.One(t, end, "the end of the call"); !errors.Is(got.err, rpc.ErrClosed) {
		t.Errorf("%v", got.err)
	}
	if len(ended) != 1 {
		t.Error("Close has not waited for the request")
	}
	r.says(`{"id":1,"result":0}`, `{"id":2,"method":"x"}`)
	if err := r.Call(t.Context(), "go", nil, nil); !errors.Is(err, rpc.ErrClosed) {
		t.Errorf("%v", err)
	}
	r.Close()
}

func TestTheEndOfAContextEndsItsCall(t *testing.T) {
	r := connect(t, rpc.Options{})
	why := errors.New("why")
	ctx, end := context.WithCancelCause(t.Context())
	end(why)
	if err := r.Call(ctx, "go", nil, nil); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	r.says(`{"id":1,"result":0}`) // is nobody's
	if err := r.Notify("bad", func() {}); err == nil || !strings.Contains(err.Error(), "the parameters of bad") {
		t.Errorf("%v", err)
	}
}

// TestAProcessThatNeverReads: what writes to it waits until Close, and nothing else does.
func TestAProcessThatNeverReads(t *testing.T) {
	read, write := io.Pipe()
	defer read.Close()
	heard := make(chan struct{}, 1)
	c := rpc.New(rpc.Options{
		Write: write, MaxRequests: 1, Log: slog.New(slog.DiscardHandler),
		Request: func(context.Context, string, json.RawMessage) (any, error) { return "an answer", nil },
		Notice:  func(string, json.RawMessage) { heard <- struct{}{} },
	})
	ended := make(chan error, 4)
	go func() { ended <- c.Call(context.Background(), "go", nil, nil) }()
	go func() { ended <- c.Notify("go", nil) }()
	c.Output([]byte(`{"id":1,"method":"x"}` + "\n" + `{"method":"n"}` + "\n"))
	await.One(t, heard, "a notification")
	go func() {
		c.Output([]byte(`{"id":2,"method":"x"}` + "\n")) // one too many: the refusal waits, too
		ended <- nil
	}()
	c.Close()
	for range 3 {
		await.One(t, ended, "what waited for the process")
	}
}

func TestBareMessages(t *testing.T) {
	var b strings.Builder
	for _, bare := range []bool{true, false} {
		c := rpc.New(rpc.Options{Write: &b, Bare: bare, Log: slog.New(slog.DiscardHandler)})
		if err := c.Notify("n", nil); err != nil {
			t.Error(err)
		}
		c.Close()
	}
	if b.String() != `{"method":"n"}`+"\n"+`{"jsonrpc":"2.0","method":"n"}`+"\n" {
		t.Errorf("%q", b.String())
	}
}
