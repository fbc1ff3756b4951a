package acp_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/acp"
)

// lies are turns of an agent that does what it must not. After each, a good turn follows.
var lies = []struct {
	name string
	lie  func(a *agent)
	told string // what the client is told nevertheless
}{
	{"updates of no known kind", func(a *agent) {
		a.update(`{"sessionUpdate":"brand_new","x":1}`)
		a.update(`{"sessionUpdate":7}`)
		a.update(`"nothing"`)
		a.update(`{}`)
		a.write(`{"method":"session/update"}`, `{"method":"session/update","params":[1]}`, `{"method":"session/update","params":{"sessionId":"s1"}}`,
			`{"method":"_vendor/news","params":{}}`, `{"method":"session/other"}`, `{"method":"$/cancel_request"}`, `{"method":"$/cancel_request","params":{"requestId":99}}`)
		a.say("after")
	}, "say after\n"},
	{"members of the wrong types", func(a *agent) {
		a.update(`{"sessionUpdate":"agent_message_chunk","content":"words"}`)
		a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":5}}`)
		a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"%%%"}}`)
		a.update(`{"sessionUpdate":"agent_thought_chunk"}`)
		a.update(`{"sessionUpdate":"tool_call","toolCallId":5,"title":{},"kind":[],"status":"?","content":7,"locations":{},"rawInput":null}`)
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","content":[5,{"type":"diff"},{"type":"terminal","terminalId":[]},{"type":"content","content":{"type":"text","text":"kept"}}],"locations":[1,{"path":"/a","line":-3},{"path":"/b","line":"x"}]}`)
		a.update(`{"sessionUpdate":"plan","entries":"none"}`)
		a.update(`{"sessionUpdate":"usage_update","cost":{"amount":"free","currency":"USD"}}`)
		a.update(`{"sessionUpdate":"usage_update","cost":{"amount":-1,"currency":"USD"}}`)
		a.update(`{"sessionUpdate":"config_option_update","configOptions":{"a":1}}`)
	}, "tool  kind=\"other\"\ntool t output=\"kept\" at=/a:0 at=/b:0 diff=:new:\"\"\nplan []\n"},
	{"two requests with one id", func(a *agent) {
		a.write(`{"id":1,"method":"nobody/knows"}`, `{"id":1,"method":"nobody/knows"}`)
		first := a.ask("session/request_permission", `{"sessionId":"s1","toolCall":{},"options":`+three+`}`)
		a.outcome(first)
	}, "tool  status=\"pending\"\n"},
	{"two tools with one id", func(a *agent) {
		a.update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"one"}`)
		a.update(`{"sessionUpdate":"tool_call","toolCallId":"t","title":"two"}`)
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"t","status":"completed"}`)
	}, "tool t title=\"one\"\ntool t title=\"two\"\ntool t status=\"completed\"\n"},
	{"an update of 50 MiB", func(a *agent) {
		a.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("x", 50<<20) + `"}}`)
		a.say("after")
	}, "say after\n"},
	{"another's session", func(a *agent) {
		a.updateIn("s2", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"of another"}}`)
		a.updateIn("", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"of none"}}`)
	}, "\n"},
	{"a response to nothing", func(a *agent) {
		a.write(`{"id":77,"result":{"stopReason":"end_turn"}}`, `{"id":null,"result":{}}`, `{"id":"x","error":{}}`)
		a.say("after")
	}, "say after\n"},
	{"a flood of tools", func(a *agent) {
		for i := range 600 {
			a.update(fmt.Sprintf(`{"sessionUpdate":"tool_call","toolCallId":"t%d","rawInput":{"x":%q}}`, i, strings.Repeat("y", 10_000)))
		}
	}, ""},
}

func TestLies(t *testing.T) {
	for _, test := range lies {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t)
			a.onPrompt("end_turn", func() { test.lie(a) })
			id := a.open()
			e, on := a.prompt(id, "x")
			if !e.OK {
				t.Errorf("%+v", e)
			}
			if got := on.text(); test.told != "" && got != test.told {
				t.Errorf("told %q, not %q", got, test.told)
			}
			a.good(id)
		})
	}
}

// TestTheEndIsTheEnd: what comes after the response is told to nobody, and a second response is nobody's.
func TestTheEndIsTheEnd(t *testing.T) {
	a := newAgent(t)
	for _, first := range []string{`"result":{"stopReason":"end_turn"}`, `"error":{"code":-1,"message":"no"}`} {
		a.on("session/prompt", func(m message) {
			a.say("before")
			response := fmt.Sprintf(`{"id":%s,%s}`, m.ID, first)
			chunk := `{"method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"late"}}}}`
			// In one write, so that it is read while the turn ends.
			_, _ = a.out.Write([]byte(response + "\n" + chunk + "\n" + response + "\n" + chunk + "\n"))
		})
		id := "s1"
		if a.peer.About().Protocol == "" {
			id = a.open()
		}
		on := &events{}
		a.promptOn(id, "x", on)
		on.mu.Lock()
		on.over = true
		on.mu.Unlock()
		if on.text() != "say before\n" {
			t.Errorf("told %q", on.text())
		}
		await.One(t, a.ask("nobody/knows", "{}"), "the end of what is late")
		a.good(id)
	}
}

// TestAnEndThatIsTooLong: the turn fails, and the agent is told to stop what it may go on with.
func TestAnEndThatIsTooLong(t *testing.T) {
	a := newAgent(t)
	a.on("session/prompt", func(m message) {
		a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"stopReason":"end_turn","x":"%s"}}`, m.ID, strings.Repeat("x", 33<<20)))
	})
	id := a.open()
	e, _ := a.prompt(id, "x")
	if e.OK || !strings.Contains(e.Reason, "longer than 33554432 bytes") {
		t.Errorf("%+v", e)
	}
	if m := await.One(t, a.heard, "the cancel"); m.Method != "session/cancel" {
		t.Errorf("heard %+v", m)
	}
	a.good(id)
}

func TestAnErrorWithHugeData(t *testing.T) {
	a := newAgent(t)
	a.on("session/prompt", func(m message) {
		a.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"broken","data":"%s"}}`, m.ID, strings.Repeat("x", 4<<20)))
	})
	id := a.open()
	if e, _ := a.prompt(id, "x"); e.OK || !strings.HasPrefix(e.Reason, "broken: ") || len(e.Reason) > 4<<10 {
		t.Errorf("%d bytes: %.100s", len(e.Reason), e.Reason)
	}
	a.good(id)
}

// TestEndings: what the agent says at the end is what counts.
func TestEndings(t *testing.T) {
	for result, want := range map[string]peer.Ending{
		`{"stopReason":"end_turn"}`:          {OK: true},
		`{"stopReason":"max_tokens"}`:        {OK: true, Reason: "max_tokens"},
		`{"stopReason":"max_turn_requests"}`: {OK: true, Reason: "max_turn_requests"},
		`{"stopReason":"refusal"}`:           {Reason: "the agent refuses to go on"},
		`{"stopReason":"cancelled"}`:         {Canceled: true, Reason: "the agent stopped the turn"},
		`{"stopReason":"end_turn","_meta":{"jetbrains":{"air":{"sessionFailure":{"severity":"error","title":"no credit","details":"ask them"}}}}}`: {Reason: "no credit: ask them"},
		`{"stopReason":"end_turn","_meta":{"jetbrains":{"air":{"sessionFailure":{"severity":"error"}}}}}`:                                          {Reason: "the agent says that the turn has failed, and not why"},
		`{"stopReason":"end_turn","_meta":{"jetbrains":{"air":{"sessionFailure":{"severity":"warning","title":"slow"}}}}}`:                         {OK: true},
		`{"stopReason":"tea_time"}`: {Reason: `the agent has ended the turn for a reason that is not known: "tea_time"`},
		`{}`:                        {Reason: "the agent has ended the turn without saying how"},
		`null`:                      {Reason: "the agent has ended the turn without saying how"},
		`[5]`:                       {Reason: "the agent has ended the turn without saying how"},
	} {
		a := newAgent(t)
		a.on("session/prompt", func(m message) { a.reply(m, result) })
		if e, _ := a.prompt(a.open(), "x"); e != want {
			t.Errorf("%s: %+v", result, e)
		}
	}
}

// TestAFloodOfPermissions: those that are too many are refused, the others are answered, and a cancel ends them.
func TestAFloodOfPermissions(t *testing.T) {
	const flood = 500
	a := newAgent(t)
	open, sent := make(chan struct{}, flood), make(chan struct{})
	on := &events{permit: func(ctx context.Context, _ peer.Action) (peer.Answer, error) {
		open <- struct{}{}
		<-ctx.Done()
		return peer.Answer{}, context.Cause(ctx)
	}}
	a.onPrompt("cancelled", func() {
		var all []<-chan message
		for range flood {
			all = append(all, a.ask("session/request_permission", `{"sessionId":"s1","toolCall":{},"options":`+three+`}`))
		}
		await.One(t, a.ask("nobody/knows", "{}"), "the end of the flood")
		close(sent)
		busy := 0
		for _, waits := range all {
			if m := await.One(t, waits, "an answer"); m.Error != nil && m.Error.Code == rpc.Busy {
				busy++
			}
		}
		if busy != flood-rpc.DefaultMaxRequests {
			t.Errorf("%d were refused", busy)
		}
	})
	id := a.open()
	go func() {
		for range rpc.DefaultMaxRequests {
			<-open
		}
		<-sent
		a.peer.Cancel(id)
	}()
	if e := a.promptOn(id, "x", on); !e.Canceled {
		t.Errorf("%+v", e)
	}
	a.good(id)
}

// TestNeverAnswers: a prompt and a cancel that are not answered end with the process.
func TestNeverAnswers(t *testing.T) {
	a := newAgent(t)
	a.on("session/prompt", func(message) {})
	id := a.open()
	ended := make(chan error, 1)
	ctx, end := context.WithCancelCause(await.Context(t))
	go func() {
		_, err := a.peer.Prompt(ctx, id, peer.Message{Text: "x"}, &events{})
		ended <- err
	}()
	await.True(t, "the turn runs", func() bool { a.peer.Cancel(id); return len(a.heard) > 0 })
	if _, err := a.peer.Prompt(ctx, "s9", peer.Message{Text: "y"}, &events{}); err == nil || !strings.Contains(err.Error(), `works on a message of session "s1"`) {
		t.Errorf("a second prompt: %v", err)
	}
	end(peer.ErrClosed)
	if err := await.One(t, ended, "the prompt"); err != peer.ErrClosed {
		t.Errorf("%v", err)
	}
}

// TestNeverReads: an agent that reads nothing holds up what writes to it; Cancel returns, and Close ends it all.
func TestNeverReads(t *testing.T) {
	in := &deaf{closed: make(chan struct{}), written: make(chan struct{}, 16)}
	p := acp.New(peer.Process{Input: in, Dir: "/", Log: slog.New(slog.DiscardHandler)})
	ended := make(chan error, 2)
	go func() {
		_, err := p.Prompt(context.Background(), "s1", peer.Message{Text: "x"}, &events{})
		ended <- err
	}()
	await.One(t, in.written, "the prompt")
	for range 100 {
		p.Cancel("s1")
	}
	go func() { ended <- p.Start(context.Background()) }()
	p.Close()
	for range 2 {
		if err := await.One(t, ended, "what waited"); err == nil {
			t.Error("no error")
		}
	}
	if _, err := p.Prompt(context.Background(), "s1", peer.Message{Text: "x"}, &events{}); err != peer.ErrClosed {
		t.Errorf("after Close: %v", err)
	}
}

// deaf is the input of a process that does not read.
type deaf struct {
	closed  chan struct{}
	written chan struct{}
}

func (d *deaf) Write([]byte) (int, error) {
	d.written <- struct{}{}
	<-d.closed
	return 0, fmt.Errorf("closed")
}

func (d *deaf) Close() error {
	close(d.closed)
	return nil
}
