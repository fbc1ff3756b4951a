package client

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// The arguments that a server wants to see in headers (2026-07-28, by HTTP only).
const (
	headerArgument = "Mcp-Param-"
	maxHeaders     = 32
	maxNested      = 8       // objects within objects
	maxHeader      = 4 << 10 // bytes of a value
	maxInteger     = 1<<53 - 1
)

type headersKey struct{}

// withHeaders returns a context for a request that has headers of its own.
func withHeaders(ctx context.Context, h http.Header) context.Context {
	if len(h) == 0 {
		return ctx
	}
	return context.WithValue(ctx, headersKey{}, h)
}

// marked is what a schema says of headers: x-mcp-header, at any depth of properties.
type marked struct {
	Header     any                        `json:"x-mcp-header"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// maxHeaderName is the longest name of such a header, in bytes.
const maxHeaderName = 64

// headerName reports whether a header may have that name: a token of HTTP's.
func headerName(s string) bool {
	const marks = "!#$%&'*+.^_`|~-"
	return s != "" && len(s) <= maxHeaderName && strings.IndexFunc(s, func(c rune) bool {
		return !('A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || strings.ContainsRune(marks, c))
	}) < 0
}

// argumentHeaders returns the headers that a call's arguments have to be in, by the tool's
// schema.
func argumentHeaders(schema, arguments json.RawMessage) http.Header {
	h := http.Header{}
	if strings.Contains(string(schema), "x-mcp-header") {
		mark(h, schema, arguments, maxNested)
	}
	return h
}

// mark adds the headers of an object's members, and of objects among them.
func mark(h http.Header, schema, object json.RawMessage, depth int) {
	var s marked
	var members map[string]json.RawMessage
	if json.Unmarshal(schema, &s) != nil || json.Unmarshal(object, &members) != nil {
		return
	}
	for name, property := range s.Properties {
		value, ok := members[name]
		if !ok {
			continue
		}
		var p marked
		if json.Unmarshal(property, &p) != nil {
			continue
		}
		if header, ok := p.Header.(string); ok && headerName(header) && len(h) < maxHeaders {
			if v, ok := headerValue(value); ok {
				h.Set(headerArgument+header, v)
			}
		}
		if len(p.Properties) > 0 && depth > 0 {
			mark(h, property, value, depth-1)
		}
	}
}

// headerValue writes a text, an integer or a boolean for a header, in base64 if it must be.
func headerValue(raw json.RawMessage) (string, bool) {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "", false
	}
	s := ""
	switch v := v.(type) {
	case string:
		s = v
	case bool:
		s = strconv.FormatBool(v)
	case float64:
		if v != float64(int64(v)) || v > maxInteger || v < -maxInteger {
			return "", false
		}
		s = strconv.FormatInt(int64(v), 10)
	default:
		return "", false
	}
	plain := strings.TrimSpace(s) == s && !strings.HasPrefix(s, "=?base64?") && strings.IndexFunc(s, func(r rune) bool { return r < 0x20 || r > 0x7e }) < 0
	if !plain {
		s = "=?base64?" + base64.StdEncoding.EncodeToString([]byte(s)) + "?="
	}
	return s, len(s) <= maxHeader
}
