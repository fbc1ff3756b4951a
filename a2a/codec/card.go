package codec

import "github.com/a2a-sidecar/sidecar/a2a"

// The bindings, as cards name them.
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

// addresses are where a server at base is reached, 1.0 first. JSON-RPC is at /.
// REST is at base for both versions: clients append /message:send (1.0) or
// /v1/message:send (0.3). The two addresses must differ: the Go client of 0.3
// drops an additional interface that has the card's own url.
func addresses(base string) []address {
	return []address{
		{base + "/", bindingRPC, a2a.V10, ""},
		{base, bindingREST, a2a.V10, ""},
		{base + "/", bindingRPC, a2a.V03, ""},
		{base, bindingREST, a2a.V03, ""},
	}
}

// allAddresses are the server's own and those that the card adds.
func allAddresses(c *a2a.Card, base string) []address {
	all := addresses(base)
	for _, i := range c.Interfaces {
		all = append(all, address{i.URL, i.Binding, a2a.Version(i.Version), i.Tenant})
	}
	return all
}

// cardForm says which version's members a card is written with.
type cardForm uint8

const (
	// cardUnion is the public card: every version of the protocol finds in it
	// the members that it knows.
	cardUnion cardForm = iota
	// The others hold one version's members and no others: strict parsers refuse
	// what they do not know.
	card10
	// card03 is what the JSON schema describes, card03REST what protocol buffers
	// do too. They differ in what they say of security: the official client reads
	// the schema's over REST too, strict parsers their own. That card, for who is
	// known already, says nothing of it; the public one does.
	card03
	card03REST
)

// has10 reports whether the members of 1.0 are written.
func (f cardForm) has10() bool { return f == cardUnion || f == card10 }

// has03 reports whether the members of 0.3 are written.
func (f cardForm) has03() bool { return f != card10 }

// EncodeCard writes the card of a server that is reached at base, an absolute URL
// without a trailing slash. Clients of every version find in it what they know.
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
		o.key("provider")
		o.b = appendProvider(o.b, c.Provider)
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

// appendCapabilities says what is on and, so that nobody has to guess, what is
// not.
func appendCapabilities(b []byte, c *a2a.Card, form cardForm) []byte {
	o := openObject(b)
	o.boolean("streaming", c.Streaming)
	o.boolean("pushNotifications", c.Push)
	if form.has10() {
		o.boolean("extendedAgentCard", c.Extended)
	}
	if form == cardUnion {
		o.boolean("stateTransitionHistory", false) // of 0.3's schema; its protocol buffers have none
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
	if len(e.Params) > 0 {
		o.key("params")
		o.b = appendRaw(o.b, e.Params)
	}
	return o.close()
}

func appendSignature(b []byte, s *a2a.Signature) []byte {
	o := openObject(b)
	o.str("protected", s.Protected)
	o.str("signature", s.Signature)
	if len(s.Header) > 0 {
		o.key("header")
		o.b = appendRaw(o.b, s.Header)
	}
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
