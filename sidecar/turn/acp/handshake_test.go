package acp_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestWhatIsNoAgent(t *testing.T) {
	for _, test := range []struct {
		name  string
		start func(a *agent, m message)
		want  []string
	}{
		{"an error", func(a *agent, m message) { a.fail(m, -32601, "unknown") }, []string{"no ACP agent", `it answers initialize with the error "unknown"`}},
		{"no version", func(a *agent, m message) { a.reply(m, `{"hello":1}`) }, []string{"no ACP agent", "no protocolVersion"}},
		{"no object", func(a *agent, m message) { a.reply(m, `[1]`) }, []string{"no ACP agent"}},
		{"another version", func(a *agent, m message) { a.reply(m, `{"protocolVersion":2}`) }, []string{"speaks version 2 of ACP; this sidecar speaks version 1"}},
		{"its end", func(a *agent, _ message) { a.write("Usage: thing [options]"); a.peer.Close() }, []string{"has not answered initialize", "Usage: thing", "closed"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := newAgent(t)
			a.on("initialize", func(m message) { test.start(a, m) })
			err := a.peer.Start(await.Context(t))
			for _, want := range test.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
		})
	}
}

func TestOutputThatIsNoMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t)
		a.on("initialize", func(message) { a.write("welcome to \x1b[1mthe shell", "> ") })
		err := a.peer.Start(t.Context())
		if err == nil || !strings.Contains(err.Error(), "no ACP agent") || !strings.Contains(err.Error(), `it first wrote "welcome to`) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%v", err)
		}
	})
}

func TestAWarningMayStandBeforeTheFirstMessage(t *testing.T) {
	a := newAgent(t)
	a.on("initialize", func(m message) {
		a.write("npm warn something")
		a.reply(m, capable)
	})
	a.good(a.open())
}

func TestAnAgentThatNeverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newAgent(t)
		a.on("initialize", func(message) {})
		ctx, end := context.WithTimeout(t.Context(), 1e9)
		defer end()
		if err := a.peer.Start(ctx); err == nil || !strings.Contains(err.Error(), "has not answered initialize") {
			t.Errorf("%v", err)
		}
	})
}

func TestIntroduction(t *testing.T) {
	a := newAgent(t)
	var params string
	a.on("initialize", func(m message) {
		params = string(m.Params)
		a.reply(m, capable)
	})
	if about := a.peer.About(); about.Protocol != "" {
		t.Errorf("%+v before the start", about)
	}
	a.open()
	for _, want := range []string{`"protocolVersion":1`, `"fs":{"readTextFile":true,"writeTextFile":true}`, `"terminal":true`, `"name":"sidecar","version":"9.9"`} {
		if !strings.Contains(params, want) {
			t.Errorf("%s is not in %s", want, params)
		}
	}
}

func TestLoginIsAskedFor(t *testing.T) {
	a := newAgent(t)
	a.on("initialize", func(m message) {
		a.reply(m, `{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[{"id":"web","name":"Log in on the web","description":"by a browser"},
			{"id":"key","name":"Key","type":"env_var","vars":[{"name":"THE_KEY"}]},7]}`)
	})
	a.on("session/new", func(m message) { a.fail(m, -32000, "Authentication required") })
	a.on("session/load", func(m message) { a.fail(m, -32000, "Authentication required") })
	if err := a.peer.Start(await.Context(t)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"", "old"} {
		_, err := a.peer.Open(await.Context(t), peer.Conversation{ID: id})
		for _, want := range []string{"asks for a login", ". It offers: Log in on the web: by a browser; Key (set THE_KEY)", "Authentication required"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%q is not in: %v", want, err)
			}
		}
	}

	a.on("session/new", func(m message) { a.reply(m, `{"sessionId":"s1"}`) })
	a.on("session/prompt", func(m message) { a.fail(m, -32000, "Authentication required") })
	session, err := a.peer.Open(await.Context(t), peer.Conversation{})
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := a.prompt(session, "hello"); e.OK || !strings.Contains(e.Reason, "log in with the agent's own command") {
		t.Errorf("a turn ended with %+v", e)
	}
}
