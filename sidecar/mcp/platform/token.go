package platform

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// tokenKey is the member of a message's metadata that is the turn's token.
const tokenKey = "mcpToken"

// Take takes the token out of metadata, those of a message and of the request that it came with,
// and returns the first one. "" says that there is none. The error says what is wrong with a
// token, without a part of it: the metadata has none in any case.
func Take(all ...a2a.Metadata) (token string, err error) {
	for _, m := range all {
		raw, ok := m[tokenKey]
		if !ok {
			continue
		}
		delete(m, tokenKey)
		if token == "" && err == nil {
			token, err = read(raw)
		}
	}
	return token, err
}

// read reads a token as it stands in metadata.
func read(raw json.RawMessage) (string, error) {
	if string(raw) == "null" {
		return "", nil
	}
	var token string
	if json.Unmarshal(raw, &token) != nil {
		return "", wrong("it is not a string")
	}
	switch {
	case len(token) < tokenMin || len(token) > tokenMax:
		return "", wrong(fmt.Sprintf("it has %d bytes; want %d to %d", len(token), tokenMin, tokenMax))
	case !bearer(token):
		return "", wrong("it has other characters than a bearer token may have: letters, digits and -._~+/, with = at the end")
	}
	return token, nil
}

func wrong(why string) error {
	return a2a.ErrInvalidParams.With("message.metadata.%s is not a token: %s", tokenKey, why).At("message.metadata." + tokenKey)
}

// bearer reports whether s is a b64token (RFC 6750 §2.1).
func bearer(s string) bool {
	s = strings.TrimRight(s, "=")
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte("-._~+/", c) >= 0:
		default:
			return false
		}
	}
	return s != ""
}
