package opencode_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/opencode"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

func TestWhatTheServerSaysOfItself(t *testing.T) {
	f := startFake(t)
	about := f.connect(peer.Option{Key: "agent", Value: "plan"}).About()
	want := peer.About{Name: "opencode", Version: "1.2.3", Protocol: "opencode server", Resumes: true, Options: []peer.Choice{
		{Key: "model", Name: "Model", Value: "stub/one", Values: []string{"stub/one", "stub/two"}},
		{Key: "agent", Name: "Agent", Value: "plan", Values: []string{"build", "plan"}},
	}}
	if !reflect.DeepEqual(about, want) {
		t.Errorf("got %+v", about)
	}
}

func TestOptionsThatTheServerDoesNotHave(t *testing.T) {
	for _, c := range []struct{ key, value, want string }{
		{"model", "one", `--agent-option model=one: the agent has no such value; it has stub/one, stub/two`},
		{"agent", "title", `--agent-option agent=title: the agent has no such value; it has build, plan`},
		{"mode", "plan", `--agent-option mode=plan: the agent has no option "mode"; it has model, agent`},
	} {
		if _, err := startFake(t).tryConnect(peer.Option{Key: c.key, Value: c.value}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v", c.key, c.value, err)
		}
	}
}

// Whoever is on this machine could use a server without a password.
func TestAServerWithoutAPasswordIsNotUsed(t *testing.T) {
	f := startFake(t)
	f.open = true
	if _, err := f.tryConnect(); err == nil || !strings.Contains(err.Error(), "it asks for no password") {
		t.Error(err)
	}
}

func TestWhereTheServerListens(t *testing.T) {
	for out, want := range map[string]string{
		"opencode server listening on http://0.0.0.0:4096\n":     `it listens on "0.0.0.0:4096", where others can reach it`,
		"opencode server listening on http://example.com:80\n":   "where others can reach it",
		"opencode server listening on https://127.0.0.1:4096\n":  "is no address",
		"opencode server listening on http://a@127.0.0.1:4096\n": "is no address",
		strings.Repeat("noise\n", 10_000):                        "without saying where it listens: noise",
		"Error: no such option\n":                                "it has not said where it listens; its last line: Error: no such option: enough",
	} {
		p := opencode.Agent().Stream.Peer(peer.Process{Log: slog.New(slog.DiscardHandler)})
		p.Output([]byte(out))
		ctx, cancel := context.WithCancelCause(t.Context())
		if strings.HasPrefix(out, "Error") {
			cancel(errors.New("enough"))
		}
		if err := p.Start(ctx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v", out, err)
		}
		cancel(nil)
		p.Close()
	}
}

// A process that ends while it starts ends the start.
func TestTheProcessEndsWhileItStarts(t *testing.T) {
	p := opencode.Agent().Stream.Peer(peer.Process{Log: slog.New(slog.DiscardHandler)})
	done := make(chan error, 1)
	go func() { done <- p.Start(t.Context()) }()
	p.Close()
	if err := await.One(t, done, "the end of the start"); !errors.Is(err, peer.ErrClosed) {
		t.Error(err)
	}
}

// A redirect is not followed: the password would go along.
func TestRedirectsAreNotFollowed(t *testing.T) {
	f := startFake(t)
	f.handle = func(w http.ResponseWriter, r *http.Request, _ string) bool {
		if r.URL.Path == "/agent" {
			http.Redirect(w, r, "/global/health", http.StatusFound)
		}
		return r.URL.Path == "/agent"
	}
	if _, err := f.tryConnect(); err == nil || !strings.Contains(err.Error(), "302 Found") {
		t.Error(err)
	}
}

func TestConversationsAreOpenedAndResumed(t *testing.T) {
	f := startFake(t)
	p := f.connect()
	f.set("/session/ses_known", `{"id":"ses_known"}`)
	for _, c := range []struct{ id, want string }{{"", "ses_1"}, {"ses_known", "ses_known"}, {"ses_unknown", "ses_2"}, {"../config", "ses_3"}} {
		if id, err := p.Open(t.Context(), peer.Conversation{ID: c.id}); err != nil || id != c.want {
			t.Errorf("%q is opened as %q, %v", c.id, id, err)
		}
	}
	id, err := p.Open(t.Context(), peer.Conversation{ID: "ses_known", Tools: &peer.Server{Name: "sidecar", Argv: []string{"sidecar", "mcp"}, Env: []string{"A=b"}}})
	if body := f.posted("/mcp"); err != nil || id != "ses_known" || body != `{"name":"sidecar","config":{"type":"local","command":["sidecar","mcp"],"enabled":true,"timeout":600000,"environment":{"A":"b"}}}` {
		t.Errorf("%q, %v after %s", id, err, body)
	}
	f.set("/session/ses_known", strings.Repeat(" ", 33<<20))
	if _, err := p.Open(t.Context(), peer.Conversation{ID: "ses_known"}); err == nil || !strings.Contains(err.Error(), "longer than 32MiB") {
		t.Error(err)
	}
}
