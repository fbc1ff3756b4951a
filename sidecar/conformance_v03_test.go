package sidecar_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// card03 is what 0.3 asks of an agent card (0.3.0 §5.5). A pointer is nil where
// the card has no such member.
type card03 struct {
	ProtocolVersion    *string         `json:"protocolVersion"`
	Name               *string         `json:"name"`
	Description        *string         `json:"description"`
	URL                *string         `json:"url"`
	PreferredTransport *string         `json:"preferredTransport"`
	Version            *string         `json:"version"`
	Capabilities       *map[string]any `json:"capabilities"`
	InputModes         *[]string       `json:"defaultInputModes"`
	OutputModes        *[]string       `json:"defaultOutputModes"`
	Skills             *[]struct {
		ID          *string   `json:"id"`
		Name        *string   `json:"name"`
		Description *string   `json:"description"`
		Tags        *[]string `json:"tags"`
	} `json:"skills"`
	Interfaces []interface03 `json:"additionalInterfaces"`
}

type interface03 struct {
	URL       string `json:"url"`
	Transport string `json:"transport"`
}

func (r *running) card03() *card03 {
	r.t.Helper()
	got := r.getPath("/.well-known/agent-card.json")
	card := &card03{}
	if err := json.Unmarshal([]byte(got.body), card); err != nil || got.status != 200 {
		r.t.Fatalf("%d %v: %s", got.status, err, got.body)
	}
	return card
}

// TestCard03: the card has every member that 0.3 requires, at both well-known
// places, for anybody.
func TestCard03(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--manifest", writeManifest(t, `[{"name":"a.tool","description":"d","inputSchema":{"type":"object"}}]`), "--", "cat")
	c := r.card03()
	for name, missing := range map[string]bool{
		"protocolVersion": c.ProtocolVersion == nil || *c.ProtocolVersion != "0.3", "name": c.Name == nil || *c.Name == "",
		"description": c.Description == nil, "url": c.URL == nil, "preferredTransport": c.PreferredTransport == nil,
		"version": c.Version == nil, "capabilities": c.Capabilities == nil, "skills": c.Skills == nil || len(*c.Skills) < 2,
		"defaultInputModes":  c.InputModes == nil || len(*c.InputModes) == 0,
		"defaultOutputModes": c.OutputModes == nil || len(*c.OutputModes) == 0,
	} {
		if missing {
			t.Errorf("%s is missing or wrong", name)
		}
	}
	for i, s := range *c.Skills {
		if s.ID == nil || s.Name == nil || s.Description == nil || s.Tags == nil {
			t.Errorf("skill %d is not whole: %+v", i, s)
		}
	}
	if body := r.getPath("/.well-known/agent.json").body; body != r.getPath("/.well-known/agent-card.json").body {
		t.Error("agent.json is another card")
	}
}

// TestCard03Transports: every transport that the card names is spoken at its
// address, the preferred one at the main address, and no address has two.
func TestCard03Transports(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--", "cat")
	c := r.card03()
	if !slices.Contains(c.Interfaces, interface03{*c.URL, *c.PreferredTransport}) {
		t.Errorf("additionalInterfaces leaves out %s at %s: %v", *c.PreferredTransport, *c.URL, c.Interfaces)
	}
	spoken := map[string]string{}
	for _, i := range c.Interfaces {
		if u, err := url.Parse(i.URL); err != nil || !u.IsAbs() || u.Host == "" {
			t.Errorf("%q is no absolute address", i.URL)
		}
		if before, ok := spoken[i.URL]; ok && before != i.Transport {
			t.Errorf("%s is there as %s and as %s", i.URL, before, i.Transport)
		}
		spoken[i.URL] = i.Transport
		base := strings.TrimPrefix(i.URL, r.url)
		switch i.Transport {
		case "JSONRPC":
			got := r.do("POST", base, "application/json", `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":`+message03+`}}`)
			if got.status != 200 || !strings.Contains(got.body, `"result":{"kind":"task"`) || !strings.Contains(got.body, `"state":"completed"`) {
				t.Errorf("%s: %d %s", i.Transport, got.status, got.body)
			}
		case "HTTP+JSON":
			got := r.do("POST", base+"/v1/message:send", "application/json", `{"message":`+message03+`}`)
			if got.status != 200 || !strings.Contains(got.body, `"state":"TASK_STATE_COMPLETED"`) {
				t.Errorf("%s: %d %s", i.Transport, got.status, got.body)
			}
		default:
			t.Errorf("%q is no transport of 0.3 that is spoken", i.Transport)
		}
	}
	if len(c.Interfaces) != 2 {
		t.Errorf("%d interfaces: %v", len(c.Interfaces), c.Interfaces)
	}
}

// TestCard03Authentication: what is on is declared in 0.3's form, and who is
// known gets the extended card over both transports.
func TestCard03Authentication(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("alice:a-token-for-alice-1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(t, "--mode", "oneshot", "--token-file", tokens, "--", "cat")
	public := r.getPath("/.well-known/agent-card.json")
	var card struct {
		SecuritySchemes map[string]struct{ Type, Scheme string }
		Security        []map[string][]string
		Extended        bool `json:"supportsAuthenticatedExtendedCard"`
	}
	if err := json.Unmarshal([]byte(public.body), &card); err != nil || public.status != 200 {
		t.Fatalf("%d %v: %s", public.status, err, public.body)
	}
	if len(card.Security) != 1 || len(card.Security[0]) != 1 || !card.Extended {
		t.Fatalf("the card says %+v", card)
	}
	for name := range card.Security[0] {
		if s := card.SecuritySchemes[name]; s.Type != "http" || !strings.EqualFold(s.Scheme, "Bearer") {
			t.Errorf("the scheme %q is %+v", name, s)
		}
	}
	if strings.Contains(public.body, "a-token") {
		t.Error("the card has a token in it")
	}
	for _, token := range []string{"", "a-token-for-nobody-1", "a-token-for-alice-1"} {
		for _, request := range []struct{ method, path, body string }{
			{"GET", "/v1/card", ""},
			{"POST", "/", `{"jsonrpc":"2.0","id":1,"method":"agent/getAuthenticatedExtendedCard"}`},
		} {
			req, err := http.NewRequestWithContext(r.context(), request.method, r.url+request.path, strings.NewReader(request.body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", "application/json")
			if token != "" {
				req.Header.Set("Authorization", "Bearer "+token)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			known := strings.Contains(token, "alice")
			switch {
			case known && (res.StatusCode != 200 || !strings.Contains(string(body), `"preferredTransport":"JSONRPC"`)):
				t.Errorf("%s with %q: %d %s", request.path, token, res.StatusCode, body)
			case !known && (res.StatusCode != 401 || !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer") || strings.Contains(string(body), "preferredTransport")):
				t.Errorf("%s with %q: %d %s", request.path, token, res.StatusCode, body)
			}
		}
	}
}

const message03 = `{"kind":"message","messageId":"m1","role":"user","parts":[{"kind":"text","text":"hello"}]}`

// TestTransports03Agree: what one transport of 0.3 answers, the other does: the
// same task, and the same code for the same fault.
func TestTransports03Agree(t *testing.T) {
	t.Parallel()
	r := run(t, "--mode", "oneshot", "--", "cat")
	id := r.send("hello").ID
	for _, c := range []struct {
		method, params string
		verb, path     string
		body           string
		code           int // 0: none
	}{
		{"tasks/get", `{"id":"` + id + `","historyLength":1}`, "GET", "/v1/tasks/" + id + "?historyLength=1", "", 0},
		{"tasks/get", `{"id":"nope"}`, "GET", "/v1/tasks/nope", "", -32001},
		{"tasks/get", `{"id":"` + id + `","historyLength":-1}`, "GET", "/v1/tasks/" + id + "?historyLength=-1", "", -32602},
		{"tasks/cancel", `{"id":"` + id + `"}`, "POST", "/v1/tasks/" + id + ":cancel", "{}", -32002},
		{"tasks/cancel", `{"id":"nope"}`, "POST", "/v1/tasks/nope:cancel", "{}", -32001},
		{"message/send", `{}`, "POST", "/v1/message:send", "{}", -32602},
		{"message/send", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":" "}]}}`, "POST", "/v1/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":" "}]}}`, -32602},
		{"message/send", `{"message":{"messageId":"m","role":"ROLE_USER","taskId":"` + id + `","parts":[{"text":"x"}]}}`, "POST", "/v1/message:send", `{"message":{"messageId":"m","role":"ROLE_USER","taskId":"` + id + `","content":[{"text":"x"}]}}`, -32004},
		{"agent/getAuthenticatedExtendedCard", `{}`, "GET", "/v1/card", "", -32007},
	} {
		rpc := r.do("POST", "/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"`+c.method+`","params":`+c.params+`}`)
		contentType := ""
		if c.body != "" {
			contentType = "application/json"
		}
		rest := r.do(c.verb, c.path, contentType, c.body)
		var byRPC struct {
			Result *task03
			Error  *struct{ Code int }
		}
		var byREST struct {
			task03
			Code int
		}
		if err := json.Unmarshal([]byte(rpc.body), &byRPC); err != nil {
			t.Fatalf("%s: %v: %s", c.method, err, rpc.body)
		}
		if err := json.Unmarshal([]byte(rest.body), &byREST); err != nil {
			t.Fatalf("%s %s: %v: %s", c.verb, c.path, err, rest.body)
		}
		if c.code != 0 {
			if byRPC.Error == nil || byRPC.Error.Code != c.code || byREST.Code != c.code || rest.status < 400 {
				t.Errorf("%s %s: want %d\n%s\n%d %s", c.method, c.params, c.code, rpc.body, rest.status, rest.body)
			}
			continue
		}
		if byRPC.Result == nil || byRPC.Result.text() != "hello" || byRPC.Result.text() != byREST.text() || byRPC.Result.ID != byREST.ID || byRPC.Result.ContextID != byREST.ContextID {
			t.Errorf("%s %s:\n%s\n%s", c.method, c.params, rpc.body, rest.body)
		}
	}
}

// task03 is what both transports of 0.3 say of a task in the same words.
type task03 struct {
	ID, ContextID string
	Artifacts     []struct {
		Parts []struct{ Text string }
	}
}

func (t *task03) text() string {
	var b strings.Builder
	for _, a := range t.Artifacts {
		for _, p := range a.Parts {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
