package sidecar_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// §5.2, §8.3.1, §4.4.5, §5.7: each interface that the card declares works where
// and how it says, as a client of its version asks it, and each skill has what a
// skill must have, the tools' too.
func TestDeclaredInterfacesWork(t *testing.T) {
	t.Parallel()
	manifest := filepath.Join(t.TempDir(), "tools.json")
	writeFile(t, manifest, `[{"name":"acme.add","description":"Adds.","inputSchema":{"type":"object"}}]`)
	r := run(t, "--mode", "oneshot", "--manifest", manifest, "--", "cat")
	var card struct {
		SupportedInterfaces []struct{ URL, ProtocolBinding, ProtocolVersion string }
		Skills              []struct {
			ID, Name, Description string
			Tags                  []string
		}
	}
	if err := json.Unmarshal([]byte(r.getPath("/.well-known/agent-card.json").body), &card); err != nil {
		t.Fatal(err)
	}
	const (
		v10 = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hello"}]}}`
		v03 = `{"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":"hello"}]}}`
		old = `{"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"hello"}]},"configuration":{"blocking":true}}`
	)
	rpc := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	}
	sends := map[string]struct{ path, body, done string }{
		"JSONRPC 1.0":   {"", rpc("SendMessage", v10), `"TASK_STATE_COMPLETED"`},
		"HTTP+JSON 1.0": {"/message:send", v10, `"TASK_STATE_COMPLETED"`},
		"JSONRPC 0.3":   {"", rpc("message/send", v03), `"completed"`},
		"HTTP+JSON 0.3": {"/v1/message:send", old, `"TASK_STATE_COMPLETED"`},
	}
	for i, f := range card.SupportedInterfaces {
		send, ok := sends[f.ProtocolBinding+" "+f.ProtocolVersion]
		path, ours := strings.CutPrefix(f.URL, r.url)
		if !ok || !ours {
			t.Errorf("interface %d: %+v", i, f)
			continue
		}
		delete(sends, f.ProtocolBinding+" "+f.ProtocolVersion)
		if rep := r.do("POST", path+send.path, "application/json", send.body); rep.status != 200 || !strings.Contains(rep.body, send.done) {
			t.Errorf("interface %d, %+v: %d %s", i, f, rep.status, rep.body)
		}
	}
	if len(sends) > 0 || card.SupportedInterfaces[0].ProtocolVersion != "1.0" {
		t.Errorf("not declared: %v of %+v", sends, card.SupportedInterfaces)
	}
	if len(card.Skills) != 2 {
		t.Errorf("skills %+v", card.Skills)
	}
	for _, s := range card.Skills {
		if s.ID == "" || s.Name == "" || s.Description == "" || len(s.Tags) == 0 {
			t.Errorf("skill %+v", s)
		}
	}
}
