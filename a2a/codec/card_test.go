package codec

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
)

func testCard() *a2a.Card {
	return &a2a.Card{
		Name: "acme", Description: "Wraps acme.", Version: "1.2.3", Streaming: true, BridgeVersion: "1.0",
		Skills:     []a2a.Skill{{ID: "agent", Name: "acme", Description: "Talk to it.", Tags: []string{"agent"}}, {ID: "acme.echo", Name: "acme.echo"}},
		Extensions: []a2a.Extension{{URI: "urn:x", Description: "calls", Params: json.RawMessage(`{ "a": 1 }`)}},
	}
}

func TestGoldenCard(t *testing.T) {
	want := oneLine(`{"name":"acme","description":"Wraps acme.","version":"1.2.3",
		"provider":{"organization":"Acme","url":"https://acme.example"},
		"iconUrl":"https://acme.example/i.png","documentationUrl":"https://acme.example/d",
		"supportedInterfaces":[
			{"url":"http://h:1/","protocolBinding":"JSONRPC","protocolVersion":"1.0"},
			{"url":"http://h:1","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},
			{"url":"http://h:1/","protocolBinding":"JSONRPC","protocolVersion":"0.3"},
			{"url":"http://h:1","protocolBinding":"HTTP+JSON","protocolVersion":"0.3"}],
		"url":"http://h:1/","preferredTransport":"JSONRPC","protocolVersion":"0.3",
		"additionalInterfaces":[{"url":"http://h:1/","transport":"JSONRPC"},{"url":"http://h:1","transport":"HTTP+JSON"}],
		"capabilities":{"streaming":true,"pushNotifications":false,"extendedAgentCard":false,"stateTransitionHistory":false,
			"extensions":[{"uri":"urn:x","description":"calls","required":false,"params":{"a":1}}]},
		"supportsAuthenticatedExtendedCard":false,
		"defaultInputModes":["text/plain","application/json"],"defaultOutputModes":["text/plain"],
		"skills":[{"id":"agent","name":"acme","description":"Talk to it.","tags":["agent"]},
			{"id":"acme.echo","name":"acme.echo","description":"","tags":[]}],
		"x-spring-voyage-bridge-version":"1.0"}`)
	c := testCard()
	c.Provider = &a2a.Provider{Organization: "Acme", URL: "https://acme.example"}
	c.IconURL, c.DocumentationURL = "https://acme.example/i.png", "https://acme.example/d"
	c.OutputModes = []string{"text/plain"}
	if diff := cmp.Diff(want, string(EncodeCard(c, "http://h:1"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// The extended card of each version holds its members and no others.
func TestStrictCards(t *testing.T) {
	c := testCard()
	c.Provider = &a2a.Provider{Organization: "Acme", URL: "https://acme.example"}
	c.IconURL, c.DocumentationURL = "https://acme.example/i.png", "https://acme.example/d"
	c.Security = a2a.Security{Bearer: true, MutualTLS: true}
	for version, form := range map[string]cardForm{"1.0": card10, "0.3": card03REST} {
		b := encodeCard(c, "http://h", form)
		if err := a2atest.NewStrictParser(version).Parse("AgentCard", b); err != nil {
			t.Errorf("%s: %v\n%s", version, err, b)
		}
		for _, name := range map[string][]string{
			"1.0": {"supportedInterfaces", "extendedAgentCard", "securityRequirements", "httpAuthSecurityScheme", "mtlsSecurityScheme"},
			"0.3": {"additionalInterfaces", "preferredTransport", "supportsAuthenticatedExtendedCard"},
		}[version] {
			if !strings.Contains(string(b), `"`+name+`"`) {
				t.Errorf("%s: %s is missing: %s", version, name, b)
			}
		}
	}
}

// The schema's card of 0.3 says how to authenticate, and has nothing of 1.0.
func TestSchemaCard03(t *testing.T) {
	c := testCard()
	c.Security = a2a.Security{Bearer: true, MutualTLS: true}
	b := string(encodeCard(c, "http://h", card03))
	if !strings.Contains(b, `"security":[{"bearer":[]},{"mutualTLS":[]}]`) || !strings.Contains(b, `"type":"http"`) {
		t.Errorf("security is missing: %s", b)
	}
	for _, name := range []string{"supportedInterfaces", "extendedAgentCard", "securityRequirements", "httpAuthSecurityScheme", "bridge-version"} {
		if strings.Contains(b, name) {
			t.Errorf("it has %s: %s", name, b)
		}
	}
}

// A card of next to nothing still has every member that a version requires,
// and no null.
func TestEmptyCard(t *testing.T) {
	b := EncodeCard(&a2a.Card{}, "http://h")
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"name", "description", "version", "supportedInterfaces", "url", "preferredTransport", "protocolVersion",
		"capabilities", "defaultInputModes", "defaultOutputModes", "skills",
	} {
		if members[name] == nil {
			t.Errorf("%s is missing", name)
		}
	}
	if strings.Contains(string(b), "null") || strings.Contains(string(b), "bridge-version") {
		t.Errorf("%s", b)
	}
}

func TestOverlay(t *testing.T) {
	c := testCard()
	c.Streaming = true
	err := OverlayCard(c, []byte(`{
		"name": "Acme agent", "description": "Does things.", "version": "9",
		"provider": {"organization": "Acme", "url": "https://acme.example"},
		"iconUrl": "https://acme.example/i.png", "documentationUrl": "https://acme.example/d",
		"defaultInputModes": ["text/plain"], "defaultOutputModes": ["image/png"],
		"skills": [
			{"id": "acme.echo", "description": "Echoes.", "examples": ["echo hi"]},
			{"id": "more", "name": "More", "description": "New.", "tags": ["t"], "inputModes": ["a/b"], "outputModes": ["c/d"]}
		],
		"capabilities": {"streaming": true, "pushNotifications": false}
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := testCard()
	want.Name, want.Description, want.Version = "Acme agent", "Does things.", "9"
	want.Provider = &a2a.Provider{Organization: "Acme", URL: "https://acme.example"}
	want.IconURL, want.DocumentationURL = "https://acme.example/i.png", "https://acme.example/d"
	want.InputModes, want.OutputModes = []string{"text/plain"}, []string{"image/png"}
	want.Skills[1].Description, want.Skills[1].Examples = "Echoes.", []string{"echo hi"}
	want.Skills = append(want.Skills, a2a.Skill{ID: "more", Name: "More", Description: "New.", Tags: []string{"t"}, InputModes: []string{"a/b"}, OutputModes: []string{"c/d"}})
	if diff := cmp.Diff(want, c); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A file may say less than what works.
func TestOverlaySaysLess(t *testing.T) {
	c := testCard()
	if err := OverlayCard(c, []byte(`{"capabilities":{"streaming":false}}`)); err != nil || c.Streaming {
		t.Errorf("streaming %v, %v", c.Streaming, err)
	}
}

func TestOverlayRefuses(t *testing.T) {
	tests := []struct{ file, want string }{
		{``, `card must be an object, not null`},
		{`[]`, `card must be an object, not a list`},
		{`{"name":}`, `card: invalid JSON: `},
		{`{"nmae":"x"}`, `card: nmae: is no member of a card; remove it or check its spelling`},
		{`{"documentation_url":"x"}`, `documentation_url: is no member`},
		{`{"name":7}`, `card: name: must be a string, not a number`},
		{`{"name":""}`, `card: name: must not be empty`},
		{`{"description":null}`, `description: must be a string, not null`},
		{`{"provider":"Acme"}`, `provider: must be an object, not a string`},
		{`{"provider":{"url":"x"}}`, `provider: organization is missing`},
		{`{"provider":{"organization":"x","mail":"y"}}`, `provider.mail: is no member`},
		{`{"defaultInputModes":"text/plain"}`, `defaultInputModes: must be a list, not a string`},
		{`{"defaultOutputModes":null}`, `defaultOutputModes: must be a list of strings, not null`},
		{`{"skills":{}}`, `skills: must be a list, not an object`},
		{`{"skills":[{"name":"x"}]}`, `skills[0]: id is missing`},
		{`{"description":""}`, `description: must not be empty`},
		{`{"provider":{"organization":"x"}}`, `provider: url is missing`},
		{`{"skills":[{"id":"x","name":"X","tags":["t"]}]}`, `skills[0]: description is missing: "x" is a new skill`},
		{`{"skills":[{"id":"x","name":"X","description":"Does."}]}`, `skills[0]: tags are missing: "x" is a new skill`},
		{`{"skills":[{"id":"agent","tags":[]}]}`, `skills[0].tags: must have at least one`},
		{`{"skills":[{"id":"x"}]}`, `skills[0]: name is missing: "x" is a new skill`},
		{`{"skills":[{"id":"agent","tags":["a",1]}]}`, `skills[0].tags[1]: must be a string, not a number`},
		{`{"skills":[{"id":"agent","tag":["a"]}]}`, `skills[0].tag: is no member`},
		{`{"url":"http://x"}`, `url: is the server's to fill in; remove it (--public-url sets the address, supportedInterfaces adds others)`},
		{`{"capabilities":{"pushNotifications":true}}`, `capabilities.pushNotifications: is off here: a card cannot claim it`},
		{`{"capabilities":{"extendedAgentCard":true}}`, `capabilities.extendedAgentCard: is off here`},
		{`{"capabilities":{"streaming":true}}`, `capabilities.streaming: is off here`},
		{`{"capabilities":{"streaming":1}}`, `capabilities.streaming: must be true or false, not a number`},
		{`{"capabilities":{"teleport":true}}`, `capabilities.teleport: is no member`},
	}
	for _, tt := range tests {
		c := testCard()
		c.Streaming = false
		before := testCard()
		before.Streaming = false
		err := OverlayCard(c, []byte(tt.file))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s:\n got %v\nwant %s", tt.file, err, tt.want)
		}
		if diff := cmp.Diff(before, c); diff != "" {
			t.Errorf("%s changed the card:\n%s", tt.file, diff)
		}
	}
}
