package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// The names of the bindings on cards.
const (
	bindingRPC  = "JSONRPC"
	bindingREST = "HTTP+JSON"
)

// address is where one dialect is spoken over one binding.
type address struct {
	url     string
	binding string
	version a2a.Version
	tenant  string
}

// addresses returns the addresses of a server at base, those of 1.0 first. JSON-RPC is at
// /. REST is at base for both versions: clients append /message:send (1.0) or
// /v1/message:send (0.3). The two addresses must differ: the Go client of 0.3 drops an
// additional interface that has the card's own url.
func addresses(base string) []address {
	return []address{
		{base + "/", bindingRPC, a2a.V10, ""},
		{base, bindingREST, a2a.V10, ""},
		{base + "/", bindingRPC, a2a.V03, ""},
		{base, bindingREST, a2a.V03, ""},
	}
}

// allAddresses returns the server's own addresses and those that the card adds.
func allAddresses(c *a2a.Card, base string) []address {
	all := addresses(base)
	for _, i := range c.Interfaces {
		all = append(all, address{i.URL, i.Binding, a2a.Version(i.Version), i.Tenant})
	}
	return all
}

// cardForm says which versions' members are written on a card.
type cardForm uint8

const (
	// cardUnion is the public card. It has the members of every version of the protocol.
	cardUnion cardForm = iota
	// The other forms hold only one version's members: strict parsers refuse members that
	// they do not know.
	card10
	// card03 follows the JSON schema; card03REST follows the protocol buffers too. These
	// two differ in how they describe security: the official client reads the schema's form
	// over REST too, but strict parsers read only their own. So card03REST, which is for
	// authenticated callers, leaves security out; the public card has it.
	card03
	card03REST
)

// has10 reports whether the members of 1.0 are written.
func (f cardForm) has10() bool { return f == cardUnion || f == card10 }

// has03 reports whether the members of 0.3 are written.
func (f cardForm) has03() bool { return f != card10 }

// EncodeCard writes the card of a server at base, an absolute URL without a trailing slash.
// The card has the members of every version.
func EncodeCard(c *a2a.Card, base string) []byte { return encodeCard(c, base, cardUnion) }

func (codec10) EncodeCard(c *a2a.Card, base string) []byte { return encodeCard(c, base, card10) }
func (codec03) EncodeCard(c *a2a.Card, base string) []byte { return encodeCard(c, base, card03) }
func (codec03REST) EncodeCard(c *a2a.Card, base string) []byte {
	return encodeCard(c, base, card03REST)
}

func encodeCard(c *a2a.Card, base string, form cardForm) []byte {
	o := openObject(make([]byte, 0, 2048+256*len(c.Skills)))
	o.str("name", c.Name)
	o.str("description", c.Description)
	o.str("version", c.Version)
	if c.Provider != nil {
		value(&o, "provider", c.Provider, appendProvider)
	}
	o.optStr("iconUrl", c.IconURL)
	o.optStr("documentationUrl", c.DocumentationURL)
	appendAddresses(&o, allAddresses(c, base), form)
	o.key("capabilities")
	o.b = appendCapabilities(o.b, c, form)
	if form.has03() {
		o.boolean("supportsAuthenticatedExtendedCard", c.Extended)
	}
	appendSecurity(&o, c, form)
	o.strs("defaultInputModes", c.Inputs())
	o.strs("defaultOutputModes", c.Outputs())
	list(&o, "skills", c.Skills, appendSkill)
	if len(c.Signatures) > 0 {
		list(&o, "signatures", c.Signatures, appendSignature)
	}
	if form == cardUnion {
		o.optStr(bridgeField, c.BridgeVersion)
	}
	return o.close()
}

// appendAddresses appends supportedInterfaces (1.0) and url with its companions
// (0.3).
func appendAddresses(o *object, all []address, form cardForm) {
	if form.has10() {
		list(o, "supportedInterfaces", all, appendInterface10)
	}
	if !form.has03() {
		return
	}
	var old []address
	for _, e := range all {
		if e.version == a2a.V03 {
			old = append(old, e)
		}
	}
	o.str("url", old[0].url)
	o.str("preferredTransport", old[0].binding)
	o.str("protocolVersion", string(a2a.V03))
	list(o, "additionalInterfaces", old, appendInterface03)
}

func appendInterface10(b []byte, e *address) []byte {
	o := openObject(b)
	o.str("url", e.url)
	o.str("protocolBinding", e.binding)
	o.str("protocolVersion", string(e.version))
	o.optStr("tenant", e.tenant)
	return o.close()
}

func appendInterface03(b []byte, e *address) []byte {
	o := openObject(b)
	o.str("url", e.url)
	o.str("transport", e.binding)
	return o.close()
}

// appendCapabilities appends the capabilities that are on and, so that nobody has to guess,
// those that are off.
func appendCapabilities(b []byte, c *a2a.Card, form cardForm) []byte {
	o := openObject(b)
	o.boolean("streaming", c.Streaming)
	o.boolean("pushNotifications", c.Push)
	if form.has10() {
		o.boolean("extendedAgentCard", c.Extended)
	}
	if form == cardUnion {
		o.boolean("stateTransitionHistory", false) // only 0.3's schema has it, its protocol buffers do not
	}
	if len(c.Extensions) > 0 {
		list(&o, "extensions", c.Extensions, appendExtension)
	}
	return o.close()
}

func appendExtension(b []byte, e *a2a.Extension) []byte {
	o := openObject(b)
	o.str("uri", e.URI)
	o.optStr("description", e.Description)
	o.boolean("required", e.Required)
	o.optRaw("params", e.Params)
	return o.close()
}

func appendSignature(b []byte, s *a2a.Signature) []byte {
	o := openObject(b)
	o.str("protected", s.Protected)
	o.str("signature", s.Signature)
	o.optRaw("header", s.Header)
	return o.close()
}

func appendProvider(b []byte, p *a2a.Provider) []byte {
	o := openObject(b)
	o.str("organization", p.Organization)
	o.str("url", p.URL)
	return o.close()
}

func appendSkill(b []byte, s *a2a.Skill) []byte {
	o := openObject(b)
	o.str("id", s.ID)
	o.str("name", s.Name)
	o.str("description", s.Description)
	o.strs("tags", s.Tags)
	o.optStrs("examples", s.Examples)
	o.optStrs("inputModes", s.InputModes)
	o.optStrs("outputModes", s.OutputModes)
	return o.close()
}
