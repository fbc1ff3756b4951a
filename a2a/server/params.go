package server

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// versionParam returns the A2A-Version that the request names, in its header or as a query
// parameter (§3.6.1); "" for none.
func (x *exchange) versionParam() string {
	if v := x.r.Header.Get(a2a.HeaderVersion); v != "" {
		return strings.TrimSpace(v)
	}
	if x.r.URL.RawQuery == "" {
		return ""
	}
	return x.r.URL.Query().Get(a2a.HeaderVersion)
}

// requestedVersion returns the dialect that the request names, "" for none or one that is
// not supported.
func (x *exchange) requestedVersion() a2a.Version {
	v, _ := parseVersion(x.versionParam())
	return v
}

// parseVersion reads major.minor. A patch number does not affect the dialect and is ignored
// (§3.6).
func parseVersion(text string) (a2a.Version, bool) {
	if text == "" {
		return "", true
	}
	for _, v := range []a2a.Version{a2a.V10, a2a.V03} {
		rest, ok := strings.CutPrefix(text, string(v))
		if ok && (rest == "" || rest[0] == '.') {
			return v, true
		}
	}
	return "", false
}

// negotiate reads the service parameters (§3.2.6). The dialect has been decided by the path
// or the method; a version that is not supported is still refused.
func (x *exchange) negotiate() error {
	if text := x.versionParam(); text != "" {
		if _, ok := parseVersion(text); !ok {
			return a2a.ErrVersionNotSupported.With("protocol version %.20q is not supported, only 1.0 and 0.3", text)
		}
	}
	x.params.Version = x.codec.Version()
	x.params.TraceParent = a2a.ValidTraceParent(x.r.Header.Get("Traceparent"))
	for _, name := range []string{"A2a-Extensions", "X-A2a-Extensions"} {
		for _, line := range x.r.Header[name] {
			for uri := range strings.SplitSeq(line, ",") {
				x.activate(strings.TrimSpace(uri))
			}
		}
	}
	x.echoExtensions()
	return nil
}

// activate switches an extension on for this request if it is supported.
func (x *exchange) activate(uri string) {
	if !slices.Contains(x.params.Extensions, uri) && x.s.handler.Card().HasExtension(uri) {
		x.params.Extensions = append(x.params.Extensions, uri)
	}
}

// activateFor activates the extensions that the message itself names (§4.6.2).
func (x *exchange) activateFor(m *a2a.Message) {
	for _, uri := range m.Extensions {
		x.activate(uri)
	}
	x.echoExtensions()
}

// echoExtensions tells the client which extensions are active.
func (x *exchange) echoExtensions() {
	if len(x.params.Extensions) == 0 {
		return
	}
	name := a2a.HeaderExtensions
	if x.codec.Version() == a2a.V03 {
		name = "X-" + a2a.HeaderExtensions
	}
	x.w.Header().Set(name, strings.Join(x.params.Extensions, ", "))
}

// requireExtensions refuses a request that does not activate the extensions that the card
// requires (§3.3.4).
func (x *exchange) requireExtensions() error {
	for _, uri := range x.s.handler.Card().RequiredExtensions() {
		if !slices.Contains(x.params.Extensions, uri) {
			return a2a.ErrExtensionRequired.With("extension %s is required: name it in the A2A-Extensions header", uri)
		}
	}
	return nil
}
