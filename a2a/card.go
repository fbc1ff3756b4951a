package a2a

import "encoding/json"

// Card is an agent's description of itself (§4.4.1), without addresses: the server adds
// those of the dialects and bindings that it speaks. A Card must not be changed after it
// was handed to a server.
type Card struct {
	Name        string
	Description string
	Version     string
	// Provider is nil when unknown.
	Provider         *Provider
	IconURL          string
	DocumentationURL string
	// InputModes and OutputModes are media types; empty means text/plain and
	// application/json.
	InputModes  []string
	OutputModes []string
	Skills      []Skill
	Extensions  []Extension
	// Streaming reports whether streams are served.
	Streaming bool
	// Push reports whether push notifications are sent.
	Push bool
	// Extended reports whether there is an extended card, for authenticated callers.
	Extended bool
	// Security says how callers authenticate.
	Security Security
	// Schemes are further security schemes, such as a gateway's. Requirements says which
	// schemes are needed; nil means any one of those of Security.
	Schemes      []SecurityScheme
	Requirements []SecurityRequirement
	// Interfaces are addresses besides the server's own.
	Interfaces []Interface
	// Signatures are the author's signatures over the card as it is served.
	Signatures []Signature
	// BridgeVersion is the platform's x-spring-voyage-bridge-version, "" for
	// none.
	BridgeVersion string
}

// Provider is the organization that offers the agent (§4.4.2).
type Provider struct {
	Organization string
	URL          string
}

// Skill is one thing that the agent can do (§4.4.5).
type Skill struct {
	ID          string
	Name        string
	Description string
	Tags        []string
	Examples    []string
	// InputModes and OutputModes are media types; empty means the card's.
	InputModes  []string
	OutputModes []string
}

// Security says how callers may authenticate. Any one of the ways that are on is enough.
// The zero value requires no authentication.
type Security struct {
	Bearer    bool // a token in Authorization: Bearer
	MutualTLS bool // a client certificate
}

// On reports whether callers must authenticate.
func (s Security) On() bool { return s.Bearer || s.MutualTLS }

// SecurityScheme is a way in which callers authenticate to whatever stands in front of the
// agent, such as a gateway (§4.5.1). Kind has its name of 0.3; Members have their names of
// 1.0.
type SecurityScheme struct {
	Name    string
	Kind    string
	Members []SchemeMember
}

// SchemeMember is one member of a scheme; Value is JSON.
type SchemeMember struct {
	Name  string
	Value json.RawMessage
}

// SecurityRequirement lists schemes that are needed together. If there are several
// requirements, one of them is enough.
type SecurityRequirement []SchemeScopes

// SchemeScopes names a scheme and the scopes that are needed of it.
type SchemeScopes struct {
	Scheme string
	Scopes []string
}

// Interface is another address at which the agent can be reached, for example through a
// gateway (§4.4.6).
type Interface struct {
	URL     string
	Binding string // JSONRPC, HTTP+JSON, GRPC, or the URI of another
	Version string // the protocol's version: 1.0, 0.3
	Tenant  string // "" for none
}

// Signature is a JSON Web Signature over the card (§4.4.7). Its author makes it from the
// card that the server prints.
type Signature struct {
	Protected, Signature string
	Header               json.RawMessage // an object, empty for none
}
