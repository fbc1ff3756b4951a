package codec

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/a2atest"
)

// gatewayCard is what an author writes whose agent speaks extensions and stands
// behind a gateway.
const gatewayCard = `{
	"documentationUrl": "https://acme.example/docs",
	"capabilities": {"extensions": [
		{"uri": "https://acme.example/ext/v1", "description": "Speaks it.", "required": true, "params": {"deep": [1, {"a": null}]}},
		{"uri": "urn:x", "description": "calls, in other words"}
	]},
	"securitySchemes": {
		"oauth": {"oauth2SecurityScheme": {"description": "Sign in.", "flows": {"clientCredentials": {"tokenUrl": "https://id.example/t", "scopes": {"read": "Read."}}}}},
		"key": {"type": "apiKey", "in": "header", "name": "X-Key"},
		"oidc": {"openIdConnectSecurityScheme": {"openIdConnectUrl": "https://id.example/.well-known"}, "type": "openIdConnect", "openIdConnectUrl": "https://id.example/.well-known"}
	},
	"security": [{"oauth": ["read"], "key": []}, {"bearer": []}],
	"signatures": [{"protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "c2ln", "header": {"kid": "1"}}],
	"supportedInterfaces": [
		{"url": "grpc.acme.example:443", "protocolBinding": "GRPC", "protocolVersion": "1.0", "tenant": "acme"},
		{"url": "https://gw.acme.example/a2a", "protocolBinding": "JSONRPC", "protocolVersion": "0.3"}
	]
}`

func TestCardOfAGateway(t *testing.T) {
	c := testCard()
	c.Security = a2a.Security{Bearer: true}
	if err := OverlayCard(c, []byte(gatewayCard)); err != nil {
		t.Fatal(err)
	}
	var got struct {
		DocumentationURL     string
		Capabilities         struct{ Extensions json.RawMessage }
		SecuritySchemes      map[string]json.RawMessage
		Security             json.RawMessage
		SecurityRequirements json.RawMessage
		Signatures           json.RawMessage
		SupportedInterfaces  []json.RawMessage
		AdditionalInterfaces []json.RawMessage
	}
	if err := json.Unmarshal(EncodeCard(c, "http://h"), &got); err != nil {
		t.Fatal(err)
	}
	for what, pair := range map[string][2]string{
		"documentation": {got.DocumentationURL, "https://acme.example/docs"},
		"extensions": {string(got.Capabilities.Extensions), `[{"uri":"urn:x","description":"calls, in other words","required":false},` +
			`{"uri":"https://acme.example/ext/v1","description":"Speaks it.","required":true,"params":{"deep":[1,{"a":null}]}}]`},
		"key": {string(got.SecuritySchemes["key"]), `{"type":"apiKey","in":"header","name":"X-Key",` +
			`"apiKeySecurityScheme":{"location":"header","name":"X-Key"}}`},
		"oauth": {string(got.SecuritySchemes["oauth"]), `{"type":"oauth2","description":"Sign in.",` +
			`"flows":{"clientCredentials":{"tokenUrl":"https://id.example/t","scopes":{"read":"Read."}}},` +
			`"oauth2SecurityScheme":{"description":"Sign in.","flows":{"clientCredentials":{"tokenUrl":"https://id.example/t","scopes":{"read":"Read."}}}}}`},
		"0.3 security": {string(got.Security), `[{"oauth":["read"],"key":[]},{"bearer":[]}]`},
		"1.0 security": {string(got.SecurityRequirements), `[{"schemes":{"oauth":{"list":["read"]},"key":[]}},{"schemes":{"bearer":[]}}]`},
		"signatures":   {string(got.Signatures), `[{"protected":"eyJhbGciOiJFUzI1NiJ9","signature":"c2ln","header":{"kid":"1"}}]`},
		"1.0 interface": {string(got.SupportedInterfaces[len(got.SupportedInterfaces)-2]),
			`{"url":"grpc.acme.example:443","protocolBinding":"GRPC","protocolVersion":"1.0","tenant":"acme"}`},
		"0.3 interface": {string(got.AdditionalInterfaces[len(got.AdditionalInterfaces)-1]),
			`{"url":"https://gw.acme.example/a2a","transport":"JSONRPC"}`},
	} {
		if diff := cmp.Diff(pair[1], pair[0]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	if got.SecuritySchemes["bearer"] == nil || len(got.SecuritySchemes) != 4 || len(got.SupportedInterfaces) != 6 || len(got.AdditionalInterfaces) != 3 {
		t.Errorf("schemes %v, %d and %d interfaces", got.SecuritySchemes, len(got.SupportedInterfaces), len(got.AdditionalInterfaces))
	}
	for version, form := range map[string]cardForm{"1.0": card10, "0.3": card03REST} {
		if err := a2atest.NewStrictParser(version).Parse("AgentCard", encodeCard(c, "http://h", form)); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
}

// What sidecar card prints is a card file again but for the addresses, so that
// an author can begin with it.
func TestPrintedSecurityIsReadAgain(t *testing.T) {
	c, again := testCard(), testCard()
	if err := OverlayCard(c, []byte(gatewayCard)); err == nil || !strings.Contains(err.Error(), `security: names the scheme "bearer"`) {
		t.Errorf("a scheme that is nowhere: %v", err)
	}
	c.Security.Bearer, again.Security.Bearer = true, true
	if err := OverlayCard(c, []byte(gatewayCard)); err != nil {
		t.Fatal(err)
	}
	var printed map[string]json.RawMessage
	if err := json.Unmarshal(EncodeCard(c, "http://h"), &printed); err != nil {
		t.Fatal(err)
	}
	part := map[string]json.RawMessage{}
	for _, key := range []string{"securitySchemes", "security", "securityRequirements", "signatures"} {
		part[key] = printed[key]
	}
	file, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	if err := OverlayCard(again, file); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(encodeCard(c, "http://h", card03))[strings.Index(string(encodeCard(c, "http://h", card03)), `"security":`):],
		string(encodeCard(again, "http://h", card03))[strings.Index(string(encodeCard(again, "http://h", card03)), `"security":`):]); diff != "" {
		t.Errorf("(-first +again):\n%s", diff)
	}
}

func TestLongestExtensionURI(t *testing.T) {
	uri := "urn:" + strings.Repeat("a", 1020)
	if !a2a.ValidExtensionURI(uri) || a2a.ValidExtensionURI(uri+"a") {
		t.Errorf("of 1024 bytes: %v, of 1025: %v", a2a.ValidExtensionURI(uri), a2a.ValidExtensionURI(uri+"a"))
	}
}

func TestOverlayRefusesExtras(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{`{"capabilities":{"extensions":{}}}`, `capabilities.extensions: must be a list, not an object`},
		{`{"capabilities":{"extensions":[{}]}}`, `capabilities.extensions[0]: uri is missing`},
		{`{"capabilities":{"extensions":[{"uri":"a b"}]}}`, `extensions[0].uri: "a b" is no absolute URI`},
		{`{"capabilities":{"extensions":[{"uri":"urn:a,urn:b"}]}}`, `is no absolute URI`},
		{`{"capabilities":{"extensions":[{"uri":"urn:a\r\nX: y"}]}}`, `is no absolute URI`},
		{`{"capabilities":{"extensions":[{"uri":"urn:a","params":[]}]}}`, `extensions[0].params: must be an object`},
		{`{"capabilities":{"extensions":[{"uri":"urn:a","requierd":true}]}}`, `requierd: is no member`},
		{`{"securitySchemes":[]}`, `securitySchemes: must be an object`},
		{`{"securitySchemes":{"x":{"type":"magic"}}}`, `securitySchemes.x: type "magic" is not one of`},
		{`{"securitySchemes":{"x":{"type":"apiKey","name":"k"}}}`, `securitySchemes.x: location is missing`},
		{`{"securitySchemes":{"x":{"type":"apiKey","name":"k","in":"body"}}}`, `"body" is not one of query, header and cookie`},
		{`{"securitySchemes":{"x":{"httpAuthSecurityScheme":{"schema":"Bearer"}}}}`, `securitySchemes.x.httpAuthSecurityScheme.schema: is no member`},
		{`{"securitySchemes":{"x":{"type":"oauth2","flows":{}}}}`, `flows: has 0 flows`},
		{`{"security":[{"nowhere":[]}]}`, `security: names the scheme "nowhere"`},
		{`{"security":{"bearer":[]}}`, `security: must be a list`},
		{`{"security":[{"bearer":"all"}]}`, `security[0].bearer: must be a list`},
		{`{"signatures":[{"protected":"x"}]}`, `signatures[0]: needs protected and signature`},
		{`{"supportedInterfaces":[{"url":"https://x"}]}`, `supportedInterfaces[0]: needs url, protocolBinding and protocolVersion`},
		{`{"supportedInterfaces":[` + strings.Repeat(`{"url":"https://x","protocolBinding":"JSONRPC","protocolVersion":"1.0"},`, 64) +
			`{"url":"https://x","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, `supportedInterfaces: has 65 elements, more than 64`},
		{`{"supportedInterfaces":[{"url":"x","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, `is no absolute address`},
	} {
		card := testCard()
		err := OverlayCard(card, []byte(c.file))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s:\n got %v\nwant %s", c.file, err, c.want)
		}
		if diff := cmp.Diff(testCard(), card); diff != "" {
			t.Errorf("%s changed the card: %s", c.file, diff)
		}
	}
}
