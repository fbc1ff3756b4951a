package codec

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// schemeKind describes one kind of security scheme: its names, and the members that it must
// and may have.
type schemeKind struct {
	name    string // in 0.3, as the value of type
	wrapper string // in 1.0, as the name of the only member
	must    []string
	may     []string
}

// schemeKinds are the kinds of the specification (§4.5).
var schemeKinds = []schemeKind{
	{"apiKey", "apiKeySecurityScheme", []string{"location", "name"}, []string{"description"}},
	{"http", "httpAuthSecurityScheme", []string{"scheme"}, []string{"bearerFormat", "description"}},
	{"oauth2", "oauth2SecurityScheme", []string{"flows"}, []string{"oauth2MetadataUrl", "description"}},
	{"openIdConnect", "openIdConnectSecurityScheme", []string{"openIdConnectUrl"}, []string{"description"}},
	{"mutualTLS", "mtlsSecurityScheme", nil, []string{"description"}},
}

// member03 returns the name of a scheme's member in 0.3.
func member03(kind, name string) string {
	if kind == "apiKey" && name == "location" {
		return "in"
	}
	return name
}

func kindOfScheme(is func(schemeKind) bool) (schemeKind, bool) {
	i := slices.IndexFunc(schemeKinds, is)
	if i < 0 {
		return schemeKind{}, false
	}
	return schemeKinds[i], true
}

// wrapped returns the kind of a scheme of 1.0 and the value of its only member. The value
// is nil if the scheme is not written in this form.
func (n *node) wrapped() (kind schemeKind, body *node) {
	_ = n.each(exact, func(key string, v *node) error { // its errors are found again
		if k, ok := kindOfScheme(func(k schemeKind) bool { return k.wrapper == key }); ok {
			kind, body = k, v
		}
		return nil
	})
	return kind, body
}

// securityScheme reads a scheme in the form of 1.0 or 0.3. A scheme that has both forms, as
// on the public card, is read as one of 1.0.
func (n *node) securityScheme(s *a2a.SecurityScheme) error {
	if kind, body := n.wrapped(); body != nil {
		s.Kind = kind.name
		return body.schemeMembers(s, kind, nil)
	}
	var name string
	if err := n.mustMembers(func(key string, v *node) error {
		if key == "type" {
			return v.nonEmpty(&name)
		}
		return nil
	}); err != nil {
		return err
	}
	kind, ok := kindOfScheme(func(k schemeKind) bool { return k.name == name })
	if !ok {
		return n.errorf("type %q is not one of apiKey, http, oauth2, openIdConnect and mutualTLS, and there is no member such as httpAuthSecurityScheme", name)
	}
	s.Kind = kind.name
	return n.schemeMembers(s, kind, []string{"type"})
}

// schemeMembers reads the members of a scheme, except those in skip.
func (n *node) schemeMembers(s *a2a.SecurityScheme, kind schemeKind, skip []string) error {
	err := n.mustMembers(func(key string, v *node) error {
		if slices.Contains(skip, key) {
			return nil
		}
		if kind.name == "apiKey" && key == "in" {
			key = "location"
		}
		if !slices.Contains(kind.must, key) && !slices.Contains(kind.may, key) {
			return v.unknown()
		}
		if err := v.schemeMember(key); err != nil {
			return err
		}
		s.Members = append(s.Members, a2a.SchemeMember{Name: key, Value: v.json()})
		return nil
	})
	if err != nil {
		return err
	}
	for _, name := range kind.must {
		if !slices.ContainsFunc(s.Members, func(m a2a.SchemeMember) bool { return m.Name == name }) {
			return n.errorf("%s is missing", name)
		}
	}
	return nil
}

func (n *node) schemeMember(key string) error {
	if key == "flows" {
		return n.oauthFlows()
	}
	var text string
	if err := n.nonEmpty(&text); err != nil {
		return err
	}
	if key == "location" && text != "query" && text != "header" && text != "cookie" {
		return n.errorf("%q is not one of query, header and cookie", text)
	}
	return nil
}

// oauthFlows refuses flows that one of the versions cannot express: 1.0 allows one flow for
// each scheme.
func (n *node) oauthFlows() error {
	count := 0
	err := n.mustMembers(func(key string, v *node) error {
		if !slices.Contains([]string{"authorizationCode", "clientCredentials", "implicit", "password", "deviceCode"}, key) {
			return v.unknown()
		}
		if count++; v.text[0] != '{' {
			return v.wrongType("an object")
		}
		return nil
	})
	if err == nil && count != 1 {
		return n.errorf("has %d flows: write one, and a scheme of its own for each", count)
	}
	return err
}

// requirement reads a requirement in the form of 1.0 ({"schemes": …}) or 0.3.
func (n *node) requirement(r *a2a.SecurityRequirement) error {
	if n.text[0] != '{' {
		return n.wrongType(`an object such as {"bearer": []}`)
	}
	if inner := n.onlyMember("schemes"); inner != nil && inner.text[0] == '{' {
		n = inner
	}
	*r = a2a.SecurityRequirement{}
	return n.each(exact, func(key string, v *node) error {
		need := a2a.SchemeScopes{Scheme: key}
		if v.text[0] == '{' {
			inner := v.onlyMember("list")
			if inner == nil {
				return v.wrongType("a list of scopes")
			}
			v = inner
		}
		if err := v.stringList(&need.Scopes); err != nil {
			return err
		}
		*r = append(*r, need)
		return nil
	})
}

// appendScheme appends a scheme with the members of the versions that form has.
func appendScheme(b []byte, s *a2a.SecurityScheme, form cardForm) []byte {
	o := openObject(b)
	if form.has03() {
		o.str("type", s.Kind)
		for _, m := range s.Members {
			o.optRaw(member03(s.Kind, m.Name), m.Value)
		}
	}
	if form.has10() {
		kind, _ := kindOfScheme(func(k schemeKind) bool { return k.name == s.Kind })
		o.nest(kind.wrapper, func(inner *object) {
			for _, m := range s.Members {
				inner.optRaw(m.Name, m.Value)
			}
		})
	}
	return o.close()
}

// appendRequirement appends one requirement. If letter is set, it writes scopes as
// {"list":[…]}, which is the letter of 1.0. The Go client 2.4.0 cannot read a card with
// that. If there are no scopes, it writes [], which every client reads, even the strict
// parser of Python's protocol buffers.
func appendRequirement(b []byte, r a2a.SecurityRequirement, letter bool) []byte {
	o := openObject(b)
	for _, need := range r {
		o.name(need.Scheme)
		if !letter || len(need.Scopes) == 0 {
			o.b = appendStrings(o.b, need.Scopes)
			continue
		}
		inner := openObject(o.b)
		inner.strs("list", need.Scopes)
		o.b = inner.close()
	}
	return o.close()
}
