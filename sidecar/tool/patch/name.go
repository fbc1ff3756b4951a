package patch

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// nowhere is the name of a file that is not there.
const nowhere = "/dev/null"

var (
	errQuoted  = errors.New("a name whose quotes or escapes are wrong")
	errControl = errors.New("a name with a control character in it: write it in double quotes, as in \"a\\tb\"")
	errName    = errors.New("a name with a NUL character in it, or bytes that are no UTF-8")
	errEmpty   = errors.New("an empty name")
)

// nameOf reads a name as it stands after "--- " and the like: up to a tab, before which a time stands, or
// in quotes.
func nameOf(raw string) (string, error) {
	if strings.HasPrefix(raw, `"`) {
		name, rest, err := unquote(raw)
		if err == nil && rest != "" && rest[0] != '\t' {
			err = errQuoted
		}
		return name, err
	}
	name, _, _ := strings.Cut(raw, "\t")
	return name, good(name)
}

// good returns an error for what is no name. Those that were quoted may have control characters.
func good(name string) error {
	for i := range len(name) {
		if name[i] < ' ' || name[i] == 0x7f {
			return errControl
		}
	}
	return sound(name)
}

func sound(name string) error {
	switch {
	case name == "":
		return errEmpty
	case strings.ContainsRune(name, 0) || !utf8.ValidString(name):
		return errName
	}
	return nil
}

// escapes are those of one character.
var escapes = strings.NewReplacer(`a`, "\a", `b`, "\b", `t`, "\t", `n`, "\n", `v`, "\v", `f`, "\f", `r`, "\r")

// unquote reads a name in double quotes, with the escapes of C, and returns what follows it.
func unquote(raw string) (name, rest string, err error) {
	var b strings.Builder
	for i := 1; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			return b.String(), raw[i+1:], sound(b.String())
		case c != '\\':
			b.WriteByte(c)
		case i+3 < len(raw) && raw[i+1] >= '0' && raw[i+1] <= '3' && octal(raw[i+2]) && octal(raw[i+3]):
			b.WriteByte((raw[i+1]-'0')<<6 | (raw[i+2]-'0')<<3 | (raw[i+3] - '0'))
			i += 3
		case i+1 < len(raw) && strings.IndexByte(`abtnvfr"\`, raw[i+1]) >= 0:
			b.WriteString(escapes.Replace(raw[i+1 : i+2]))
			i++
		default:
			return "", "", errQuoted
		}
	}
	return "", "", errQuoted
}

func octal(c byte) bool { return c >= '0' && c <= '7' }

// plainNames takes the prefixes of two names away, if both have theirs. A name that is nowhere is "".
func plainNames(before, after string) (string, string) {
	from, a := strings.CutPrefix(before, "a/")
	to, b := strings.CutPrefix(after, "b/")
	a, b = a || before == nowhere, b || after == nowhere
	if !a || !b {
		from, to = before, after
	}
	if before == nowhere {
		from = ""
	}
	if after == nowhere {
		to = ""
	}
	return from, to
}

// gitName returns the name in the rest of a line "diff --git ", "" if the line does not tell: then there are two.
func gitName(rest string) string {
	before, after, ok := gitNames(rest)
	if !ok {
		return ""
	}
	before, after = plainNames(before, after)
	if before != after {
		return ""
	}
	return before
}

func gitNames(rest string) (before, after string, ok bool) {
	if strings.HasPrefix(rest, `"`) {
		before, rest, err := unquote(rest)
		if err != nil || !strings.HasPrefix(rest, " ") {
			return "", "", false
		}
		after, err := nameOf(rest[1:])
		return before, after, err == nil
	}
	middle := len(rest) / 2
	if len(rest)%2 == 0 || rest[middle] != ' ' || good(rest) != nil {
		return "", "", false
	}
	return rest[:middle], rest[middle+1:], true
}
