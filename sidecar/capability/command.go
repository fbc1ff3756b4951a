package capability

import (
	"errors"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest"
)

var errNUL = errors.New("has a NUL character in it")

// AnyCommand is the Cmd that stands for every program.
const AnyCommand = "*"

// CommandLine writes an argv as a shell would read it.
func CommandLine(argv []string) string {
	var b strings.Builder
	for i, a := range argv {
		if i > 0 {
			b.WriteByte(' ')
		}
		if a != "" && strings.IndexFunc(a, special) < 0 {
			b.WriteString(a)
			continue
		}
		b.WriteByte('\'')
		b.WriteString(strings.ReplaceAll(a, "'", `'\''`))
		b.WriteByte('\'')
	}
	return b.String()
}

// special reports whether a shell may give a character a meaning.
func special(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r < 0x80 && !strings.ContainsRune("-_./:=@%+,", r)
}

// commandPattern writes a declared command in the syntax of rules: "git:*" for any
// arguments, else one word for each.
func commandPattern(c manifest.ShellRun) string {
	if c.Args == nil {
		return c.Cmd + ":*"
	}
	words := []string{c.Cmd}
	for _, a := range c.Args {
		switch a.Match {
		case manifest.ArgAny:
			words = append(words, "*")
		case manifest.ArgPrefix:
			words = append(words, a.Text+"*")
		default:
			words = append(words, a.Text)
		}
	}
	return strings.Join(words, " ")
}

// Covers reports whether a command that a tool declares is this argv.
func Covers(c manifest.ShellRun, argv []string) bool {
	if len(argv) == 0 || c.Cmd != AnyCommand && c.Cmd != argv[0] {
		return false
	}
	if c.Args == nil {
		return true
	}
	if len(c.Args) != len(argv)-1 {
		return false
	}
	for i, a := range c.Args {
		arg := argv[i+1]
		switch {
		case a.Match == manifest.ArgExact && arg != a.Text, a.Match == manifest.ArgPrefix && !strings.HasPrefix(arg, a.Text):
			return false
		}
	}
	return true
}
