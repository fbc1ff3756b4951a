package manifest

import (
	"slices"
	"strings"
)

// part is a piece of a template: literal text, or the name of an argument.
type part struct {
	text     string
	argument bool
}

// template is text with {name} placeholders.
type template []part

// parseTemplate splits s. A pair of braces is a placeholder if it holds the name of a
// declared argument or something that looks like one; {"a":1}, {print $1} and {go,md}
// stay as they are.
func parseTemplate(s string, declared map[string]property) template {
	var t template
	literal := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '{' {
			continue
		}
		end := strings.IndexAny(s[i+1:], "{}")
		if end < 0 || s[i+1+end] != '}' {
			continue
		}
		name := s[i+1 : i+1+end]
		if _, ok := declared[name]; !ok && !identifier(name) {
			continue
		}
		if literal < i {
			t = append(t, part{text: s[literal:i]})
		}
		t = append(t, part{text: name, argument: true})
		i += 1 + end
		literal = i + 1
	}
	if literal < len(s) {
		t = append(t, part{text: s[literal:]})
	}
	return t
}

// identifier reports whether s looks like the name of an argument.
func identifier(s string) bool {
	for i := range len(s) {
		if !isWord(s[i]) && (s[i] != '-' || i == 0) || i == 0 && isDigit(s[0]) {
			return false
		}
	}
	return s != ""
}

// arguments returns the names in a template, each once.
func (t template) arguments() []string {
	var names []string
	for _, p := range t {
		if p.argument && !slices.Contains(names, p.text) {
			names = append(names, p.text)
		}
	}
	return names
}

// prefix returns the literal text before the first placeholder.
func (t template) prefix() string {
	if len(t) > 0 && !t[0].argument {
		return t[0].text
	}
	return ""
}

// isLiteral reports whether t is exactly s, without a placeholder.
func (t template) isLiteral(s string) bool {
	return len(t) == 1 && !t[0].argument && t[0].text == s
}

// isFlag reports whether t is an option whose value, if it takes one, is the next
// element.
func (t template) isFlag() bool {
	first := t.prefix()
	if len(first) < 2 && (len(t) < 2 || first != "-") || first[0] != '-' || t.isLiteral("--") {
		return false
	}
	for _, p := range t {
		if !p.argument && strings.Contains(p.text, "=") {
			return false
		}
	}
	return true
}

// isOption reports whether t begins an option of its own, so that no flag before it
// takes it as its value.
func (t template) isOption() bool { return strings.HasPrefix(t.prefix(), "-") }

// takesValue reports whether next, which follows t, may be the value of t.
func (t template) takesValue(next template) bool { return t.isFlag() && !next.isOption() }

// String returns the template as it was written.
func (t template) String() string {
	var b strings.Builder
	for _, p := range t {
		if p.argument {
			b.WriteString("{" + p.text + "}")
		} else {
			b.WriteString(p.text)
		}
	}
	return b.String()
}
