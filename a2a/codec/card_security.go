package codec

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// The names of the schemes on the card.
const (
	schemeBearer = "bearer"
	schemeMTLS   = "mutualTLS"
)

// schemesOf returns the names of the schemes that are on. Any one of them is enough.
func schemesOf(s a2a.Security) []string {
	var all []string
	if s.Bearer {
		all = append(all, schemeBearer)
	}
	if s.MutualTLS {
		all = append(all, schemeMTLS)
	}
	return all
}

// appendSecurity appends how callers authenticate. On the union card each scheme has the
// members of both versions: 0.3 tells the kinds apart by type, 1.0 by the name of the only
// member (§4.5.1).
func appendSecurity(o *object, c *a2a.Card, form cardForm) {
	if form == card03REST {
		return
	}
	own := func(on bool, name string) bool {
		return on && !slices.ContainsFunc(c.Schemes, func(s a2a.SecurityScheme) bool { return s.Name == name })
	}
	bearer, mtls := own(c.Security.Bearer, schemeBearer), own(c.Security.MutualTLS, schemeMTLS)
	if bearer || mtls || len(c.Schemes) > 0 {
		o.nest("securitySchemes", func(all *object) {
			if bearer {
				value(all, schemeBearer, form, appendBearerScheme)
			}
			if mtls {
				value(all, schemeMTLS, form, appendMTLSScheme)
			}
			for i := range c.Schemes {
				all.name(c.Schemes[i].Name)
				all.b = appendScheme(all.b, &c.Schemes[i], form)
			}
		})
	}
	appendRequirements(o, requirementsOf(c), form)
}

// requirementsOf returns the card's own requirements or, if they are nil, one for each
// scheme that is on.
func requirementsOf(c *a2a.Card) []a2a.SecurityRequirement {
	if c.Requirements != nil {
		return c.Requirements
	}
	var all []a2a.SecurityRequirement
	for _, name := range schemesOf(c.Security) {
		all = append(all, a2a.SecurityRequirement{{Scheme: name}})
	}
	return all
}

func appendRequirements(o *object, all []a2a.SecurityRequirement, form cardForm) {
	if len(all) == 0 {
		return
	}
	if form.has03() {
		list(o, "security", all, func(b []byte, r *a2a.SecurityRequirement) []byte { return appendRequirement(b, *r, false) })
	}
	if form.has10() {
		list(o, "securityRequirements", all, func(b []byte, r *a2a.SecurityRequirement) []byte {
			o := openObject(b)
			o.key("schemes")
			o.b = appendRequirement(o.b, *r, true)
			return o.close()
		})
	}
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
		o.nest("httpAuthSecurityScheme", func(inner *object) {
			inner.str("scheme", "Bearer")
			inner.str("description", about)
		})
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
		o.nest("mtlsSecurityScheme", func(inner *object) { inner.str("description", about) })
	}
	return o.close()
}
