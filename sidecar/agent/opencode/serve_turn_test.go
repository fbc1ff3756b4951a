package opencode_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// Only texts of the agent's in this session and after this message are the answer.
func TestWhatTheAnswerIs(t *testing.T) {
	f, on := startFake(t), &told{}
	p := f.connect()
	g, id := f.prompted(p, s, "hi", on)
	f.say(
		// what is left of an earlier turn
		state(s, "idle"), reply(s, "msg_0", "stop"), words(s, "msg_0", "p0", "text", "earlier", 1),
		`{"type":"session.idle","properties":{"sessionID":"`+s+`"}}`,
		arrived(s, id), words(s, id, "pq", "text", "hi", 1), state(s, "busy"),
		reply(s, "msg_z1", ""),
		words(s, "msg_z1", "p1", "reasoning", "", 0), more(s, "msg_z1", "p1", "hm"), words(s, "msg_z1", "p1", "reasoning", "hm", 1),
		words(s, "msg_z1", "p1b", "reasoning", "so", 1),
		words(s, "msg_z1", "p2", "text", "", 0), more(s, "msg_z1", "p2", "one"), words(s, "msg_z1", "p2", "text", "one", 1),
		`{"type":"message.part.updated","properties":{"sessionID":"ses_1","part":{"id":"p3","messageID":"msg_z1","type":"text","text":"not the model's","synthetic":true}}}`,
		`{"type":"message.part.updated","properties":{"sessionID":"ses_1","part":{"id":"p4","messageID":"msg_z1","type":"file","mime":"text/plain","filename":"a.txt","url":"data:text/plain;base64,aGk="}}}`,
		words("ses_2", "msg_z1", "p5", "text", "another session's", 1),
		reply(s, "msg_z1", "tool-calls"),
		// opencode sums up what was said, and goes on with a message that it makes
		`{"type":"message.updated","properties":{"sessionID":"ses_1","info":{"id":"msg_z2","role":"assistant","summary":true,"finish":"stop","time":{"completed":1}}}}`,
		words(s, "msg_z2", "p6", "text", "a summary", 1),
		arrived(s, "msg_z3"), words(s, "msg_z3", "p7", "text", "go on", 1),
		reply(s, "msg_z4", ""), words(s, "msg_z4", "p8", "text", "two", 1), reply(s, "msg_z4", "length"),
		"no JSON", `{"type":"unknown.event","properties":{"sessionID":"ses_1"}}`, `{"type":"message.updated","properties":{"sessionID":7}}`,
		state(s, "idle"), words(s, "msg_z4", "p9", "text", "late", 1))
	e := g.wait(t)
	if !e.OK || e.Reason != "max_tokens" || on.said() != "one\n\ntwo" {
		t.Errorf("%s after %q", describe(e), on.said())
	}
	if got := strings.Join(on.lines, "; "); got != `think "hm"; think "\n\nso"; say "one"; part text/plain a.txt "hi"; paragraph; say "two"` {
		t.Error(got)
	}
}

// Two conversations never mix, though their events come by one connection.
func TestConversationsDoNotMix(t *testing.T) {
	f := startFake(t)
	p := f.connect()
	a, b := &told{}, &told{}
	ga, ia := f.prompted(p, "ses_a", "hi", a)
	gb, ib := f.prompted(p, "ses_b", "hi", b)
	f.begun("ses_a", ia)
	f.begun("ses_b", ib)
	for i := range 50 {
		f.say(more("ses_a", "msg_z1", "p1", fmt.Sprint("a", i)), more("ses_b", "msg_z1", "p1", fmt.Sprint("b", i)))
	}
	f.say(reply("ses_b", "msg_z1", "stop"), state("ses_b", "idle"))
	if e := gb.wait(t); !e.OK || strings.Contains(b.said(), "a") {
		t.Errorf("%s after %q", describe(e), b.said())
	}
	f.say(reply("ses_a", "msg_z1", "stop"), state("ses_a", "idle"))
	if e := ga.wait(t); !e.OK || strings.Contains(a.said(), "b") || !strings.HasSuffix(a.said(), "a49") {
		t.Errorf("%s after %q", describe(e), a.said())
	}
}

// The agent may be told to stop before it has begun: it is told again.
func TestStoppedBeforeItBegins(t *testing.T) {
	f, on := startFake(t), &told{}
	p := f.connect()
	g, id := f.prompted(p, s, "hi", on)
	p.Cancel(s)
	p.Cancel(s)
	p.Cancel("ses_other")
	f.posted("/session/" + s + "/abort")
	f.begun(s, id)
	f.set("/session/status", `{"`+s+`":{"type":"busy"}}`)
	f.messages(s)
	f.posted("/session/" + s + "/abort")
	f.set("/session/status", `{}`)
	f.say(`{"type":"session.error","properties":{"sessionID":"ses_1","error":{"name":"MessageAbortedError"}}}`, state(s, "idle"))
	if e := g.wait(t); !e.Canceled || e.OK {
		t.Error(describe(e))
	}
}

// An error can come without a beginning and without an end.
func TestAnErrorBeforeTheTurnBegins(t *testing.T) {
	f, on := startFake(t), &told{}
	p := f.connect()
	f.messages(s)
	g, _ := f.prompted(p, s, "hi", on)
	f.say(`{"type":"session.error","properties":{"sessionID":"ses_1","error":{"name":"UnknownError","data":{"message":"Agent not found\n  at code"}}}}`)
	if e := g.wait(t); e.OK || e.Canceled || e.Reason != "Agent not found" {
		t.Error(describe(e))
	}
}

// What opencode rejects by itself after one rejection, or somebody else has answered, is withdrawn.
func TestAPermissionThatIsAnsweredElsewhere(t *testing.T) {
	f, on := startFake(t), &told{}
	p := f.connect()
	withdrawn := make(chan error, 1)
	on.permit = func(ctx context.Context, _ peer.Action) (peer.Answer, error) {
		<-ctx.Done()
		withdrawn <- context.Cause(ctx)
		return peer.Answer{}, context.Cause(ctx)
	}
	g, id := f.prompted(p, s, "hi", on)
	f.begun(s, id)
	f.say(asks(s, "per_1", "ls"), `{"type":"permission.replied","properties":{"sessionID":"ses_1","requestID":"per_1","reply":"reject"}}`)
	if err := await.One(t, withdrawn, "the withdrawal"); !errors.Is(err, peer.ErrWithdrawn) {
		t.Error(err)
	}
	f.say(reply(s, "msg_z1", "tool-calls"), state(s, "idle"))
	g.wait(t)
}

// Each request is answered: what belongs to a subagent whose beginning was missed, what belongs to nobody, what is too
// much, and what is left when the turn ends.
func TestEveryRequestIsAnswered(t *testing.T) {
	f, on := startFake(t), &told{}
	p := f.connect()
	f.set("/session/ses_child", `{"id":"ses_child","parentID":"ses_1"}`)
	g, id := f.prompted(p, s, "hi", on)
	f.begun(s, id)
	f.say(asks("ses_child", "per_1", "ls"), asks("ses_lost", "per_2", "ls"))
	got := []string{await.One(t, f.posts, "a reply"), await.One(t, f.posts, "a reply")}
	if all := strings.Join(got, ", "); !strings.Contains(all, `/permission/per_1/reply {"reply":"once"}`) || !strings.Contains(all, `/permission/per_2/reply {"reply":"reject"}`) {
		t.Error(all)
	}
	asked := make(chan struct{}, 65)
	on.permit = func(ctx context.Context, _ peer.Action) (peer.Answer, error) {
		asked <- struct{}{}
		<-ctx.Done()
		return peer.Answer{}, peer.ErrWithdrawn
	}
	for i := range 65 {
		f.say(asks(s, fmt.Sprintf("per_many%d", i), "ls"))
	}
	refused := 0 // more than one if the first two have not given their places back yet
	for range 65 {
		select {
		case <-asked:
		case post := <-f.posts:
			if refused++; !strings.HasSuffix(post, ` {"reply":"reject"}`) {
				t.Fatalf("one too many is answered %s", post)
			}
		case <-await.Context(t).Done():
			t.Fatal("waited too long: a permission is neither asked for nor refused")
		}
	}
	if refused == 0 {
		t.Error("none was refused while 64 may be open")
	}
	if refused > 3 {
		t.Errorf("%d were refused while 64 may be open", refused)
	}
	f.say(reply(s, "msg_z1", "stop"), state(s, "idle"))
	if e := g.wait(t); !e.OK {
		t.Error(describe(e))
	}
	for range 65 - refused {
		if reply := await.One(t, f.posts, "a reply"); !strings.HasSuffix(reply, `{"reply":"reject"}`) {
			t.Error(reply)
		}
	}
	f.say(asks(s, "per_late", "ls"))
	f.set("/session/"+s, `{"id":"ses_1"}`)
	if body := f.posted("/permission/per_late/reply"); body != `{"reply":"reject"}` {
		t.Errorf("what comes after the turn is answered %s", body)
	}
}

// The end of the process, and of its context, is the end of a turn.
func TestTheEndOfTheProcess(t *testing.T) {
	f, on := startFake(t), &told{}
	p := f.connect()
	g, id := f.prompted(p, s, "hi", on)
	f.begun(s, id)
	p.Close()
	await.One(t, g.done, "the end of the turn")
	if !errors.Is(g.err, peer.ErrClosed) {
		t.Error(g.err)
	}
	if _, err := p.Prompt(t.Context(), s, peer.Message{}, on); !errors.Is(err, peer.ErrClosed) {
		t.Error(err)
	}
	f = startFake(t)
	p = f.connect()
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("it is gone")
	cancel(gone)
	if _, err := p.Prompt(ctx, s, peer.Message{}, on); !errors.Is(err, gone) {
		t.Error(err)
	}
}

// Images go as files if the model sees them; other files are named in the words.
func TestFilesOfAMessage(t *testing.T) {
	for _, c := range []struct{ model, want string }{
		{"stub/one", `[{"type":"text","text":"see"},{"type":"file","mime":"image/png","filename":"a b.png","url":"file:///tmp/a%20b.png"}]`},
		{"stub/two", `[{"type":"text","text":"see"}]`},
	} {
		f := startFake(t)
		p := f.connect(peer.Option{Key: "model", Value: c.model})
		go p.Prompt(t.Context(), s, peer.Message{Text: "see", Parts: []a2a.Part{
			a2a.TextPart("see"), {Kind: a2a.PartRaw, MediaType: "image/png; x=1"}, {Kind: a2a.PartRaw, MediaType: "application/pdf"}, {Kind: a2a.PartRaw, MediaType: "application/zip"},
		}, Files: map[int]string{1: "/tmp/a b.png", 2: "/tmp/b.pdf", 3: "/tmp/c.zip"}}, &told{})
		if body := f.posted("/session/" + s + "/prompt_async"); !strings.Contains(body, `"parts":`+c.want) || !strings.Contains(body, `"providerID":"stub"`) {
			t.Errorf("%s gets %s", c.model, body)
		}
	}
}
