package sidecar_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
)

const (
	toolsExtension = "https://example.com/extensions/of-the-tool/v1"
	filesExtension = "https://example.com/extensions/of-the-file/v1"
)

// cardTool is a manifest whose tool declares an extension.
func cardTool(required bool) string {
	return fmt.Sprintf(`[{"name":"acme.pay","description":"Pays.","inputSchema":{"type":"object"},"x-sidecar":{"card":{
		"name": "the manifest's", "documentationUrl": "https://example.com/manifest",
		"capabilities": {"extensions": [{"uri": %q, "required": %v}]}}}}]`, toolsExtension, required)
}

// postWith sends a message with extensions in its header, and returns the answer
// and the extensions that it echoes.
func postWith(t *testing.T, r *running, extensions string) (body, echoed string) {
	t.Helper()
	req, err := http.NewRequestWithContext(r.context(), http.MethodPost, r.url+"/message:send",
		strings.NewReader(`{"message":{"messageId":"1","role":"ROLE_USER","parts":[{"text":"hi"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if extensions != "" {
		req.Header.Set("A2A-Extensions", extensions)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var all json.RawMessage
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return string(all), res.Header.Get("A2A-Extensions")
}

// TestAuthorsDeclareExtensions: a tool's author in the manifest and the operator
// in the card file say what the card has; what is required is, what is active is
// echoed, and a change of the manifest changes it.
func TestAuthorsDeclareExtensions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "card.json")
	writeFile(t, file, `{"documentationUrl":"https://example.com/file","capabilities":{"extensions":[{"uri":"`+filesExtension+`","description":"More."}]}}`)
	tools := writeManifest(t, cardTool(true))
	r := run(t, "--card", file, "--manifest", tools, "--mode", "oneshot", "--", "cat")
	var card struct {
		Name, DocumentationURL string
		Capabilities           struct {
			Extensions []struct {
				URI      string
				Required bool
			}
		}
	}
	if err := json.Unmarshal([]byte(r.getPath("/.well-known/agent-card.json").body), &card); err != nil {
		t.Fatal(err)
	}
	all := fmt.Sprint(card.Capabilities.Extensions)
	if want := "[{urn:a2a-sidecar:tool-call:v1 false} {urn:a2a-sidecar:approval:v1 false} {" + approval.DevelopmentToolURI + " false} {urn:a2a-sidecar:delegation:v1 false} {" + toolsExtension + " true} {" + filesExtension + " false}]"; all != want {
		t.Errorf("extensions %s, want %s", all, want)
	}
	if card.Name != "the manifest's" || card.DocumentationURL != "https://example.com/file" {
		t.Errorf("%q, %q", card.Name, card.DocumentationURL)
	}
	if body, echoed := postWith(t, r, filesExtension); !strings.Contains(body, toolsExtension+" is required") || echoed != filesExtension {
		t.Errorf("without the required one: %s, echoed %q", body, echoed)
	}
	if body, echoed := postWith(t, r, toolsExtension+", urn:unknown:x,"+filesExtension); !strings.Contains(body, "TASK_STATE_COMPLETED") ||
		echoed != toolsExtension+", "+filesExtension {
		t.Errorf("with it: %s, echoed %q", body, echoed)
	}
	writeFile(t, tools, cardTool(false))
	await.True(r.t, "it is not required any more", func() bool {
		body, _ := postWith(t, r, "")
		return strings.Contains(body, "TASK_STATE_COMPLETED")
	})
	writeFile(t, tools, strings.Replace(cardTool(true), `"required": true`, `"requierd": true`, 1))
	await.True(r.t, "the fault is told", func() bool { return strings.Contains(r.log.String(), "requierd: is no member of a card") })
	if body, _ := postWith(t, r, ""); !strings.Contains(body, "TASK_STATE_COMPLETED") {
		t.Errorf("a bad card took the place of a good one: %s", body)
	}
}
