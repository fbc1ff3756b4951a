package a2a

// The names of the schemes on the card.
const (
	schemeBearer = "bearer"
	schemeMTLS   = "mutualTLS"
)

// schemes are the names of what is on; any one of them is enough.
func (s Security) schemes() []string {
	var all []string
	if s.Bearer {
		all = append(all, schemeBearer)
	}
	if s.MutualTLS {
		all = append(all, schemeMTLS)
	}
	return all
}

// appendSecurity says on the card how to authenticate. On the union card each
// scheme has the members of both versions: 0.3 tells them apart by type, 1.0 by
// the name of the one member (§4.5.1).
func appendSecurity(o *object, s Security, form cardForm) {
	if !s.On() {
		return
	}
	o.key("securitySchemes")
	all := openObject(o.b)
	if s.Bearer {
		all.key(schemeBearer)
		all.b = appendBearerScheme(all.b, form)
	}
	if s.MutualTLS {
		all.key(schemeMTLS)
		all.b = appendMTLSScheme(all.b, form)
	}
	o.b = all.close()
	names := s.schemes()
	if form.has03() {
		list(o, "security", names, func(b []byte, name *string) []byte {
			return appendRequirement(b, *name)
		})
	}
	if form.has10() {
		list(o, "securityRequirements", names, func(b []byte, name *string) []byte {
			o := openObject(b)
			o.key("schemes")
			o.b = appendRequirement(o.b, *name)
			return o.close()
		})
	}
}

// appendRequirement appends a scheme without scopes. In 1.0 the scopes are
// {"list":[]} by the letter; the Go client 2.4.0 reads no card with that, and
// every client reads this, the strict parser of Python's protocol buffers too.
func appendRequirement(b []byte, name string) []byte {
	o := openObject(b)
	o.strs(name, nil)
	return o.close()
}

func appendBearerScheme(b []byte, form cardForm) []byte {
	const about = "A token that the operator of this agent gives out."
	o := openObject(b)
	if form.has03() {
		o.str("type", "http")
		o.str("scheme", "bearer")
		o.str("description", about)
	}
	if form.has10() {
		o.key("httpAuthSecurityScheme")
		inner := openObject(o.b)
		inner.str("scheme", "Bearer")
		inner.str("description", about)
		o.b = inner.close()
	}
	return o.close()
}

func appendMTLSScheme(b []byte, form cardForm) []byte {
	const about = "A client certificate of an authority that this agent trusts."
	o := openObject(b)
	if form.has03() {
		o.str("type", "mutualTLS")
		o.str("description", about)
	}
	if form.has10() {
		o.key("mtlsSecurityScheme")
		inner := openObject(o.b)
		inner.str("description", about)
		o.b = inner.close()
	}
	return o.close()
}
