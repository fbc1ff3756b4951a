package client_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// raw is a server that says, line by line, what a test has it say.
type raw struct {
	in  *bufio.Scanner
	out io.Writer
}

// message is what the client sent.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// program returns a server's Dial: each time, serve plays the program. Its output ends with it.
func program(t *testing.T, serve func(*raw)) func(context.Context) (mcp.Transport, error) {
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	return func(context.Context) (mcp.Transport, error) {
		transport, in, out := pipes()
		wg.Go(func() {
			r := &raw{in: bufio.NewScanner(in), out: out}
			r.in.Buffer(nil, 64<<20)
			serve(r)
			out.Close()
			in.Close()
		})
		return transport, nil
	}
}

// next returns the client's next message; with no method and no id, it has gone.
func (r *raw) next() (m message) {
	if r.in.Scan() {
		_ = json.Unmarshal(r.in.Bytes(), &m)
	}
	return m
}

// await returns the client's next message with a method, and drops others.
func (r *raw) await(method string) message {
	for {
		m := r.next()
		if m.Method == method || m.Method == "" && m.ID == nil {
			return m
		}
	}
}

func (r *raw) say(format string, args ...any) { fmt.Fprintf(r.out, format+"\n", args...) }

func (r *raw) answer(m message, result string) {
	r.say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

// hello shakes hands by an older revision.
func (r *raw) hello(revision string) {
	for {
		m := r.next()
		switch m.Method {
		case "initialize":
			r.answer(m, `{"protocolVersion":"`+revision+`","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"raw","version":"3"}}`)
		case "notifications/initialized", "":
			return
		default:
			r.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, m.ID)
		}
	}
}

// list answers the next tools/list.
func (r *raw) list(tools ...string) {
	r.answer(r.await("tools/list"), `{"tools":[`+strings.Join(tools, ",")+`]}`)
}

// tool is a definition.
func tool(name string) string {
	return fmt.Sprintf(`{"name":%q,"description":"d","inputSchema":{"type":"object"}}`, name)
}

// calls answers each call with what answer says, until the client has gone.
func (r *raw) calls(answer func(message)) {
	for {
		m := r.await("tools/call")
		if m.ID == nil {
			return
		}
		answer(m)
	}
}

// one is a server with one tool, "t", whose calls answer answers.
func one(answer func(*raw, message)) func(*raw) {
	return func(r *raw) {
		r.hello("2025-11-25")
		r.list(tool("t"))
		r.calls(func(m message) { answer(r, m) })
	}
}

const ok = `{"content":[{"type":"text","text":"ok"}]}`
