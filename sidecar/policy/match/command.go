package match

import (
	"path"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/policy/shell"
)

// Command is a pattern for one simple command: its words, in which a * alone is exactly
// one argument and a * in a word any text, and :* at the end for any further arguments.
// Quotes keep blanks together and make a * a star.
type Command struct {
	source string
	words  []Text
	rest   bool
}

// ParseCommand reads a pattern, as in "git push:*" or "npm run *".
func ParseCommand(s string) (Command, error) {
	if err := bounded(s); err != nil {
		return Command{}, err
	}
	c := Command{source: s}
	body, rest := strings.CutSuffix(s, ":*")
	c.rest = rest
	words, ok := split(body)
	switch {
	case !ok:
		return Command{}, &Error{Message: "has a quote without an end", Hint: "close it"}
	case len(words) == 0:
		return Command{}, &Error{Message: "names no command", Hint: `write it before the :*, as in "git push:*"`}
	case slices.ContainsFunc(words, operator):
		return Command{}, &Error{Message: "holds more than one command: it never matches", Hint: "each command of a line is judged alone: write one rule for each", Never: true}
	}
	for _, w := range words {
		c.words = append(c.words, parseText(w))
	}
	return c, nil
}

func operator(w string) bool {
	switch w {
	case ";", "|", "||", "&", "&&", ">", ">>", "<":
		return true
	}
	return strings.HasSuffix(w, ";")
}

// split returns the words of a pattern; what is in quotes has its stars escaped.
func split(s string) (words []string, ok bool) {
	var b strings.Builder
	var quote byte
	open := false
	for i := range len(s) {
		switch c := s[i]; {
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			if c == '*' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(c)
		case c == '\'' || c == '"':
			quote, open = c, true
		case c == ' ' || c == '\t' || c == '\n':
			if open {
				words = append(words, b.String())
			}
			b.Reset()
			open = false
		default:
			open = true
			b.WriteByte(c)
		}
	}
	if open {
		words = append(words, b.String())
	}
	return words, quote == 0
}

// String returns the pattern as it was written.
func (c Command) String() string { return c.source }

// Rank returns how specific the pattern is.
func (c Command) Rank() Rank {
	r := Rank{Exact: !c.rest}
	for i, w := range c.words {
		text, ok := w.literal()
		if r.Length += len(text); ok {
			r.Length++
			continue
		}
		r.Exact = false
		r.Tail = w.Rank().Tail || slices.ContainsFunc(c.words[i+1:], func(w Text) bool { return !w.everything() })
		break
	}
	return r
}

// Covers reports whether the pattern matches a command, whatever its words that are not
// known become. The name must be written as in the pattern: git does not cover ./git.
func (c Command) Covers(cmd *shell.Command) bool {
	if len(cmd.Words) < len(c.words) || !c.rest && (cmd.Open || len(cmd.Words) > len(c.words)) {
		return false
	}
	for i, t := range c.words {
		switch w := cmd.Words[i]; {
		case w.Many:
			return false
		case w.Fixed && !t.Matches(w.Text):
			return false
		case !w.Fixed && !t.coversBeginning(w.Text):
			return false
		}
	}
	return true
}

// coversBeginning reports whether the pattern matches everything that begins with prefix.
func (t Text) coversBeginning(prefix string) bool {
	return len(t.parts) == 2 && t.parts[1] == "" && strings.HasPrefix(prefix, t.parts[0])
}

// Touches reports whether the pattern may match a command: by the name of its program
// in any directory, with options before its first argument, and with words that are only
// known when it runs. A command whose name is not known is not touched.
func (c Command) Touches(cmd *shell.Command) bool {
	name := cmd.Name()
	if name == "" || !c.touchesName(name) {
		return false
	}
	args := cmd.Words[1:]
	if len(c.words) == 1 {
		return c.may(nil, args, cmd.Open)
	}
	reach := make([]bool, len(args)+3)
	reach[0] = true
	for i := 0; i <= len(args); i++ {
		if !reach[i] {
			continue
		}
		if c.may(c.words[1:], args[i:], cmd.Open) {
			return true
		}
		if i < len(args) && strings.HasPrefix(args[i].Text, "-") {
			reach[i+1], reach[i+2] = true, true // the next word may be the option's value
		}
	}
	return false
}

// touchesName reports whether a program may be the pattern's. Systems that do not tell
// capitals from small letters run rm as RM.
func (c Command) touchesName(name string) bool {
	t := c.words[0]
	literal, ok := t.literal()
	switch {
	case !ok:
		return t.Matches(name) || t.Matches(path.Base(name))
	case strings.Contains(literal, "/") && strings.Contains(name, "/"):
		return strings.EqualFold(path.Clean(literal), path.Clean(name))
	}
	return strings.EqualFold(path.Base(literal), path.Base(name))
}

// may reports whether words of a command may match words of the pattern.
func (c Command) may(words []Text, args []shell.Word, open bool) bool {
	for i, t := range words {
		if i >= len(args) {
			return open
		}
		switch w := args[i]; {
		case w.Many:
			return t.MayBegin(w.Text)
		case w.Fixed && !t.Matches(w.Text):
			return false
		case !w.Fixed && !t.MayBegin(w.Text):
			return false
		}
	}
	return c.rest || !slices.ContainsFunc(args[len(words):], func(w shell.Word) bool { return !w.Many })
}

// Named reports whether source holds the name of the pattern's program. Source that
// cannot be taken apart is touched by patterns for whatever it names.
func (c Command) Named(source string) bool {
	literal, ok := c.words[0].literal()
	return !ok || strings.Contains(strings.ToLower(source), strings.ToLower(path.Base(literal)))
}

// CoversPattern reports whether every command that another pattern matches is inside this
// one. It may say no where that is so.
func (c Command) CoversPattern(other string) bool {
	o, err := ParseCommand(other)
	if err != nil || len(o.words) < len(c.words) || !c.rest && (o.rest || len(o.words) > len(c.words)) {
		return false
	}
	for i, t := range c.words {
		if text, ok := o.words[i].literal(); !(ok && t.Matches(text)) && !(!ok && i > 0 && t.everything()) {
			return false
		}
	}
	return true
}

// TouchesPattern reports whether some command may be matched by both patterns.
func (c Command) TouchesPattern(other string) bool {
	o, err := ParseCommand(other)
	if err != nil {
		return true
	}
	if name, ok := o.words[0].literal(); ok && !c.touchesName(name) {
		return false
	}
	for i := 1; i < min(len(c.words), len(o.words)); i++ {
		if !c.words[i].MayEqual(o.words[i]) {
			return false
		}
	}
	return (c.rest || len(o.words) <= len(c.words)) && (o.rest || len(c.words) <= len(o.words))
}
