package auth_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/auth"
)

// following runs what follows files until the test ends.
func following(t testing.TB, run func(context.Context)) {
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); run(ctx) }()
	t.Cleanup(func() { stop(); <-done })
}

// replace writes a file as an editor does: beside it, then renamed.
func replace(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// openTokens follows a token file with that text.
func openTokens(t testing.TB, text string) (tokens *auth.Tokens, path string, log *await.Log) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tokens")
	replace(t, path, text)
	log = &await.Log{}
	tokens, err := auth.OpenTokens(path, log.Logger())
	if err != nil {
		t.Fatal(err)
	}
	following(t, tokens.Run)
	return tokens, path, log
}

// guarded is a server of f that lets in who has one of the tokens.
func guarded(t testing.TB, f *a2atest.Fake, tokens *auth.Tokens) string {
	t.Helper()
	by := auth.Credentials{Tokens: tokens}
	f.AgentCard.Security, f.AgentCard.Extended = by.Security(), true
	url := a2atest.Serve(t, server.New(server.Options{
		Handler: f, Authenticate: by.Authenticate, Heartbeat: 20 * time.Millisecond,
		Metrics: func() []byte { return []byte("m 1\n") },
	}).HTTPServer())
	return url
}

// waysIn are the ways in, over every binding and version.
func waysIn() map[string]struct{ method, path, body string } {
	return map[string]struct{ method, path, body string }{
		"rpc 1.0":        {"POST", "/", a2atest.Hello("SendMessage", "hello")},
		"rpc 1.0 stream": {"POST", "/a2a", a2atest.Hello("SendStreamingMessage", "hello")},
		"rpc 0.3":        {"POST", "/", a2atest.Hello("message/send", "hello")},
		"rpc 0.3 stream": {"POST", "/", a2atest.Hello("message/stream", "hello")},
		"rest 1.0":       {"POST", "/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`},
		"rest 1.0 list":  {"GET", "/tasks", ""},
		"rest 0.3":       {"POST", "/v1/message:stream", `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hello"}]}}`},
		"rest 0.3 get":   {"GET", "/v1/tasks/done", ""},
		"subscribe":      {"GET", "/tasks/working:subscribe", ""},
		"cancel":         {"POST", "/tasks/working:cancel", ""},
		"tools":          {"GET", "/a2a/tools", ""},
		"tool":           {"POST", "/a2a/tools/acme.echo", "{}"},
		"extended 1.0":   {"GET", "/extendedAgentCard", ""},
		"extended 0.3":   {"GET", "/v1/card", ""},
		"metrics":        {"GET", "/metrics", ""},
		"nowhere":        {"GET", "/nothing/here", ""},
		"a wrong method": {"DELETE", "/", ""},
	}
}

// Once callers must show who they are, everything but the card and the health
// paths needs it, and nothing reaches the handler without (§7.4).
func TestEverythingNeedsAToken(t *testing.T) {
	f := a2atest.NewFake()
	tokens, _, _ := openTokens(t, "alice:"+aliceToken+"\n")
	url := guarded(t, f, tokens)
	for name, d := range waysIn() {
		for _, auth := range []string{"", "Bearer wrong-0123456789abcdef", "Basic " + aliceToken, aliceToken, "Bearer ", "Bearer " + aliceToken + "x"} {
			res, body := a2atest.Do(t, d.method, url+d.path+"?access_token="+aliceToken, d.body, "Content-Type", "application/json", "Authorization", auth)
			if res.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s with %q: %d %s", name, auth, res.StatusCode, body)
			}
			challenge := res.Header.Get("WWW-Authenticate")
			if !strings.HasPrefix(challenge, "Bearer realm=") || strings.Contains(challenge, "invalid_token") != (strings.HasPrefix(auth, "Bearer ") && auth != "Bearer ") {
				t.Errorf("%s with %q: challenge %q", name, auth, challenge)
			}
			if !strings.Contains(body, `"message":"`) || strings.Contains(body, `"jsonrpc"`) != strings.HasPrefix(name, "rpc") && name != "a wrong method" {
				t.Errorf("%s with %q: not an error of its binding: %s", name, auth, body)
			}
		}
		res, body := a2atest.Do(t, d.method, url+d.path, d.body, "Content-Type", "application/json", "Authorization", "bearer "+aliceToken)
		if res.StatusCode == http.StatusUnauthorized {
			t.Errorf("%s with the token: %s", name, body)
		}
	}
	for _, path := range []string{"/.well-known/agent-card.json", "/.well-known/agent.json", "/livez", "/readyz", "/healthz"} {
		if res, body := a2atest.Do(t, "GET", url+path, "", "Authorization", "Bearer nonsense"); res.StatusCode != http.StatusOK {
			t.Errorf("%s is not open: %d %s", path, res.StatusCode, body)
		}
	}
	sends := f.Sends()
	if len(sends) != 6 {
		t.Errorf("%d messages reached the handler, want the 6 with the token", len(sends))
	}
	for _, s := range sends {
		if s.Caller != "alice" {
			t.Errorf("a message of %q", s.Caller)
		}
	}
	if len(f.Called) != 1 || f.Called[0].Caller != "alice" {
		t.Errorf("calls: %+v", f.Called)
	}
}

// What one caller may see is no shared cache's to keep.
func TestCachesKeepNoCallersAnswers(t *testing.T) {
	tokens, _, _ := openTokens(t, "alice:"+aliceToken)
	url := guarded(t, a2atest.NewFake(), tokens)
	for path, private := range map[string]bool{"/.well-known/agent-card.json": false, "/a2a/tools": true, "/extendedAgentCard": true} {
		res, _ := a2atest.Do(t, "GET", url+path, "", "Authorization", "Bearer "+aliceToken)
		if got := res.Header.Get("Cache-Control"); strings.HasPrefix(got, "private") != private {
			t.Errorf("%s: Cache-Control %q", path, got)
		}
	}
}

// §3.1.11, §13.3: the extended card is there for those who are known.
func TestExtendedCard(t *testing.T) {
	tokens, _, _ := openTokens(t, "alice:"+aliceToken)
	f := a2atest.NewFake()
	url := guarded(t, f, tokens)
	rpc := func(method string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `"}`
	}
	for _, d := range []struct{ method, path, body string }{
		{"GET", "/extendedAgentCard", ""}, {"GET", "/v1/card", ""},
		{"POST", "/", rpc("GetExtendedAgentCard")}, {"POST", "/", rpc("agent/getAuthenticatedExtendedCard")},
	} {
		res, body := a2atest.Do(t, d.method, url+d.path, d.body, "Content-Type", "application/json", "Authorization", "Bearer "+aliceToken)
		if res.StatusCode != http.StatusOK || !strings.Contains(body, `"id":"extended"`) || !strings.Contains(body, url) {
			t.Errorf("%s %s: %d %s", d.method, d.path, res.StatusCode, body)
		}
	}
	_, public := a2atest.Do(t, "GET", url+"/.well-known/agent-card.json", "")
	for _, part := range []string{`"extendedAgentCard":true`, `"supportsAuthenticatedExtendedCard":true`} {
		if !strings.Contains(public, part) {
			t.Errorf("no %s in %s", part, public)
		}
	}
	if strings.Contains(public, `"id":"extended"`) {
		t.Error("the public card is the extended one")
	}
}

// The card says how to authenticate, in the members of both versions.
func TestSecurityOnTheCard(t *testing.T) {
	for name, c := range map[string]struct {
		security a2a.Security
		want     []string
	}{
		"none": {a2a.Security{}, nil},
		"tokens": {a2a.Security{Bearer: true}, []string{
			`"bearer":{"type":"http","scheme":"bearer",`, `"httpAuthSecurityScheme":{"scheme":"Bearer",`,
			`"security":[{"bearer":[]}]`, `"securityRequirements":[{"schemes":{"bearer":[]}}]`,
		}},
		"both": {a2a.Security{Bearer: true, MutualTLS: true}, []string{
			`"mutualTLS":{"type":"mutualTLS",`, `"mtlsSecurityScheme":{`,
			`"security":[{"bearer":[]},{"mutualTLS":[]}]`, `"securityRequirements":[{"schemes":{"bearer":[]}},{"schemes":{"mutualTLS":[]}}]`,
		}},
	} {
		f := a2atest.NewFake()
		f.AgentCard.Security = c.security
		url := a2atest.Serve(t, server.New(server.Options{Handler: f}).HTTPServer())
		_, card := a2atest.Do(t, "GET", url+"/.well-known/agent-card.json", "")
		if c.want == nil && strings.Contains(card, "security") {
			t.Errorf("%s: %s", name, card)
		}
		for _, part := range c.want {
			if !strings.Contains(card, part) {
				t.Errorf("%s: no %s in %s", name, part, card)
			}
		}
	}
}

// A token that is not in the file any more ends what it opened: a stream at its
// next event or heartbeat, over every binding and version.
func TestRevokedTokenEndsStreams(t *testing.T) {
	for name, heartbeat := range map[string]time.Duration{"at the next event": time.Hour, "at the next heartbeat": 20 * time.Millisecond} {
		for _, door := range []string{"rpc 1.0 stream", "rpc 0.3 stream", "rest 0.3", "subscribe"} {
			t.Run(name+", "+door, func(t *testing.T) {
				t.Parallel()
				tokens, path, _ := openTokens(t, "alice:"+aliceToken)
				f, l := a2atest.NewFake(), a2atest.NewLive()
				f.Open = func() a2a.Stream { return l }
				by := auth.Credentials{Tokens: tokens}
				url := a2atest.Serve(t, server.New(server.Options{Handler: f, Authenticate: by.Authenticate, Heartbeat: heartbeat}).HTTPServer())
				text := make(chan string, 1)
				go func() {
					d := waysIn()[door]
					_, body := a2atest.Do(t, d.method, url+d.path, d.body, "Content-Type", "application/json", "Authorization", "Bearer "+aliceToken)
					text <- body
				}()
				l.Events <- []*a2a.Event{a2atest.Update(a2a.StateWorking)}
				replace(t, path, "bob:"+bobToken)
				await.True(t, "alice is not known", func() bool {
					res, _ := a2atest.Do(t, "GET", url+"/tasks", "", "Authorization", "Bearer "+aliceToken)
					return res.StatusCode == http.StatusUnauthorized
				})
				select {
				case l.Events <- []*a2a.Event{a2atest.Chunk("a secret", false, false)}:
				case <-l.Closed:
				}
				if got := <-text; strings.Contains(got, "a secret") || !strings.Contains(got, "not valid any more") {
					t.Errorf("the stream told %q", got)
				}
				<-l.Closed
			})
		}
	}
}

// The file is followed: a token can be changed without a gap, and what is not
// good changes nothing but the log.
func TestTokenFileIsFollowed(t *testing.T) {
	tokens, path, log := openTokens(t, "alice:"+aliceToken)
	url := guarded(t, a2atest.NewFake(), tokens)
	status := func(token string) int {
		res, _ := a2atest.Do(t, "GET", url+"/tasks", "", "Authorization", "Bearer "+token)
		return res.StatusCode
	}
	is := func(token string, want int) {
		t.Helper()
		await.True(t, "a status", func() bool { return status(token) == want })
	}
	const second = "alice-second-0123456789"
	is(aliceToken, 200)
	replace(t, path, "alice:"+aliceToken+"\nalice:"+second)
	is(second, 200)
	is(aliceToken, 200)
	replace(t, path, "alice:"+second)
	is(aliceToken, 401)
	is(second, 200)

	for fault, text := range map[string]string{"shorter than 16": "alice:short", "holds no token": "# nobody\n"} {
		replace(t, path, text)
		await.True(t, "the log tells: "+fault, func() bool { return strings.Contains(log.String(), fault) })
		is(second, 200)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	await.True(t, "the log tells that the file is gone", func() bool { return strings.Contains(log.String(), "no such file") })
	is(second, 200)
	if strings.Contains(log.String(), "0123456789") {
		t.Errorf("the log tells a token:\n%s", log)
	}

	if err := os.WriteFile(path, []byte("bob:"+bobToken), 0o644); err != nil {
		t.Fatal(err)
	}
	is(bobToken, 200)
	is(second, 401)
	if !strings.Contains(log.String(), "chmod 600") {
		t.Errorf("no word about who can read the file:\n%s", log)
	}
}

// Kubernetes swaps a symbolic link to the directory that holds the files.
func TestTokenFileBehindLinks(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"one": "alice:" + aliceToken, "two": "bob:" + bobToken} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		replace(t, filepath.Join(dir, name, "tokens"), text)
	}
	link := func(target, name string) {
		t.Helper()
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("one", "..data")
	link("..data/tokens", "tokens")
	tokens, err := auth.OpenTokens(filepath.Join(dir, "tokens"), nil)
	if err != nil {
		t.Fatal(err)
	}
	following(t, tokens.Run)
	url := guarded(t, a2atest.NewFake(), tokens)
	link("two", "..new")
	if err := os.Rename(filepath.Join(dir, "..new"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
	await.True(t, "bob is known", func() bool {
		res, _ := a2atest.Do(t, "GET", url+"/tasks", "", "Authorization", "Bearer "+bobToken)
		return res.StatusCode == http.StatusOK
	})
}

func TestOpenTokensNamesFileAndLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tokens")
	replace(t, path, "alice:"+aliceToken+"\nbob\n")
	if _, err := auth.OpenTokens(path, nil); err == nil || !strings.Contains(err.Error(), path+": line 2: want name:token") {
		t.Errorf("got %v", err)
	}
	if _, err := auth.OpenTokens(path+".none", nil); err == nil || !strings.Contains(err.Error(), path+".none") {
		t.Errorf("got %v", err)
	}
}

// Which of two tokens counts is nothing to guess: what stands before us may have
// looked at the other.
func TestTwoAuthorizationHeaders(t *testing.T) {
	t.Parallel()
	tokens, _, _ := openTokens(t, "alice:alice-0123456789abcdef\nbob:bob-0123456789abcdef\n")
	url := guarded(t, a2atest.NewFake(), tokens)
	req, err := http.NewRequestWithContext(await.Context(t), "GET", url+"/tasks", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header["Authorization"] = []string{"Bearer alice-0123456789abcdef", "Bearer bob-0123456789abcdef"}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != 401 || !strings.Contains(string(body), "more than once") {
		t.Errorf("%d %s %v", res.StatusCode, body, err)
	}
}
