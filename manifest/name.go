package manifest

import "strings"

// platformNamespaces belong to the platform and are always reserved.
func platformNamespaces() []string { return []string{"sv", CoreNamespace} }

// CoreNamespace is the namespace of the tools that the sidecar brings.
const CoreNamespace = "core"

// IsCanonical reports whether s is a tool's canonical name, as in "acme.search".
func IsCanonical(s string) bool { return canonical(s) }

// canonical reports whether s is ^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$.
func canonical(s string) bool {
	segments, start := 0, true
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			start = false
		case start:
			return false
		case c == '.':
			segments, start = segments+1, true
		case c != '_' && (c < '0' || c > '9'):
			return false
		}
	}
	return segments > 0 && !start
}

// canonicalize returns the canonical name for a legacy one: arxiv_search, arxiv/search
// and ArxivSearch all become arxiv.search. It returns "" if it cannot tell.
func canonicalize(s string) string {
	if len(s) > 256 {
		return ""
	}
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'Z':
			if i > 0 && (s[i-1] >= 'a' && s[i-1] <= 'z' || s[i-1] >= '0' && s[i-1] <= '9') {
				b.WriteByte('_')
			}
			b.WriteByte(c | 0x20)
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '.':
			b.WriteByte(c)
		case c == '/' || c == ':':
			b.WriteByte('.')
		case c == '-' || c == ' ':
			b.WriteByte('_')
		default:
			return ""
		}
	}
	name := segments(b.String())
	if !canonical(name) {
		return ""
	}
	return name
}

// segments drops empty segments and stray underscores. If there is no namespace, it
// makes one of the first word.
func segments(s string) string {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '.' })
	for i := range parts {
		parts[i] = strings.Trim(parts[i], "_")
	}
	if len(parts) == 1 {
		if ns, rest, ok := strings.Cut(parts[0], "_"); ok {
			parts = []string{ns, strings.Trim(rest, "_")}
		}
	}
	return strings.Join(parts, ".")
}

// nameHint returns the fix for a name that is not canonical.
func nameHint(s string) string {
	if c := canonicalize(s); c != "" {
		return "write " + quote(c)
	}
	if tail := segments(strings.ToLower(s)); tail != "" && canonical("acme."+tail) {
		return "put a namespace before it, as in " + quote("acme."+tail)
	}
	return `names are <namespace>.<tool> in lower case, as in "acme.echo"`
}

// ReservedBy returns the reserved namespace that a name is in, or is, "" for none: the platform's, or one
// of reserved, as "github" or "github.*".
func ReservedBy(name string, reserved []string) string {
	for _, ns := range platformNamespaces() {
		if within(name, ns) {
			return ns
		}
	}
	for _, ns := range reserved {
		ns = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(ns), "*"), ".")
		if ns != "" && within(name, ns) {
			return ns
		}
	}
	return ""
}

func within(name, namespace string) bool {
	return name == namespace || strings.HasPrefix(name, namespace) && name[len(namespace)] == '.'
}

// AppendFlat appends a name as some clients write it: with _ for every byte but ASCII letters and
// digits. They drop one of two tools whose names are equal then.
func AppendFlat(b []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			c = '_'
		}
		b = append(b, c)
	}
	return b
}

func flatName(name string) string { return string(AppendFlat(nil, name)) }
