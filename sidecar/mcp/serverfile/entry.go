package serverfile

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// The kinds of servers.
const (
	typeStdio      = "stdio"
	typeHTTP       = "http"
	typeStreamable = "streamable-http" // another word for http
	typeSSE        = "sse"
)

// The keys that one kind of server has and the other has not.
func programKeys() []string { return []string{"command", "args", "env", "cwd", "limits"} }

func addressKeys() []string { return []string{"url", "headers"} }

// entry reads what is written of a server.
func (r *reader) entry(s *Server, n *jsontree.Node, pointer string) {
	keys := slices.Concat([]string{"type"}, programKeys(), addressKeys(), []string{"requires", "timeout", "surface", "disabled", "trustAnnotations", "idle"})
	r.Members(n, pointer, keys, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "command":
			s.Command = append([]string{r.command(m, p)}, s.Command...)
		case "args":
			s.Command = append(s.Command, r.args(m, p)...)
		case "env":
			s.Env = r.env(m, p)
		case "cwd":
			s.Cwd = keep(r, manifest.ParseDirectory, m, p)
		case "url":
			s.URL = r.url(m, p)
		case "headers":
			s.Header = r.headers(m, p)
		case "requires":
			s.Requires = keep(r, manifest.ParseRequires, m, p)
		case "limits":
			s.Limits = keep(r, manifest.ParseLimits, m, p)
		case "timeout":
			s.Timeout = r.duration(m, p)
		case "idle":
			s.Idle = r.duration(m, p)
		case "surface":
			s.Surface = r.OneOf(m, p, manifest.SurfaceAlways, manifest.SurfaceDiscoverable)
		case "disabled":
			s.Disabled = r.truth(m, p)
		case "trustAnnotations":
			s.TrustAnnotations = r.truth(m, p)
		}
	})
	if n.Kind == jsontree.Object {
		r.kind(s, n, pointer)
	}
}

// keep decodes a part by a function of package manifest, and keeps its faults.
func keep[T any](r *reader, parse func(*jsontree.Node, string) (T, jsontree.Faults), n *jsontree.Node, pointer string) T {
	v, faults := parse(n, pointer)
	for i := range faults {
		faults[i].Subject = r.Subject
	}
	r.Faults = append(r.Faults, faults...)
	return v
}

func (r *reader) duration(n *jsontree.Node, pointer string) time.Duration {
	return keep(r, manifest.ParseDuration, n, pointer)
}

func (r *reader) truth(n *jsontree.Node, pointer string) bool {
	if n.Kind != jsontree.Bool {
		r.Wrong(n, pointer, "true or false")
	}
	return n.Kind == jsontree.Bool && n.Text == "true"
}

// kind checks that the entry describes a server of one kind.
func (r *reader) kind(s *Server, n *jsontree.Node, pointer string) {
	kind := typeStdio
	if n.Get("url") != nil {
		kind = typeHTTP
	}
	if t := n.Get("type"); t != nil {
		p := jsontree.Child(pointer, "type")
		if t.Str() == typeSSE {
			r.Fault(t.Offset, p, "the transport sse was taken out of MCP, and is not spoken here", `write "http" and the server's address for streamable HTTP, which mostly ends in /mcp`)
			return
		}
		before := len(r.Faults)
		kind = r.OneOf(t, p, typeStdio, typeHTTP, typeStreamable)
		if len(r.Faults) > before {
			return
		}
	}
	needs, foreign := "command", addressKeys()
	if kind != typeStdio {
		needs, foreign = "url", programKeys()
		s.Command = nil
	}
	if n.Get(needs) == nil {
		hint := `add "command", the program that is the server, or "url", its address`
		if n.Get("type") != nil {
			hint = "add it, or change the type"
		}
		r.Fault(n.Offset, pointer, quote(needs)+" is missing", hint)
	}
	for _, key := range foreign {
		if m := n.Get(key); m != nil {
			r.Fault(m.KeyOffset, jsontree.Child(pointer, key), quote(key)+" means nothing for a server that has "+quote(needs), "remove it")
		}
	}
}

// command returns the program. It is written as it is: what is started must not depend on the
// environment.
func (r *reader) command(n *jsontree.Node, pointer string) string {
	s, ok := r.Text(n, pointer)
	switch {
	case !ok:
	case s == "" || strings.ContainsRune(s, 0):
		r.Fault(n.Offset, pointer, "command must name a program", `as in "npx" or "/usr/bin/github-mcp"`)
	case strings.Contains(s, "${"):
		r.Fault(n.Offset, pointer, "variables are not replaced in command", "write the program itself; args, env, url and headers may have variables")
	}
	return s
}

func (r *reader) args(n *jsontree.Node, pointer string) []string {
	if n.Kind != jsontree.Array {
		r.Wrong(n, pointer, "an array of strings")
		return nil
	}
	args := make([]string, len(n.Children))
	for i := range n.Children {
		args[i] = r.expand(&n.Children[i], jsontree.Item(pointer, i))
	}
	return args
}

// env returns the variables of the program, in the order of the file.
func (r *reader) env(n *jsontree.Node, pointer string) []string {
	if n.Kind != jsontree.Object {
		r.Wrong(n, pointer, `an object, as in {"GITHUB_TOKEN":"${GITHUB_TOKEN}"}`)
		return nil
	}
	env := make([]string, 0, len(n.Children))
	for i := range n.Children {
		m := &n.Children[i]
		p := jsontree.Child(pointer, m.Key)
		switch {
		case !variableName(m.Key):
			r.Fault(m.KeyOffset, p, quote(m.Key)+" is not the name of a variable", "a name has letters, digits and _")
		case strings.HasPrefix(m.Key, "SIDECAR_"):
			r.Fault(m.KeyOffset, p, "the variable "+m.Key+" is the sidecar's own", "choose another name")
		default:
			env = append(env, m.Key+"="+r.expand(m, p))
		}
	}
	return env
}

// url returns the address of a server.
func (r *reader) url(n *jsontree.Node, pointer string) string {
	before := len(r.Faults)
	s := r.expand(n, pointer)
	if len(r.Faults) > before {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		r.Fault(n.Offset, pointer, "url must be an address of http or https", `as in "https://mcp.example.com/mcp"`)
	case u.User != nil:
		r.Fault(n.Offset, pointer, "url has a user name in it", `write it as "headers":{"Authorization":"Basic …"}`)
	case u.Fragment != "":
		r.Fault(n.Offset, pointer, "url has a fragment, which is never sent", "remove what begins with #")
	}
	return s
}

// headers returns what is sent with each request.
func (r *reader) headers(n *jsontree.Node, pointer string) http.Header {
	if n.Kind != jsontree.Object {
		r.Wrong(n, pointer, `an object, as in {"Authorization":"Bearer ${TOKEN}"}`)
		return nil
	}
	all := http.Header{}
	for i := range n.Children {
		m := &n.Children[i]
		p := jsontree.Child(pointer, m.Key)
		if keep(r, manifest.ParseHeader, m, p); m.Kind != jsontree.String {
			continue
		}
		if name := strings.ToLower(m.Key); slices.Contains([]string{"accept", "content-type", "last-event-id"}, name) || strings.HasPrefix(name, "mcp-") {
			r.Fault(m.KeyOffset, p, quote(m.Key)+" is set by the protocol", "remove it")
			continue
		}
		value := r.expand(m, p)
		if !manifest.HeaderValue(value) {
			r.Fault(m.Offset, p, "the value has a line break or another control character in it", "")
			continue
		}
		all.Add(strings.Clone(m.Key), value)
	}
	return all
}
