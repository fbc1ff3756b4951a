package opencode_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// Events of a session, as JSON.

func arrived(session, id string) string {
	return fmt.Sprintf(`{"type":"message.updated","properties":{"sessionID":%q,"info":{"id":%q,"role":"user"}}}`, session, id)
}

func state(session, status string) string {
	return fmt.Sprintf(`{"type":"session.status","properties":{"sessionID":%q,"status":{"type":%q}}}`, session, status)
}

// reply is what is told of a message of the agent's; it has ended if finish is set.
func reply(session, id, finish string) string {
	return fmt.Sprintf(`{"type":"message.updated","properties":{"sessionID":%q,"info":%s}}`, session, replyInfo(id, finish))
}

func replyInfo(id, finish string) string {
	completed := 0
	if finish != "" {
		completed = 1
	}
	return fmt.Sprintf(`{"id":%q,"role":"assistant","finish":%q,"time":{"created":1,"completed":%d}}`, id, finish, completed)
}

func words(session, message, id, kind, text string, end int) string {
	return fmt.Sprintf(`{"type":"message.part.updated","properties":{"sessionID":%q,"part":%s}}`, session, wordsPart(session, message, id, kind, text, end))
}

func wordsPart(session, message, id, kind, text string, end int) string {
	return fmt.Sprintf(`{"id":%q,"sessionID":%q,"messageID":%q,"type":%q,"text":%q,"time":{"start":1,"end":%d}}`, id, session, message, kind, text, end)
}

func more(session, message, id, delta string) string {
	return fmt.Sprintf(`{"type":"message.part.delta","properties":{"sessionID":%q,"messageID":%q,"partID":%q,"field":"text","delta":%q}}`, session, message, id, delta)
}

func asks(session, id, command string) string {
	return fmt.Sprintf(`{"type":"permission.asked","properties":%s}`, request(session, id, command))
}

func request(session, id, command string) string {
	return fmt.Sprintf(`{"id":%q,"sessionID":%q,"permission":"bash","patterns":[],"metadata":{"command":%q},"always":["*"]}`, id, session, command)
}

// begun has the agent begin with an answer.
func (f *fakeServer) begun(session, id string) {
	f.say(arrived(session, id), state(session, "busy"), reply(session, "msg_z1", ""), words(session, "msg_z1", "p1", "text", "", 0))
}

// messages sets what the server has of a session.
func (f *fakeServer) messages(session string, messages ...string) {
	f.set("/session/"+session+"/message", "["+strings.Join(messages, ",")+"]")
}

func message(info string, parts ...string) string {
	return `{"info":` + info + `,"parts":[` + strings.Join(parts, ",") + `]}`
}

const s = "ses_1"

// What was told while the connection was lost is fetched: nothing is lost, nothing comes twice.
func TestAnAnswerOutlivesALostConnection(t *testing.T) {
	t.Run("that ends meanwhile", func(t *testing.T) {
		f, on := startFake(t), &told{}
		p := f.connect()
		await.One(t, f.streams, "the first connection")
		g, id := f.prompted(p, s, "hi", on)
		f.begun(s, id)
		f.say(more(s, "msg_z1", "p1", "one "))
		await.True(t, "the first word", func() bool { return on.said() == "one " })
		f.messages(s, message(`{"id":"msg_0","role":"assistant","finish":"stop"}`, wordsPart(s, "msg_0", "p0", "text", "earlier", 1)),
			message(`{"id":"`+id+`","role":"user"}`, wordsPart(s, id, "pq", "text", "hi", 0)),
			message(replyInfo("msg_z1", "tool-calls"), wordsPart(s, "msg_z1", "p1", "text", "one two", 1)),
			message(replyInfo("msg_z2", "stop"), wordsPart(s, "msg_z2", "p2", "text", "three", 1)))
		f.breakStream()
		if e := g.wait(t); !e.OK || on.said() != "one two\n\nthree" {
			t.Errorf("%s after %q", describe(e), on.said())
		}
	})
	t.Run("that goes on", func(t *testing.T) {
		f, on := startFake(t), &told{}
		p := f.connect()
		await.One(t, f.streams, "the first connection")
		g, id := f.prompted(p, s, "hi", on)
		f.begun(s, id)
		f.say(more(s, "msg_z1", "p1", "one "))
		await.True(t, "the first word", func() bool { return on.said() == "one " })
		// The server has nothing of a text that is being written.
		f.messages(s, message(replyInfo("msg_z1", ""), wordsPart(s, "msg_z1", "p1", "text", "", 0)))
		f.set("/session/status", `{"`+s+`":{"type":"busy"}}`)
		asked := f.asked("/question")
		f.breakStream()
		await.One(t, f.streams, "another connection")
		await.One(t, asked, "what was lost is asked for")
		f.say(more(s, "msg_z1", "p1", "three "), words(s, "msg_z1", "p1", "text", "one two three four", 1),
			words(s, "msg_z1", "p2", "text", "", 0), more(s, "msg_z1", "p2", "five"), reply(s, "msg_z1", "stop"), state(s, "idle"))
		if e := g.wait(t); !e.OK || on.said() != "one two three four\n\nfive" {
			t.Errorf("%s after %q", describe(e), on.said())
		}
	})
}

// asked returns a channel that gets a token when a path is asked for.
func (f *fakeServer) asked(path string) <-chan struct{} {
	asked := make(chan struct{}, 100)
	f.handle = func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.URL.Path == path {
			asked <- struct{}{}
		}
		return false
	}
	return asked
}

// An event that is too long is passed over, and what it told is fetched.
func TestAnEventThatIsTooLong(t *testing.T) {
	f, on := startFake(t), &told{}
	p := f.connect()
	g, id := f.prompted(p, s, "hi", on)
	f.begun(s, id)
	long := strings.Repeat("x", 5<<20)
	f.messages(s, message(replyInfo("msg_z1", "stop"), wordsPart(s, "msg_z1", "p1", "text", long, 1)))
	f.say(more(s, "msg_z1", "p1", "x"), words(s, "msg_z1", "p1", "text", long, 1))
	if e := g.wait(t); !e.OK || on.said() != long {
		t.Errorf("%s after %d bytes", describe(e), len(on.said()))
	}
}

// A client that does not read holds up its own turn only. What is more than waits for it is fetched.
func TestASlowClientHoldsUpNobodyElse(t *testing.T) {
	f := startFake(t)
	p := f.connect()
	free, first := make(chan struct{}), make(chan struct{}, 1)
	slow, quick := &told{slow: func() { first <- struct{}{}; <-free }}, &told{}
	gs, id := f.prompted(p, "ses_slow", "hi", slow)
	f.begun("ses_slow", id)
	f.say(more("ses_slow", "msg_z1", "p1", "a"))
	await.One(t, first, "the first word")
	piece := strings.Repeat("b", 1<<20)
	for range 9 {
		f.say(more("ses_slow", "msg_z1", "p1", piece))
	}
	gq, id := f.prompted(p, "ses_quick", "hi", quick)
	f.begun("ses_quick", id)
	f.say(more("ses_quick", "msg_z1", "p1", "quick"), reply("ses_quick", "msg_z1", "stop"), state("ses_quick", "idle"))
	if e := gq.wait(t); !e.OK || quick.said() != "quick" {
		t.Errorf("%s after %q", describe(e), quick.said())
	}
	whole := "a" + strings.Repeat(piece, 9)
	f.messages("ses_slow", message(replyInfo("msg_z1", "stop"), wordsPart("ses_slow", "msg_z1", "p1", "text", whole, 1)))
	slow.slow = nil
	close(free)
	if e := gs.wait(t); !e.OK || slow.said() != whole {
		t.Errorf("%s after %d bytes", describe(e), len(slow.said()))
	}
}

// A permission that was asked for while the connection was lost is found, and is not asked for twice.
func TestAPermissionOutlivesALostConnection(t *testing.T) {
	f, on := startFake(t), &told{}
	p := f.connect()
	await.One(t, f.streams, "the first connection")
	answered := make(chan struct{})
	on.permit = func(context.Context, peer.Action) (peer.Answer, error) {
		<-answered
		return peer.Answer{Allowed: true}, nil
	}
	g, id := f.prompted(p, s, "hi", on)
	f.begun(s, id)
	f.say(asks(s, "per_1", "first"))
	await.True(t, "the first permission", func() bool { return len(on.asks()) == 1 })
	f.set("/session/status", `{"`+s+`":{"type":"busy"}}`)
	f.set("/permission", "["+request(s, "per_1", "first")+","+request("ses_child", "per_2", "second")+","+request("ses_other", "per_3", "third")+"]")
	f.set("/session/ses_child", `{"id":"ses_child","parentID":"ses_mid"}`)
	f.set("/session/ses_mid", `{"id":"ses_mid","parentID":"`+s+`"}`)
	f.set("/session/ses_other", `{"id":"ses_other"}`)
	f.messages(s)
	f.breakStream()
	await.One(t, f.streams, "another connection")
	await.True(t, "the second permission", func() bool { return len(on.asks()) == 2 })
	close(answered)
	f.posted("/permission/per_2/reply")
	f.say(reply(s, "msg_z1", "stop"), state(s, "idle"))
	if e := g.wait(t); !e.OK || len(on.asks()) != 2 || !strings.Contains(on.asks()[1], "second") {
		t.Errorf("%s after %q", describe(e), on.asks())
	}
}

// What the server does not get because a connection breaks is sent again, if it may be, or was got.
func TestRequestsOverABrokenConnection(t *testing.T) {
	f, on := startFake(t), &told{}
	p := f.connect()
	breaks := map[string]int{"/session/" + s + "/prompt_async": 1, "/permission/per_1/reply": 2}
	f.handle = func(_ http.ResponseWriter, r *http.Request, body string) bool {
		if breaks[r.URL.Path] == 0 {
			return false
		}
		breaks[r.URL.Path]--
		if strings.HasSuffix(r.URL.Path, "/prompt_async") {
			id := body[strings.Index(body, "msg_"):]
			f.set("/session/"+s+"/message/"+id[:strings.IndexByte(id, '"')], `{}`)
			f.posts <- r.URL.Path + " " + body
		}
		panic(http.ErrAbortHandler)
	}
	g, id := f.prompted(p, s, "hi", on)
	f.begun(s, id)
	f.say(asks(s, "per_1", "ls"))
	if body := f.posted("/permission/per_1/reply"); body != `{"reply":"once"}` {
		t.Errorf("answered with %s", body)
	}
	f.say(reply(s, "msg_z1", "stop"), state(s, "idle"))
	if e := g.wait(t); !e.OK {
		t.Error(describe(e))
	}
	// The server did not get this one.
	f.handle = func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if strings.HasSuffix(r.URL.Path, "/prompt_async") {
			panic(http.ErrAbortHandler)
		}
		return false
	}
	if e, err := p.Prompt(await.Context(t), s, peer.Message{Text: "hi"}, on); err == nil || !strings.Contains(err.Error(), "opencode does not take the message") {
		t.Errorf("%s, %v", describe(e), err)
	}
}

// A request that belongs to no turn is answered, however many there are at once: the agent would wait for ever.
func TestEachRequestOfAStrangerIsAnswered(t *testing.T) {
	const many = 40
	f := startFake(t)
	all, looks := make(chan struct{}), make(chan struct{}, many)
	f.handle = func(_ http.ResponseWriter, r *http.Request, _ string) bool {
		if r.URL.Path == "/session/ses_stranger" {
			looks <- struct{}{}
			<-all
		}
		return false
	}
	f.connect()
	open := map[string]bool{}
	for n := range many {
		id := fmt.Sprintf("per_%d", n)
		open["/permission/"+id+"/reply"] = true
		f.say(asks("ses_stranger", id, "ls"))
	}
	for range 16 { // as many as are looked into at once
		await.One(t, looks, "a look at the session")
	}
	close(all)
	for len(open) > 0 {
		path, body, _ := strings.Cut(await.One(t, f.posts, "an answer"), " ")
		if body != `{"reply":"reject"}` {
			t.Errorf("%s was answered with %s", path, body)
		}
		delete(open, path)
	}
}
