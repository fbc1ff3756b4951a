package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
	"github.com/a2a-sidecar/sidecar/a2a/server"
)

// sendCode sends a message and returns the code that it was refused with, 0 for
// none, and the answer. message is JSON in the shape of the dialect.
func sendCode(t *testing.T, url, dialect, message string) (int, string) {
	t.Helper()
	path, body := "/", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":`+message+`}}`
	switch dialect {
	case "1.0 REST":
		path, body = "/message:send", `{"message":`+message+`}`
	case "0.3":
		body = strings.Replace(body, "SendMessage", "message/send", 1)
	case "0.3 REST":
		path, body = "/v1/message:send", `{"message":`+message+`}`
	}
	res, text := a2atest.Do(t, "POST", url+path, body, "Content-Type", "application/json")
	var answer struct {
		Code  int
		Error *struct {
			Code    int
			Details []struct{ Reason string }
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	switch {
	case answer.Code != 0: // 0.3 over REST
		return answer.Code, text
	case answer.Error == nil:
		return 0, text
	case dialect == "1.0 REST":
		if res.StatusCode != 400 {
			t.Errorf("%s: HTTP status %d", text, res.StatusCode)
		}
		return map[string]int{"INVALID_PARAMS": -32602, "CONTENT_TYPE_NOT_SUPPORTED": -32005}[answer.Error.Details[0].Reason], text
	}
	return answer.Error.Code, text
}

// What a message must say: its id and that it is a user's, in 1.0 (§4.1.4, §5.7);
// in 0.3 its id and a role, over both bindings.
func TestMessageMustSayWhoWroteIt(t *testing.T) {
	f := a2atest.NewFake()
	url, _ := start(t, server.Options{Handler: f})
	const bad = -32602
	for _, tt := range []struct {
		name, members string
		v10, v03      int
	}{
		{"whole", `"messageId":"m","role":"ROLE_USER"`, 0, 0},
		{"whole, in the words of 0.3", `"messageId":"m","role":"user"`, 0, 0},
		{"no id", `"role":"ROLE_USER"`, bad, bad},
		{"an empty id", `"messageId":"","role":"ROLE_USER"`, bad, bad},
		{"no role", `"messageId":"m"`, bad, bad},
		{"unspecified", `"messageId":"m","role":"ROLE_UNSPECIFIED"`, bad, bad},
		{"the agent's", `"messageId":"m","role":"ROLE_AGENT"`, bad, 0},
	} {
		for dialect, want := range map[string]int{"1.0": tt.v10, "1.0 REST": tt.v10, "0.3": tt.v03, "0.3 REST": tt.v03} {
			before := len(f.Sends())
			got, text := sendCode(t, url, dialect, `{`+tt.members+`,"parts":[{"text":"hi"}]}`)
			if got != want || (want == 0) != (len(f.Sends()) == before+1) {
				t.Errorf("%s, %s: code %d, want %d: %s", dialect, tt.name, got, want, text)
			}
			if want != 0 && !strings.Contains(text, "message.messageId") && !strings.Contains(text, "message.role") {
				t.Errorf("%s, %s: does not name the member: %s", dialect, tt.name, text)
			}
		}
	}
}

// A part whose media type the card does not list is ContentTypeNotSupported
// (§3.1.1), in every dialect; the card's ranges and the skills' types count.
func TestMediaTypesOfTheCard(t *testing.T) {
	f := a2atest.NewFake()
	f.AgentCard.InputModes = []string{"text/plain", "image/*"}
	f.AgentCard.Skills = []a2a.Skill{{ID: "s", InputModes: []string{"Application/X-Own; v=1"}}}
	url, _ := start(t, server.Options{Handler: f})
	for mediaType, want := range map[string]int{
		"": 0, "text/plain": 0, "text/plain; charset=utf-8": 0, "TEXT/Plain": 0, "image/png": 0, "application/x-own": 0,
		"application/json": -32005, "imagery/png": -32005, "video/mp4": -32005, "nonsense": -32005,
	} {
		name := func(member string) string {
			if mediaType == "" {
				return ""
			}
			return fmt.Sprintf(`,%q:%q`, member, mediaType)
		}
		for dialect, part := range map[string]string{
			"1.0":      `{"raw":"aGk="` + name("mediaType") + `}`,
			"1.0 REST": `{"text":"hi"` + name("mediaType") + `}`,
			"0.3":      `{"kind":"file","file":{"bytes":"aGk="` + name("mimeType") + `}}`,
			"0.3 REST": `{"file":{"fileWithUri":"http://x"` + name("mimeType") + `}}`,
		} {
			got, text := sendCode(t, url, dialect, `{"messageId":"m","role":"ROLE_USER","parts":[{"text":"first"},`+part+`]}`)
			if got != want {
				t.Errorf("%s, %q: code %d, want %d: %s", dialect, mediaType, got, want, text)
			}
			if want != 0 && !strings.Contains(text, "message.parts[1]") {
				t.Errorf("%s, %q: does not name the part: %s", dialect, mediaType, text)
			}
		}
	}
	f = a2atest.NewFake()
	f.AgentCard.InputModes = []string{"*/*"}
	url, _ = start(t, server.Options{Handler: f})
	if got, text := sendCode(t, url, "1.0", `{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"aGk=","mediaType":"video/mp4"}]}`); got != 0 {
		t.Errorf("where all is taken: code %d: %s", got, text)
	}
}
