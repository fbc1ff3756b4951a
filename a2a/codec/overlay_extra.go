package codec

import (
	"encoding/json"
	"net"
	"net/url"
	"slices"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// maxCardList is how many extensions a card may have; the same limit holds for interfaces,
// for schemes and for signatures.
const maxCardList = 64

// atMost returns an error if count is above maxCardList.
func (n *node) atMost(count int) error {
	if count > maxCardList {
		return n.errorf("has %d elements, more than %d", count, maxCardList)
	}
	return nil
}

// mustMembers is each, with exact keys, for a value that must not be null.
func (n *node) mustMembers(member func(key string, v *node) error) error {
	if n.null() {
		return n.wrongType("an object")
	}
	return n.each(exact, member)
}

// elements reads a list that must not be null, and returns its elements after those of
// all.
func elements[T any](n *node, all []T, read func(v *node, e *T) error) ([]T, error) {
	if n.null() {
		return nil, n.wrongType("a list")
	}
	all = slices.Clone(all)
	err := n.list(func(v *node) error {
		var e T
		err := read(v, &e)
		all = append(all, e)
		return err
	})
	return all, err
}

// extensions adds extensions to the card. An extension replaces the one with the same URI.
func (n *node) extensions(c *a2a.Card) error {
	read, err := elements(n, nil, (*node).extension)
	if err != nil {
		return err
	}
	all := slices.Clone(c.Extensions)
	for _, e := range read {
		if at := slices.IndexFunc(all, func(o a2a.Extension) bool { return o.URI == e.URI }); at >= 0 {
			all[at] = e
		} else {
			all = append(all, e)
		}
	}
	c.Extensions = all
	return n.atMost(len(all))
}

func (n *node) extension(e *a2a.Extension) error {
	err := n.mustMembers(func(key string, v *node) error {
		switch key {
		case "uri":
			if err := v.nonEmpty(&e.URI); err != nil {
				return err
			}
			if !a2a.ValidExtensionURI(e.URI) {
				return v.errorf("%.100q is no absolute URI of printable ASCII without commas", e.URI)
			}
			return nil
		case "description":
			return v.str(&e.Description)
		case "required":
			return v.boolean(&e.Required)
		case "params":
			return v.jsonObject(&e.Params)
		}
		return v.unknown()
	})
	if err == nil && e.URI == "" {
		return n.errorf("uri is missing")
	}
	return err
}

// jsonObject reads an object and keeps its JSON.
func (n *node) jsonObject(to *json.RawMessage) error {
	if n.text[0] != '{' {
		return n.wrongType("an object")
	}
	*to = n.json()
	return nil
}

// schemes adds security schemes to the card. A scheme replaces the one with the same name.
func (n *node) schemes(c *a2a.Card) error {
	all := slices.Clone(c.Schemes)
	err := n.mustMembers(func(key string, v *node) error {
		s := a2a.SecurityScheme{Name: key}
		if err := v.securityScheme(&s); err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(o a2a.SecurityScheme) bool { return o.Name == key })
		all = append(all, s)
		return nil
	})
	if err == nil {
		err = n.atMost(len(all))
	}
	c.Schemes = all
	return err
}

// requirements reads which schemes are needed. They replace the server's own.
func (n *node) requirements(c *a2a.Card) (err error) {
	c.Requirements, err = elements(n, []a2a.SecurityRequirement{}, (*node).requirement)
	return err
}

// checkRequirements refuses requirements with schemes that the card does not have.
func checkRequirements(c *a2a.Card) error {
	for _, r := range c.Requirements {
		for _, need := range r {
			known := slices.Contains(schemesOf(c.Security), need.Scheme) ||
				slices.ContainsFunc(c.Schemes, func(s a2a.SecurityScheme) bool { return s.Name == need.Scheme })
			if !known {
				return &shapeError{path: "security", text: "names the scheme \"" + need.Scheme + "\", which is not in securitySchemes"}
			}
		}
	}
	return nil
}

func (n *node) signatures(c *a2a.Card) (err error) {
	if c.Signatures, err = elements(n, nil, (*node).signature); err != nil {
		return err
	}
	return n.atMost(len(c.Signatures))
}

func (n *node) signature(s *a2a.Signature) error {
	err := n.mustMembers(func(key string, v *node) error {
		switch key {
		case "protected":
			return v.nonEmpty(&s.Protected)
		case "signature":
			return v.nonEmpty(&s.Signature)
		case "header":
			return v.jsonObject(&s.Header)
		}
		return v.unknown()
	})
	if err == nil && (s.Protected == "" || s.Signature == "") {
		return n.errorf("needs protected and signature")
	}
	return err
}

// interfaces adds addresses after the server's own.
func (n *node) interfaces(c *a2a.Card) (err error) {
	if c.Interfaces, err = elements(n, c.Interfaces, (*node).agentInterface); err != nil {
		return err
	}
	return n.atMost(len(c.Interfaces))
}

func (n *node) agentInterface(i *a2a.Interface) error {
	err := n.mustMembers(func(key string, v *node) error {
		switch key {
		case "url":
			return v.nonEmpty(&i.URL)
		case "protocolBinding":
			return v.nonEmpty(&i.Binding)
		case "protocolVersion":
			return v.nonEmpty(&i.Version)
		case "tenant":
			return v.str(&i.Tenant)
		}
		return v.unknown()
	})
	switch {
	case err != nil:
		return err
	case i.URL == "" || i.Binding == "" || i.Version == "":
		return n.errorf("needs url, protocolBinding and protocolVersion")
	case !reachableAt(i):
		return n.errorf("url %.200q is no absolute address such as https://agent.example.com/a2a", i.URL)
	}
	return nil
}

// reachableAt reports whether the URL of i is a valid address. For gRPC it may be a host
// with a port.
func reachableAt(i *a2a.Interface) bool {
	if host, port, err := net.SplitHostPort(i.URL); i.Binding == "GRPC" && err == nil && host != "" && port != "" {
		return true
	}
	u, err := url.Parse(i.URL)
	return err == nil && u.Scheme != "" && u.Host != ""
}
