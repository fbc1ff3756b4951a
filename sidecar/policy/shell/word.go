package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// evaluate removes the quotes of a word, and finds where it stops being known.
func evaluate(w *syntax.Word) Word {
	e := evaluation{alone: len(w.Parts) == 1}
	if braces(w.Parts) {
		e.unknown(true)
	}
	for _, p := range w.Parts {
		e.part(p)
	}
	return Word{Text: e.b.String(), Fixed: !e.dynamic, Many: e.many}
}

func evaluateAll(words []*syntax.Word) []Word {
	out := make([]Word, len(words))
	for i, w := range words {
		out[i] = evaluate(w)
	}
	return out
}

// evaluation is a word while it is read. After the first part that is not known, only
// whether there may be many words still matters.
type evaluation struct {
	b             strings.Builder
	dynamic, many bool
	alone         bool // the word has one part
}

func (e *evaluation) known(s string) {
	if !e.dynamic {
		e.b.WriteString(s)
	}
}

func (e *evaluation) unknown(many bool) {
	e.dynamic, e.many = true, e.many || many
}

func (e *evaluation) part(p syntax.WordPart) {
	switch p := p.(type) {
	case *syntax.Lit:
		e.literal(p.Value)
	case *syntax.SglQuoted:
		if p.Dollar {
			e.unknown(false)
			return
		}
		e.known(p.Value)
	case *syntax.DblQuoted:
		if p.Dollar {
			e.unknown(false)
		}
		for _, q := range p.Parts {
			e.quoted(q)
		}
	case *syntax.ParamExp:
		e.unknown(p.Param == nil || !strings.Contains("#?$!", p.Param.Value)) // those are numbers
	default:
		e.unknown(true)
	}
}

// quoted reads a part that stands in double quotes.
func (e *evaluation) quoted(p syntax.WordPart) {
	switch p := p.(type) {
	case *syntax.Lit:
		e.known(unescape(p.Value))
	case *syntax.ParamExp:
		e.unknown(p.Param == nil || p.Param.Value == "@")
	default:
		e.unknown(false)
	}
}

// unescape removes the backslashes that mean something in double quotes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			i++
			if s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// literal reads text without quotes. A glob, a ~ and braces become other words in a
// shell, and a $ before quotes means something in bash alone.
func (e *evaluation) literal(s string) {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\' && i+1 < len(s):
			i++
			if s[i] != '\n' {
				e.known(s[i : i+1])
			}
		case c == '*' || c == '?' || c == '[':
			if c == '[' && s == "[" && e.alone {
				e.known(s) // the command
				continue
			}
			e.unknown(true)
		case c == '$' || c == '~' && (i == 0 || s[i-1] == '=' || s[i-1] == ':'):
			e.unknown(false)
		default:
			e.known(s[i : i+1])
		}
	}
}

// braces reports whether bash would take {a,b} or {1..3} in a word for several words; what
// stands between may be quoted.
func braces(parts []syntax.WordPart) bool {
	open := false
	for _, p := range parts {
		l, ok := p.(*syntax.Lit)
		if !ok {
			continue
		}
		s := l.Value
		if !open {
			i := strings.IndexByte(s, '{')
			if i < 0 {
				continue
			}
			open, s = true, s[i:]
		}
		if strings.Contains(s, ",") || strings.Contains(s, "..") {
			return true
		}
	}
	return false
}
