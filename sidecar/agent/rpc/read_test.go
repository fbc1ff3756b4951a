package rpc_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// TestLinesThatAreTooLong: what a message is stands at one of its ends.
func TestLinesThatAreTooLong(t *testing.T) {
	const limit = 200_000
	long := strings.Repeat("x", limit)
	for _, test := range []struct {
		name, line string
		ends       bool   // the call fails
		answered   string // the id of a request that is refused
	}{
		{"a notification", `{"method":"n","params":"` + long + `"}`, false, ""},
		{"a notification with its method last", `{"params":"` + long + `","method":"n"}`, true, ""}, // it might be any response
		{"a request", `{"jsonrpc":"2.0","id":"r","method":"x","params":"` + long + `"}`, false, `"r"`},
		{"a request with its id last", `{"method":"x","params":"` + long + `","id":77}`, false, "77"},
		{"a response", `{"id":1,"result":"` + long + `"}`, true, ""},
		{"a response with its id last", `{"jsonrpc":"2.0","result":"` + long + `","id":1}`, true, ""},
		{"a response with its id before the version", `{"result":"` + long + `", "id": "1", "jsonrpc": "2.0"}`, true, ""},
		{"the response to another", `{"id":2,"result":"` + long + `"}`, false, ""},
		{"another's with its id last", `{"result":{"id":1,"x":"` + long + `"},"id":2}`, false, ""},
		{"an id in a text", `{"id":2,"result":"` + long + `,\"id\":1}"}`, false, ""},
		{"what has no end in sight", `{"result":"` + long + `"}`, true, ""},
		{"no JSON", long + "y", true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := connect(t, rpc.Options{MaxMessage: limit,
				Request: func(context.Context, string, json.RawMessage) (any, error) { return nil, nil },
				Notice:  func(string, json.RawMessage) { t.Error("a notice was read") }})
			_, end := r.call("go")
			for part := range slices.Chunk([]byte(test.line+"\n"), 7000) {
				r.Output(part)
			}
			if test.answered != "" {
				if m := r.next(); string(m.ID) != test.answered || m.Error == nil || m.Error.Code != rpc.InvalidRequest {
					t.Errorf("answered %+v", m)
				}
			}
			r.says(`{"id":1,"result":"good"}`)
			got := await.One(t, end, "the end of the call")
			if test.ends != (got.err != nil) || test.ends != (got.result == "") {
				t.Errorf("%+v", got)
			}
			if !strings.Contains(r.log.String(), "longer than can be read") {
				t.Error("nothing is logged")
			}
		})
	}
}

func TestLongestMessage(t *testing.T) {
	line := `{"id":1,"result":"xyz"}`
	for _, over := range []int{0, 1} {
		r := connect(t, rpc.Options{MaxMessage: len(line) - over})
		_, end := r.call("go")
		r.says(line)
		if got := await.One(t, end, "the end of the call"); (got.err != nil) != (over == 1) {
			t.Errorf("%d over: %+v", over, got)
		}
	}
}

// TestALineWithoutAnEndIsNotKept: memory stays when a process writes for ever without a newline.
func TestALineWithoutAnEndIsNotKept(t *testing.T) {
	r := connect(t, rpc.Options{MaxMessage: 1 << 20})
	chunk := []byte(strings.Repeat("x", 1<<16))
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 64 << 4 { // 64 MiB
		r.Output(chunk)
	}
	if after := heap(); after > before+2<<20 {
		t.Errorf("%d bytes more", after-before)
	}
	r.says("", `{"id":9,"method":"x"}`)
	if m := r.next(); string(m.ID) != "9" {
		t.Errorf("%+v", m)
	}
}

func TestGarbageIsPassedOver(t *testing.T) {
	var heard []string
	r := connect(t, rpc.Options{Notice: func(method string, _ json.RawMessage) { heard = append(heard, method) }})
	r.says("warning: something", "[]", "null", "5", `"text"`, `{`, `{"a":`, "\x00\xff", "  \t ", "", `[{"method":"batch"}]`, `{}`, `{"id":null,"result":1}`,
		"  "+`{"method":"n"}`+"\r", `{"method":""}`, `{"method":null,"id":5}`, strings.Repeat("[", 100_000))
	if fmt.Sprint(heard) != "[n]" {
		t.Errorf("heard %q", heard)
	}
	if len(r.sent) > 0 {
		t.Errorf("wrote %+v", r.next())
	}
}

// FuzzOutput: no output panics, and where it is cut into chunks changes nothing.
func FuzzOutput(f *testing.F) {
	for _, s := range []string{
		`{"id":1,"result":{"a":1}}` + "\n", `{"method":"n","params":[1]}` + "\n" + `{"id":7,"method":"x"}` + "\n", "garbage\n{}\n",
		`{"id":"1","error":{"code":1}}` + "\n", `{"result":"` + strings.Repeat("y", 300) + `","id":1}` + "\n", "{\"id\":\n", "\n\n\r\n",
	} {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, output []byte, cut int) {
		whole := told(t, output, len(output)+1)
		if parts := told(t, output, max(1, cut%64)); parts != whole {
			t.Errorf("in one piece:\n%s\nin pieces:\n%s", whole, parts)
		}
	})
}

// told returns what a connection makes of an output that comes in chunks.
func told(t *testing.T, output []byte, size int) string {
	t.Helper()
	var b strings.Builder
	c := rpc.New(rpc.Options{Write: io.Discard, MaxMessage: 256, Log: slog.New(slog.DiscardHandler),
		Notice: func(method string, params json.RawMessage) { fmt.Fprintf(&b, "%q %s\n", method, params) }})
	p, err := c.Send("go", nil, func(json.RawMessage) { b.WriteString("response\n") })
	if err != nil {
		t.Fatal(err)
	}
	for part := range slices.Chunk(output, size) {
		c.Output(part)
	}
	c.Close()
	var result json.RawMessage
	fmt.Fprintln(&b, p.Wait(t.Context(), &result), string(result))
	return b.String()
}
