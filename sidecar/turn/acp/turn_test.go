package acp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestTurn(t *testing.T) {
	a := newAgent(t)
	a.onPrompt("end_turn", func() {
		a.say("Hel")
		a.say("lo")
		a.update(`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}}`)
		a.update(`{"sessionUpdate":"plan","entries":[{"content":"one","priority":"high","status":"pending"},7,{"content":"two"}]}`)
		a.update(`{"sessionUpdate":"tool_call","toolCallId":"c1","title":"ls","kind":"execute","status":"pending","rawInput":{"command":"ls"}}`)
		a.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"a b"}}]}`)
		a.say("done")
	})
	session := a.open()
	e, on := a.prompt(session, "hello")
	if !e.OK || e.Canceled || e.Reason != "" {
		t.Errorf("%+v", e)
	}
	want := `say Hello
think hm
plan [{one high pending} {two  }]
tool c1 title="ls" kind="execute" status="pending" input="{\"command\":\"ls\"}"
tool c1 status="completed" output="a b"
paragraph
say done
`
	if got := on.text(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if about := a.peer.About(); about.Name != "fake" || about.Version != "1.2" || about.Protocol != "acp 1" || !about.Resumes {
		t.Errorf("%+v", about)
	}
}

func TestCancelWithdrawsWhatIsAsked(t *testing.T) {
	a := newAgent(t)
	asked := make(chan struct{})
	on := &events{permit: func(ctx context.Context, _ peer.Action) (peer.Answer, error) {
		close(asked)
		<-ctx.Done()
		return peer.Answer{}, context.Cause(ctx)
	}}
	var outcome string
	a.onPrompt("cancelled", func() {
		waits := a.ask("session/request_permission", `{"sessionId":"s1","toolCall":{"toolCallId":"c1","title":"rm"},"options":[{"optionId":"y","kind":"allow_once","name":"Yes"}]}`)
		outcome = a.outcome(waits)
		if m := await.One(t, a.heard, "the cancel"); m.Method != "session/cancel" {
			t.Errorf("heard %+v", m)
		}
	})
	session := a.open()
	go func() {
		<-asked
		a.peer.Cancel("another")
		a.peer.Cancel(session)
	}()
	if e := a.promptOn(session, "x", on); !e.Canceled || e.OK || outcome != "cancelled" {
		t.Errorf("%+v, the permission was answered %q", e, outcome)
	}
	a.good(session)
	if len(a.heard) > 0 {
		t.Error("the agent was told to stop twice")
	}
}

func TestAnErrorFailsTheTurn(t *testing.T) {
	a := newAgent(t)
	a.on("session/prompt", func(m message) { a.fail(m, 400, "the model\x1b[2J says no") })
	session := a.open()
	e, _ := a.prompt(session, "x")
	if e.OK || e.Canceled || !strings.Contains(e.Reason, `the model\x1b[2J says no`) {
		t.Errorf("%+v", e)
	}
	a.good(session)
}

func TestCloseEndsATurn(t *testing.T) {
	a := newAgent(t)
	prompted := make(chan struct{})
	a.on("session/prompt", func(message) { close(prompted) })
	session := a.open()
	go func() {
		<-prompted
		a.peer.Close()
	}()
	if _, err := a.peer.Prompt(await.Context(t), session, peer.Message{Text: "x"}, &events{}); !errors.Is(err, peer.ErrClosed) {
		t.Errorf("%v", err)
	}
}
