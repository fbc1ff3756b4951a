package a2a

import "encoding/json"

// Card is what an agent says of itself (§4.4.1), without addresses: the server
// adds those of the dialects and bindings that it speaks. A Card that was
// handed to a server is not changed any more.
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
	// Schemes are further security schemes, such as a gateway's, and Requirements
	// which are needed; nil: those of Security, any one of them.
	Schemes      []SecurityScheme
	Requirements []SecurityRequirement
	// Interfaces are addresses besides the server's own.
	Interfaces []Interface
	// Signatures are the author's, over the card as it is served.
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

// Security says how callers may authenticate: in any one of the ways that are on. The
// zero value asks for no authentication.
type Security struct {
	Bearer    bool // a token in Authorization: Bearer
	MutualTLS bool // a client certificate
}

// On reports whether callers must authenticate.
func (s Security) On() bool { return s.Bearer || s.MutualTLS }

// SecurityScheme is a way in which callers show who they are to whatever stands
// before the agent, such as a gateway (§4.5.1): its name, its kind as 0.3 has it,
// and its members by their names in 1.0.
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

// SecurityRequirement are schemes that are needed together; of several
// requirements one is enough.
type SecurityRequirement []SchemeScopes

// SchemeScopes names a scheme and the scopes that are needed of it.
type SchemeScopes struct {
	Scheme string
	Scopes []string
}

// Interface is where the agent can be reached besides this server, through a
// gateway for example (§4.4.6).
type Interface struct {
	URL     string
	Binding string // JSONRPC, HTTP+JSON, GRPC, or the URI of another
	Version string // of the protocol: 1.0, 0.3
	Tenant  string // "" for none
}

// Signature is a JSON Web Signature over the card (§4.4.7), made by its author of
// what the server prints.
type Signature struct {
	Protected, Signature string
	Header               json.RawMessage // an object, empty for none
}
