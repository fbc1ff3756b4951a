package a2a

import (
	"slices"
	"strings"
)

// rpcCodec is the JSON-RPC codec of a version; 0.3 is the default (§3.6.2).
func (s *Server) rpcCodec(v Version) codec {
	if v == V10 {
		return codec10{}
	}
	return codec03{bridge: s.bridge}
}

const versionName = "A2A-Version"

// versionText is the A2A-Version that the request names, in its header or as a
// query parameter (§3.6.1); "" for none.
func (x *exchange) versionText() string {
	if v := x.r.Header.Get(versionName); v != "" {
		return strings.TrimSpace(v)
	}
	if x.r.URL.RawQuery == "" {
		return ""
	}
	return x.r.URL.Query().Get(versionName)
}

// saidVersion is the dialect that the request names, "" for none or one that is
// not spoken.
func (x *exchange) saidVersion() Version {
	v, _ := parseVersion(x.versionText())
	return v
}

// parseVersion reads major.minor. A patch number says nothing of the dialect
// and is ignored (§3.6).
func parseVersion(text string) (Version, bool) {
	if text == "" {
		return "", true
	}
	for _, v := range []Version{V10, V03} {
		rest, ok := strings.CutPrefix(text, string(v))
		if ok && (rest == "" || rest[0] == '.') {
			return v, true
		}
	}
	return "", false
}

// negotiate reads the service parameters (§3.2.6). The dialect has been decided
// by the path or the method; a version that is not spoken is refused all the
// same.
func (x *exchange) negotiate() error {
	if text := x.versionText(); text != "" {
		if _, ok := parseVersion(text); !ok {
			return ErrVersionNotSupported.With("protocol version %.20q is not supported, only 1.0 and 0.3", text)
		}
	}
	x.params.Version = x.codec.version()
	x.params.TraceParent = validTraceParent(x.r.Header.Get("Traceparent"))
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

// activate switches an extension on for this request when it is supported.
func (x *exchange) activate(uri string) {
	if !slices.Contains(x.params.Extensions, uri) && x.s.handler.Card().speaks(uri) {
		x.params.Extensions = append(x.params.Extensions, uri)
	}
}

// activateFor is activate for what a message names itself (§4.6.2).
func (x *exchange) activateFor(m *Message) {
	for _, uri := range m.Extensions {
		x.activate(uri)
	}
	x.echoExtensions()
}

// echoExtensions tells the client what is active.
func (x *exchange) echoExtensions() {
	if len(x.params.Extensions) == 0 {
		return
	}
	name := "A2A-Extensions"
	if x.codec.version() == V03 {
		name = "X-A2A-Extensions"
	}
	x.w.Header().Set(name, strings.Join(x.params.Extensions, ", "))
}

// requireExtensions refuses a request that leaves out what the card requires
// (§3.3.4).
func (x *exchange) requireExtensions() error {
	for _, uri := range x.s.handler.Card().required() {
		if !slices.Contains(x.params.Extensions, uri) {
			return ErrExtensionRequired.With("extension %s is required: name it in the A2A-Extensions header", uri)
		}
	}
	return nil
}

// TraceID is the trace's id in a Params.TraceParent, "" for none.
func TraceID(traceParent string) string {
	if traceParent = validTraceParent(traceParent); traceParent == "" {
		return ""
	}
	return traceParent[3:35]
}

// validTraceParent returns a W3C traceparent header, "" when it is malformed: it
// reaches the environment of children.
func validTraceParent(v string) string {
	// version "-" trace-id "-" parent-id "-" flags
	if len(v) != 55 || v[2] != '-' || v[35] != '-' || v[52] != '-' || v[:2] == "ff" {
		return ""
	}
	for _, field := range []string{v[:2], v[3:35], v[36:52], v[53:]} {
		if strings.Trim(field, "0123456789abcdef") != "" {
			return ""
		}
	}
	if strings.Trim(v[3:35], "0") == "" || strings.Trim(v[36:52], "0") == "" {
		return ""
	}
	return v
}
