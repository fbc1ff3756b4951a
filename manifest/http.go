package manifest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// HTTP is a request to an HTTP API: the response's body is the result.
type HTTP struct {
	// Method is in upper case.
	Method string
	// URL is as written, with placeholders in its path and its query. Expand it with
	// Expand.
	URL string
	// Host is the URL's, which no argument changes.
	Host netguard.Target
	// Headers are sent in addition to the standard ones, in the order of the file.
	Headers []Header
	// Body is "arguments", one line of JSON, or "none".
	Body string

	base  string        // scheme, host and the slash after it
	path  []template    // the path's segments
	query []queryMember // the query's members
}

// The values of HTTP.Body.
const (
	BodyArguments = "arguments"
	BodyNone      = "none"
)

// Header is a header of a request. Value is as written: $NAME and ${NAME} stand for
// variables of the sidecar's environment, and $$ for a dollar.
type Header struct {
	Name  string
	Value string

	parts []part // of Value; an argument is the name of a variable
}

// queryMember is one key=value of a query.
type queryMember struct {
	key, value template
	bare       bool // there is no "="
}

// Variables returns the names of the environment variables in the headers, each once.
func (h *HTTP) Variables() []string {
	var names []string
	for _, header := range h.Headers {
		for _, p := range header.parts {
			if p.argument && !slices.Contains(names, p.text) {
				names = append(names, p.text)
			}
		}
	}
	return names
}

// Expand returns the header's value. lookup returns a variable of the environment, and
// reports whether it is set. The error names the variable that is missing, or whose
// value no header can have; it never contains a value.
func (h Header) Expand(lookup func(name string) (string, bool)) (string, error) {
	var b strings.Builder
	for _, p := range h.parts {
		if !p.argument {
			b.WriteString(p.text)
			continue
		}
		v, ok := lookup(p.text)
		switch {
		case !ok || v == "":
			return "", fmt.Errorf("the variable %s for the header %s is not set", p.text, h.Name)
		case !headerValue(v):
			return "", fmt.Errorf("the variable %s for the header %s has a line break or another control character in it", p.text, h.Name)
		}
		b.WriteString(v)
	}
	return b.String(), nil
}

// headerValue reports whether s can be sent as the value of a header.
func headerValue(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}

const httpExample = `as in {"http":{"method":"GET","url":"https://api.example.com/items/{id}"}}`

// http decodes {"method","url","headers","body"}.
func (c *check) http(n *jsontree.Node, pointer string, input *jsontree.Node) *HTTP {
	h := &HTTP{Method: "GET"}
	c.Members(n, pointer, []string{"method", "url", "headers", "body"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "method":
			h.Method = c.OneOf(m, p, "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
		case "url":
			c.url(h, m, p, input)
		case "headers":
			h.Headers = c.headers(m, p)
		case "body":
			h.Body = c.OneOf(m, p, BodyArguments, BodyNone)
		}
	})
	if n.Kind == jsontree.Object && n.Get("url") == nil {
		c.Fault(n.Offset, pointer, `"url" is missing`, httpExample)
	}
	withBody := slices.Contains([]string{"POST", "PUT", "PATCH"}, h.Method)
	if h.Body == BodyArguments && !withBody && h.Method != "DELETE" && h.Method != "" {
		c.Fault(n.Get("body").Offset, jsontree.Child(pointer, "body"), "a "+h.Method+" request has no body", `put the arguments into the URL, or write "method":"POST"`)
	}
	if h.Body == "" {
		h.Body = BodyNone
		if withBody {
			h.Body = BodyArguments
		}
	}
	return h
}

// url checks a URL and stores it in h: callers choose arguments, not hosts.
func (c *check) url(h *HTTP, n *jsontree.Node, pointer string, input *jsontree.Node) {
	var ok bool
	if h.URL, ok = c.Text(n, pointer); !ok {
		return
	}
	scheme, rest, found := strings.Cut(h.URL, "://")
	if !found || scheme != "http" && scheme != "https" {
		c.Fault(n.Offset, pointer, quote(h.URL)+" is not a URL of http or https", httpExample)
		return
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if strings.ContainsAny(rest[:end], "{}") {
		c.Fault(n.Offset, pointer, "the host cannot come from an argument", "name it, and put the placeholder in the path or the query")
		return
	}
	var err error
	if h.Host, err = netguard.ParseTarget(scheme + "://" + rest[:end]); err != nil {
		c.Fault(n.Offset, pointer, text.Show(err.Error()), "a secret goes into a header: \"headers\":{\"Authorization\":\"Bearer $ACME_TOKEN\"}")
		return
	}
	h.base = scheme + "://" + rest[:end]
	c.urlRest(h, rest[end:], n, pointer, properties(input))
}

// urlRest checks the path and the query.
func (c *check) urlRest(h *HTTP, rest string, n *jsontree.Node, pointer string, declared map[string]property) {
	if strings.Contains(rest, "#") {
		c.Fault(n.Offset, pointer, "a fragment is not sent", "remove the # and what follows it")
		return
	}
	if strings.ContainsFunc(rest, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		c.Fault(n.Offset, pointer, "the URL has a space or a control character in it", "write it as %20")
		return
	}
	path, query, hasQuery := strings.Cut(rest, "?")
	for _, segment := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		t := parseTemplate(segment, declared)
		if t.isLiteral("..") || t.isLiteral(".") {
			c.Fault(n.Offset, pointer, "the path goes up with ..", "write where it goes to")
		}
		h.path = append(h.path, t)
		c.urlArguments(t, n, pointer, declared, true)
	}
	if !hasQuery {
		return
	}
	for _, member := range strings.Split(query, "&") {
		key, value, assigned := strings.Cut(member, "=")
		q := queryMember{key: parseTemplate(key, declared), value: parseTemplate(value, declared), bare: !assigned}
		h.query = append(h.query, q)
		c.urlArguments(q.key, n, pointer, declared, true)
		c.urlArguments(q.value, n, pointer, declared, false)
	}
}

// urlArguments checks the placeholders of one piece of a URL. whole: the URL makes no
// sense without the piece.
func (c *check) urlArguments(t template, n *jsontree.Node, pointer string, declared map[string]property, whole bool) {
	for _, part := range t {
		if _, err := url.PathUnescape(part.text); !part.argument && err != nil {
			c.Fault(n.Offset, pointer, "a % is not followed by two hexadecimal digits", "write it as %25")
		}
	}
	for _, name := range t.arguments() {
		p, ok := declared[name]
		switch {
		case !ok:
			c.unknownArgument(name, n, pointer, declared)
		case p.types.has(jsontree.Object), whole && p.types.has(jsontree.Array):
			c.Fault(n.Offset, pointer, "{"+text.Show(name)+"} is no text that can be put there", "send it in the body")
		case p.types.has(jsontree.Array) && len(t) > 1:
			c.Fault(n.Offset, pointer, "the array {"+text.Show(name)+"} must be the whole value", "write "+quote("key={"+name+"}")+", which is sent once for each item")
		case whole && !p.required:
			c.Fault(n.Offset, pointer, "{"+text.Show(name)+"} is optional, and the path needs it", "require it")
		}
	}
}

// headers decodes {"Name":"$VARIABLE or text"}.
func (c *check) headers(n *jsontree.Node, pointer string) []Header {
	if n.Kind != jsontree.Object {
		c.Wrong(n, pointer, `an object, as in {"Authorization":"Bearer $ACME_TOKEN"}`)
		return nil
	}
	out := make([]Header, 0, len(n.Children))
	for i := range n.Children {
		m := &n.Children[i]
		p := jsontree.Child(pointer, m.Key)
		c.headerName(m, p)
		if value, ok := c.Text(m, p); ok {
			h := Header{Name: strings.Clone(m.Key), Value: value}
			h.parts = c.headerParts(value, m.Offset, p)
			out = append(out, h)
		}
	}
	return out
}

// ParseHeader reads one header, {"Name":"value"}, whose value is taken as it is. pointer is its
// place in the file. The faults are not located yet.
func ParseHeader(m *jsontree.Node, pointer string) (value string, faults jsontree.Faults) {
	c := &check{}
	c.headerName(m, pointer)
	value, _ = c.Text(m, pointer)
	return value, c.Faults
}

// HeaderValue reports whether a text can be the value of a header: it has no control character.
func HeaderValue(s string) bool { return headerValue(s) }

// headerName refuses names that are none, and those that belong to the connection.
func (c *check) headerName(m *jsontree.Node, pointer string) {
	valid := m.Key != "" && strings.IndexFunc(m.Key, func(r rune) bool {
		return r > '~' || !isWord(byte(r)) && !strings.ContainsRune("!#$%&'*+-.^`|~", r)
	}) < 0
	switch name := strings.ToLower(m.Key); {
	case !valid:
		c.Fault(m.KeyOffset, pointer, quote(m.Key)+" is not the name of a header", "")
	case slices.Contains([]string{"host", "content-length", "transfer-encoding", "connection", "te", "trailer", "upgrade", "proxy-authorization", "proxy-connection"}, name):
		c.Fault(m.KeyOffset, pointer, quote(m.Key)+" belongs to the connection", "remove it")
	}
}

// headerParts splits a header's value at its variables.
func (c *check) headerParts(value string, off int, pointer string) []part {
	if !headerValue(value) {
		c.Fault(off, pointer, "the value has a line break or another control character in it", "")
	}
	var parts []part
	literal := ""
	for rest := value; rest != ""; {
		before, after, found := strings.Cut(rest, "$")
		literal += before
		if !found {
			break
		}
		if strings.HasPrefix(after, "$") {
			literal, rest = literal+"$", after[1:]
			continue
		}
		name, tail, ok := variableAt(after)
		switch {
		case !ok:
			c.Fault(off, pointer, "a $ without the name of a variable after it", "write $NAME for a variable of the sidecar's environment, or $$ for a dollar")
			return nil
		case withheld(name) || strings.HasPrefix(name, "SIDECAR_"):
			c.Fault(off, pointer, quote(name)+" is never passed on", "name a variable that is for this API")
		}
		if literal != "" {
			parts = append(parts, part{text: literal})
		}
		parts = append(parts, part{text: strings.Clone(name), argument: true})
		literal, rest = "", tail
	}
	if literal != "" {
		parts = append(parts, part{text: literal})
	}
	return parts
}

// variableAt cuts the name of a variable off s, NAME or {NAME}.
func variableAt(s string) (name, rest string, ok bool) {
	if inner, braced := strings.CutPrefix(s, "{"); braced {
		name, rest, ok = strings.Cut(inner, "}")
		return name, rest, ok && variableName(name)
	}
	end := strings.IndexFunc(s, func(r rune) bool { return r > '~' || !isWord(byte(r)) })
	if end < 0 {
		end = len(s)
	}
	return s[:end], s[end:], variableName(s[:end])
}
