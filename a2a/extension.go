package a2a

import (
	"encoding/json"
	"net/url"
)

// Extension is a protocol extension that the agent speaks (§4.4.4).
type Extension struct {
	URI         string
	Description string
	// Required reports whether clients that do not activate it are refused.
	Required bool
	// Params is a JSON object, empty for none.
	Params json.RawMessage
}

// maxExtensionURI is the length limit of an extension's URI in bytes: it is sent in
// headers.
const maxExtensionURI = 1 << 10

// ValidExtensionURI reports whether an extension may have this URI. It must be absolute, of
// printable ASCII, and fit as one item into the comma-separated A2A-Extensions header.
func ValidExtensionURI(uri string) bool {
	for i := range len(uri) {
		if c := uri[i]; c <= ' ' || c > '~' || c == ',' || c == '"' {
			return false
		}
	}
	u, err := url.Parse(uri)
	return err == nil && u.IsAbs() && len(uri) <= maxExtensionURI
}

// RequiredExtensions returns the URIs of the extensions that every request must activate.
func (c *Card) RequiredExtensions() []string {
	var uris []string
	for _, e := range c.Extensions {
		if e.Required {
			uris = append(uris, e.URI)
		}
	}
	return uris
}

// HasExtension reports whether the card lists an extension.
func (c *Card) HasExtension(uri string) bool {
	for i := range c.Extensions {
		if c.Extensions[i].URI == uri {
			return true
		}
	}
	return false
}
