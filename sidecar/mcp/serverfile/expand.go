package serverfile

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// expand returns the value of a string in which ${NAME} and ${NAME:-default} stand for variables
// of the environment. A variable that is not set, and has no default, is a fault. An empty
// variable is as good as none only for a default, as in a shell.
func (r *reader) expand(n *jsontree.Node, pointer string) string {
	s, ok := r.Text(n, pointer)
	if !ok {
		return ""
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(s, "${")
		b.WriteString(before)
		if !found {
			break
		}
		inner, rest, closed := strings.Cut(after, "}")
		if !closed {
			r.Fault(n.Offset, pointer, "a variable is not closed: ${"+text.Shorten(after, quoteMax), "write ${NAME} or ${NAME:-default}")
			return ""
		}
		b.WriteString(r.variable(inner, n, pointer))
		s = rest
	}
	if value := b.String(); strings.ContainsRune(value, 0) {
		r.Fault(n.Offset, pointer, "the value has a NUL character in it", "")
		return ""
	}
	return b.String()
}

// variable returns the value of what stands between ${ and }.
func (r *reader) variable(inner string, n *jsontree.Node, pointer string) string {
	name, fallback, has := strings.Cut(inner, ":-")
	if !variableName(name) {
		r.Fault(n.Offset, pointer, quote(name)+" is not the name of a variable", "write ${NAME} or ${NAME:-default}")
		return ""
	}
	value, set := r.o.Lookup(name)
	switch {
	case value != "":
		return value
	case has:
		return strings.Clone(fallback)
	case !set:
		r.Fault(n.Offset, pointer, "the variable "+name+" is not set", "set it for the sidecar, or write ${"+name+":-default}")
	}
	return value
}

// variableName reports whether s can be the name of a variable.
func variableName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c|0x20 < 'a' || c|0x20 > 'z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// quoteMax bounds how much of the file a message repeats, in bytes.
const quoteMax = 80

func quote(s string) string { return text.Quote(s, quoteMax) }
