package acp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/internal/golden"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/acp"
)

// step is a message of a recording.
type step struct {
	From string
	Msg  message
}

// replay plays the agent's side of a recording. The client's side is ours; what it writes has to be what was
// recorded, in the same places, but for the order of what is written at once.
type replay struct {
	t      *testing.T
	p      peer.Peer
	wire   chan message // what the Peer writes
	out    io.Writer    // what the Peer reads
	ids    map[string]json.RawMessage
	told   bytes.Buffer
	wait   func()
	prompt *events
	asks   int // what the agent has asked for since the prompt
	opened string
}

// TestRecordings plays what real agents have said, and compares what is told of it.
func TestRecordings(t *testing.T) {
	golden.Each(t, "testdata/*.jsonl", 8, func(t *testing.T, file string) {
		r := newReplay(t)
		r.play(steps(t, file))
		golden.Same(t, golden.Beside(file, ".told"), r.told.String())
	})
}

func steps(t *testing.T, file string) (all []step) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(f); ; {
		var s step
		if err := d.Decode(&s); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
}

func newReplay(t *testing.T) *replay {
	r := &replay{t: t, wire: make(chan message, 64), ids: map[string]json.RawMessage{}}
	read, write := io.Pipe()
	agent, out := io.Pipe()
	r.out = out
	r.p = acp.New(peer.Process{Input: write, Dir: "/work", Log: slog.New(slog.DiscardHandler)})
	var pumps sync.WaitGroup
	pumps.Go(func() {
		for lines := bufio.NewScanner(read); lines.Scan(); {
			var m message
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				t.Error(err)
			}
			r.wire <- m
		}
	})
	pumps.Go(func() {
		buf := make([]byte, 1000)
		for {
			n, err := agent.Read(buf)
			r.p.Output(buf[:n])
			if err != nil {
				return
			}
		}
	})
	t.Cleanup(func() {
		r.p.Close()
		_ = out.Close()
		pumps.Wait()
	})
	return r
}

// play goes through the groups of messages that one side sends.
func (r *replay) play(all []step) {
	for len(all) > 0 {
		var group []message
		for len(all) > 0 && all[0].From == "client" {
			group, all = append(group, all[0].Msg), all[1:]
		}
		r.client(group)
		for len(all) > 0 && all[0].From == "agent" {
			m := all[0].Msg
			all = all[1:]
			r.agent(m)
		}
	}
	if r.wait != nil {
		r.wait()
	}
}

// client does what makes the Peer write these messages, and expects them.
func (r *replay) client(group []message) {
	expected := map[string]message{}
	for _, m := range group {
		switch m.Method {
		case "": // the Peer answers by itself
			expected[string(m.ID)] = m
			continue
		case "session/cancel":
			await.True(r.t, "what the agent asks for", func() bool { return r.prompt.asks() >= r.asks })
			r.p.Cancel(r.opened)
		default:
			r.do(m)
		}
		expected[m.Method] = m
	}
	for len(expected) > 0 {
		got := await.One(r.t, r.wire, "what the client writes")
		key := got.Method
		if key == "" {
			key = string(got.ID)
		}
		m, ok := expected[key]
		if !ok {
			r.t.Fatalf("the client writes %s %s, not one of %v", key, got.Params, expected)
		}
		delete(expected, key)
		if got.Method != "" && got.ID != nil {
			r.ids[string(m.ID)] = got.ID
		}
		if got.Method == "" && !same(got.Result, m.Result) {
			r.t.Errorf("request %s is answered with %s, and was with %s", got.ID, got.Result, m.Result)
		}
	}
}

// same reports whether two answers are the same JSON; an empty object is as good as null.
func same(a, b json.RawMessage) bool {
	norm := func(v json.RawMessage) string {
		var any any
		_ = json.Unmarshal(v, &any)
		if s := fmt.Sprint(any); s != "map[]" {
			return s
		}
		return "<nil>"
	}
	return norm(a) == norm(b)
}

// do begins one of our requests.
func (r *replay) do(m message) {
	ended := make(chan string, 1)
	var p struct {
		SessionID string
		Prompt    []struct{ Text string }
	}
	_ = json.Unmarshal(m.Params, &p) // initialize has none of it
	// What the agent said after the end of its turn is read before the next one begins.
	fmt.Fprintln(r.out, `{"id":"sync","method":"nobody/knows"}`)
	if got := await.One(r.t, r.wire, "an answer"); string(got.ID) != `"sync"` {
		r.t.Fatalf("the client writes %+v", got)
	}
	if r.wait != nil {
		r.wait()
	}
	ctx := await.Context(r.t)
	on := &events{host: &host{content: "abc"}, permit: r.permit}
	switch m.Method {
	case "initialize":
		go func() { ended <- fmt.Sprintln("start:", r.p.Start(ctx)) }()
	case "session/prompt":
		r.prompt, r.asks = on, 0
		go func() {
			words := p.Prompt[0].Text
			e, err := r.p.Prompt(ctx, r.opened, peer.Message{Text: words, Parts: []a2a.Part{a2a.TextPart(words)}}, on)
			ended <- fmt.Sprintf("%s%s", on.text(), ending(e, err))
		}()
	default:
		go func() {
			id, err := r.p.Open(ctx, peer.Conversation{ID: p.SessionID})
			r.opened = id
			ended <- fmt.Sprintf("open: %s %v\n", id, err)
		}()
	}
	fmt.Fprintf(&r.told, "-- %s %s\n", m.Method, text(p.Prompt))
	r.wait = func() {
		end := await.One(r.t, ended, "the end of "+m.Method)
		r.told.WriteString(end)
		if strings.HasPrefix(end, "open: ") {
			r.told.WriteString(about(r.p.About()))
		}
		r.wait = nil
		for _, a := range on.asked {
			fmt.Fprintf(&r.told, "asked: %s\n", action(a))
		}
	}
}

func text(blocks []struct{ Text string }) string {
	if len(blocks) == 0 {
		return ""
	}
	return blocks[0].Text
}

// permit decides as the person of the recordings did: the second file is not for the agent.
func (r *replay) permit(ctx context.Context, a peer.Action) (peer.Answer, error) {
	switch words := a.Title + a.Command + strings.Join(a.Argv, " "); {
	case strings.Contains(words, "acp.txt2"), strings.Contains(words, "escalate2"):
		return peer.Answer{}, nil
	case strings.Contains(words, "acp.txt3"), strings.Contains(words, "escalate3"), strings.Contains(words, "acp-spike2"):
		<-ctx.Done()
		return peer.Answer{}, context.Cause(ctx)
	}
	return peer.Answer{Allowed: true}, nil
}

// agent writes a message of the agent's, with our ids.
func (r *replay) agent(m message) {
	if m.Method == "" {
		m.ID = r.ids[string(m.ID)]
	}
	if m.Method == "session/request_permission" {
		r.asks++
	}
	line, err := json.Marshal(m)
	if err != nil {
		r.t.Fatal(err)
	}
	_, _ = r.out.Write(append(line, '\n'))
	if m.Method == "" && m.Error != nil && strings.Contains(r.told.String(), "-- session/load") {
		got := await.One(r.t, r.wire, "a new session")
		if got.Method != "session/new" {
			r.t.Fatalf("the client writes %+v", got)
		}
		fmt.Fprintf(r.out, `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"another"}}`+"\n", got.ID)
	}
}

func ending(e peer.Ending, err error) string {
	s := fmt.Sprintf("ended: ok=%v canceled=%v %q", e.OK, e.Canceled, e.Reason)
	if e.Usage.Input != nil {
		s += fmt.Sprintf(" tokens=%d/%d", *e.Usage.Input, *e.Usage.Output)
	}
	if e.Usage.Cost != nil {
		s += fmt.Sprintf(" cost=%.6f", *e.Usage.Cost)
	}
	if e.Usage.Model != "" {
		s += " model=" + e.Usage.Model
	}
	if err != nil {
		s += fmt.Sprintf(" error=%v", err)
	}
	return s + "\n"
}

func about(a peer.About) string {
	s := fmt.Sprintf("about: %s %s, %s, resumes=%v\n", a.Name, a.Version, a.Protocol, a.Resumes)
	for _, c := range a.Options {
		s += fmt.Sprintf("option %s (%s) = %s of %s\n", c.Key, c.Name, c.Value, strings.Join(c.Values, ", "))
	}
	return s
}

func action(a peer.Action) string {
	diffs := len(a.Diffs)
	a.Diffs, a.Title = nil, ""
	return fmt.Sprintf("%s %s name=%q command=%q argv=%q dir=%q reads=%q writes=%q hosts=%q diffs=%d", a.ID, a.Kind, a.Name, a.Command, a.Argv, a.Dir, a.Reads, a.Writes, a.Hosts, diffs)
}
