package acp_test

import (
	"bufio"
	"bytes"
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
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/acp"
)

// message is any message, as the agent of the tests sees it.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	} `json:"error,omitempty"`
}

// agent is an agent of our own, at the other end of two pipes. What a method is answered with is up to the test.
type agent struct {
	t     *testing.T
	peer  peer.Peer
	log   *await.Log
	heard chan message // notifications of the client

	out *io.PipeWriter // read by the Peer
	in  *io.PipeReader // written by the Peer

	mu      sync.Mutex
	answers map[string]func(m message)
	waits   map[string]chan message
	last    int
}

// newAgent starts an agent that initializes and begins sessions s1, s2, …
func newAgent(t *testing.T, options ...peer.Option) *agent {
	t.Helper()
	return newAgentWith(t, func(p *peer.Process) { p.Options = options })
}

// newAgentWith is newAgent, for a process that is described otherwise.
func newAgentWith(t *testing.T, change func(*peer.Process)) *agent {
	t.Helper()
	a := &agent{t: t, log: &await.Log{}, heard: make(chan message, 1024), answers: map[string]func(message){}, waits: map[string]chan message{}}
	theirs, ours := io.Pipe()
	a.in = theirs
	out, write := io.Pipe()
	a.out = write
	p := peer.Process{Input: ours, Dir: "/work", Version: "9.9", Log: slog.New(slog.NewTextHandler(a.log, nil))}
	change(&p)
	a.peer = acp.New(p)
	var pumps sync.WaitGroup
	pumps.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := out.Read(buf)
			a.peer.Output(buf[:n])
			if err != nil {
				return
			}
		}
	})
	pumps.Go(a.read)
	t.Cleanup(func() {
		a.peer.Close()
		_, _ = out.Close(), theirs.Close()
		write.Close()
		pumps.Wait()
	})
	a.on("initialize", func(m message) { a.reply(m, capable) })
	sessions := 0
	a.on("session/new", func(m message) {
		sessions++
		a.reply(m, fmt.Sprintf(`{"sessionId":"s%d"}`, sessions))
	})
	return a
}

// capable is the answer of an agent that can do everything.
const capable = `{"protocolVersion":1,"agentInfo":{"name":"fake","version":"1.2"},"agentCapabilities":{"loadSession":true,
"promptCapabilities":{"image":true,"audio":true,"embeddedContext":true},"sessionCapabilities":{"resume":{}}}}`

// read hears what the client writes.
func (a *agent) read() {
	lines := bufio.NewReaderSize(a.in, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			a.t.Errorf("the client wrote %q: %v", line, err)
			return
		}
		a.mu.Lock()
		do, waits := a.answers[m.Method], a.waits[string(m.ID)]
		a.mu.Unlock()
		switch {
		case m.Method != "" && m.ID != nil && do != nil:
			go do(m)
		case m.Method != "" && m.ID != nil:
			go a.fail(m, -32601, "no such method")
		case m.Method != "":
			a.heard <- m
		case waits != nil:
			waits <- m
		}
	}
}

// on says how a method is answered.
func (a *agent) on(method string, do func(m message)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answers[method] = do
}

// write writes lines.
func (a *agent) write(lines ...string) {
	for _, line := range lines {
		var one bytes.Buffer
		if json.Compact(&one, []byte(line)) != nil {
			one.Reset()
			one.WriteString(line)
		}
		one.WriteByte('\n')
		_, _ = a.out.Write(one.Bytes()) // a client that has gone reads no more
	}
}

func (a *agent) reply(m message, result string) {
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

func (a *agent) fail(m message, code int, text string) {
	words, _ := json.Marshal(text)
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, m.ID, code, words))
}

// update says something in session s1.
func (a *agent) update(u string) { a.updateIn("s1", u) }

func (a *agent) updateIn(session, u string) {
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%q,"update":%s}}`, session, u))
}

// say says words of the answer in session s1.
func (a *agent) say(words string) {
	a.update(fmt.Sprintf(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%q}}`, words))
}

// ask sends a request and returns the channel that gets its response.
func (a *agent) ask(method, params string) <-chan message {
	a.mu.Lock()
	a.last++
	id := fmt.Sprintf(`"a%d"`, a.last)
	waits := make(chan message, 1)
	a.waits[id] = waits
	a.mu.Unlock()
	a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params))
	return waits
}

// outcome returns how a permission was answered: the id of the option, or "cancelled".
func (a *agent) outcome(waits <-chan message) string {
	m := await.One(a.t, waits, "the answer to a permission")
	var r struct {
		Outcome struct{ Outcome, OptionID string } `json:"outcome"`
	}
	if m.Error != nil || json.Unmarshal(m.Result, &r) != nil {
		a.t.Errorf("a permission was answered with %+v", m)
	}
	if r.Outcome.Outcome == "selected" {
		return r.Outcome.OptionID
	}
	return r.Outcome.Outcome
}

// open starts the agent and opens a conversation.
func (a *agent) open() string {
	a.t.Helper()
	ctx := await.Context(a.t)
	if err := a.peer.Start(ctx); err != nil {
		a.t.Fatal(err)
	}
	id, err := a.peer.Open(ctx, peer.Conversation{})
	if err != nil {
		a.t.Fatal(err)
	}
	return id
}

// onPrompt runs do for each prompt and ends the turn with that stop reason.
func (a *agent) onPrompt(stop string, do func()) {
	a.on("session/prompt", func(m message) {
		do()
		a.reply(m, fmt.Sprintf(`{"stopReason":%q}`, stop))
	})
}

// prompt sends a text and returns how the turn ended, and what was told of it.
func (a *agent) prompt(session, words string) (peer.Ending, *events) {
	a.t.Helper()
	on := &events{}
	return a.promptOn(session, words, on), on
}

func (a *agent) promptOn(session, words string, on peer.Events) peer.Ending {
	a.t.Helper()
	e, err := a.peer.Prompt(await.Context(a.t), session, peer.Message{Text: words, Parts: []a2a.Part{a2a.TextPart(words)}}, on)
	if err != nil {
		a.t.Fatalf("%q: %v", words, err)
	}
	return e
}

// good checks that the agent is still good for a turn.
func (a *agent) good(session string) {
	a.t.Helper()
	a.on("session/prompt", func(m message) {
		a.updateIn(session, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"still here"}}`)
		a.reply(m, `{"stopReason":"end_turn"}`)
	})
	if e, on := a.prompt(session, "are you there?"); !e.OK || on.text() != "say still here\n" {
		a.t.Errorf("the next turn ended with %+v and said %q", e, on.text())
	}
}

// events writes down what is told.
type events struct {
	permit func(ctx context.Context, a peer.Action) (peer.Answer, error) // nil: all is allowed once
	host   peer.Host

	mu    sync.Mutex
	lines []string
	asked []peer.Action
	tools []peer.Tool
	parts []a2a.Part
	usage []peer.Usage
	over  bool // nothing may be told any more
}

var _ peer.Events = (*events)(nil)

func (e *events) add(format string, args ...any) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.over {
		panic("told after the end: " + fmt.Sprintf(format, args...))
	}
	e.lines = append(e.lines, fmt.Sprintf(format, args...))
}

// asks returns how much the agent has asked for.
func (e *events) asks() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.asked)
}

// text returns what was told, one line each; words that follow each other are joined.
func (e *events) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var b strings.Builder
	saying := ""
	for _, line := range e.lines {
		kind, rest, _ := strings.Cut(line, " ")
		if (kind == "say" || kind == "think") && kind == saying {
			b.WriteString(rest)
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(line)
		saying = kind
	}
	b.WriteByte('\n')
	return b.String()
}

func (e *events) Say(words string) { e.add("say %s", words) }
func (e *events) Paragraph()       { e.add("paragraph") }
func (e *events) Part(p a2a.Part) {
	e.add("part %d %s %s%s %d bytes", p.Kind, p.MediaType, p.URL, p.Text, len(p.Raw))
	e.mu.Lock()
	defer e.mu.Unlock()
	e.parts = append(e.parts, p)
}
func (e *events) Think(words string) { e.add("think %s", words) }
func (e *events) Plan(entries []peer.PlanEntry) {
	e.add("plan %v", entries)
}

func (e *events) Tool(t peer.Tool) {
	var b strings.Builder
	for _, w := range []struct{ what, is string }{
		{"name", t.Name}, {"title", t.Title}, {"kind", string(t.Kind)}, {"status", string(t.Status)}, {"input", string(t.Input)},
		{"output", string(t.Output)}, {"terminal", t.Terminal},
	} {
		if w.is != "" {
			fmt.Fprintf(&b, " %s=%q", w.what, w.is)
		}
	}
	for _, p := range t.Places {
		fmt.Fprintf(&b, " at=%s:%d", p.Path, p.Line)
	}
	for _, d := range t.Diffs {
		old := "new"
		if d.Old != nil {
			old = fmt.Sprintf("%q", *d.Old)
		}
		fmt.Fprintf(&b, " diff=%s:%s:%q", d.Path, old, d.New)
	}
	e.add("tool %s%s", t.ID, b.String())
	e.mu.Lock()
	defer e.mu.Unlock()
	e.tools = append(e.tools, t)
}

func (e *events) Usage(u peer.Usage) {
	if u.Cost != nil {
		e.add("cost %.6f", *u.Cost)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.usage = append(e.usage, u)
}

func (e *events) Note(key string, value any) { e.add("note %s=%v", key, value) }

func (e *events) Permit(ctx context.Context, a peer.Action) (peer.Answer, error) {
	e.mu.Lock()
	e.asked = append(e.asked, a)
	permit := e.permit
	e.mu.Unlock()
	if permit == nil {
		return peer.Answer{Allowed: true}, nil
	}
	return permit(ctx, a)
}

func (e *events) Ask(context.Context, peer.Question) (peer.Reply, error) {
	return peer.Reply{}, peer.ErrWithdrawn
}

func (e *events) Host() peer.Host { return e.host }
