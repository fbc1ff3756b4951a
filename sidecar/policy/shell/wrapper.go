package shell

import (
	"strings"
)

// wrapped looks into a command that starts the rest of its arguments, and reports whether it
// does nothing else.
func (r *reader) wrapped(w *wrapper, name string, c *Command) bool {
	args := c.Words[1:]
	o := options{wrapper: w}
	n, ok := o.skip(args)
	if !ok || o.counted && o.replace != "" { // the later one of these takes the other back
		r.doubt("options of " + name + " that are not known")
		r.suspects(c.Words, c.Open)
		return false
	}
	if o.assigned {
		r.doubt("an assignment")
	}
	inner := args[n:]
	for len(inner) > 0 && name == "time" && inner[0].Fixed && inner[0].Text == "!" {
		r.doubt("syntax that is not in every shell") // bash has a word of its own called time
		inner = inner[1:]
	}
	if len(inner) == 0 {
		if c.Open {
			r.doubt("a command whose name is only known when it runs")
		}
		return false
	}
	next := Command{Words: inner, Open: c.Open, Suspect: c.Suspect}
	if name == "xargs" {
		next = fed(next, o.replace)
	}
	r.command(next)
	return true
}

// fed returns the command of xargs: words from its input are put in place of a text, or
// at its end.
func fed(c Command, replace string) Command {
	if replace == "" {
		c.Open = true
		return c
	}
	words := make([]Word, len(c.Words))
	for i, w := range c.Words {
		words[i] = holed(w, replace, false)
	}
	c.Words = words
	return c
}

// holed returns a word as it is known if something is put in place of a text in it.
func holed(w Word, hole string, many bool) Word {
	before, _, found := strings.Cut(w.Text, hole)
	if !found {
		return w
	}
	return Word{Text: before, Many: w.Many || many}
}

// options are the options of a wrapper while they are read.
type options struct {
	*wrapper
	assigned bool
	replace  string // of xargs
	counted  bool   // xargs is told how many arguments or lines to take
}

// skip returns how many words stand before the command.
func (o *options) skip(args []Word) (n int, ok bool) {
	i := 0
	for ; i < len(args); i++ {
		a := args[i]
		switch {
		case a.Fixed && a.Text == "--":
			return o.operand(args, i+1)
		case a.Fixed && strings.HasPrefix(a.Text, "-") && (len(a.Text) > 1 || o.assigns):
			took, ok := o.option(a.Text, args[i+1:])
			if !ok {
				return 0, false
			}
			i += took
		case !a.Fixed && (a.Text == "" || strings.HasPrefix(a.Text, "-")):
			return 0, false // perhaps an option
		default:
			return o.operand(args, i)
		}
	}
	return i, true
}

// operand skips what stands between the options and the command.
func (o *options) operand(args []Word, i int) (n int, ok bool) {
	for o.assigns && i < len(args) && strings.Contains(args[i].Text, "=") {
		o.assigned = true
		i++
	}
	for _, a := range args[min(i, len(args)):min(i+o.operands, len(args))] {
		if a.Many {
			return 0, false
		}
	}
	return min(i+o.operands, len(args)), true
}

// option reads one word of options and returns how many words after it are its value.
func (o *options) option(s string, rest []Word) (took int, ok bool) {
	if name, isLong := strings.CutPrefix(s, "--"); isLong {
		return o.longOption(name, rest)
	}
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case strings.IndexByte(o.flags, c) >= 0:
		case strings.IndexByte(o.values, c) >= 0:
			if i+1 < len(s) {
				return 0, o.value(c, s[i+1:])
			}
			if len(rest) == 0 || rest[0].Many || c == 'I' && !rest[0].Fixed {
				return 0, false
			}
			return 1, o.value(c, rest[0].Text)
		default:
			return 0, false
		}
	}
	return 0, len(s) > 1 || o.assigns
}

func (o *options) longOption(s string, rest []Word) (took int, ok bool) {
	name, value, attached := strings.Cut(s, "=")
	for _, l := range o.long {
		known, takes := strings.CutSuffix(l, "=")
		if known != name {
			continue
		}
		if name == "replace" {
			return 0, attached && o.value('I', value)
		}
		o.counted = o.counted || name == "max-args"
		if !takes || attached {
			return 0, takes || !attached
		}
		if len(rest) == 0 || rest[0].Many {
			return 0, false
		}
		return 1, true
	}
	return 0, false
}

// value takes the value of a short option.
func (o *options) value(option byte, value string) bool {
	if option != 'I' {
		o.counted = o.counted || option == 'n' || option == 'L'
		return true
	}
	o.replace = value
	return value != ""
}

// starters looks for options by which an ordinary command starts another.
func (r *reader) starters(name string, c *Command) {
	known := startingOptions(name)
	if len(known) == 0 {
		return
	}
	for i, w := range c.Words[1:] {
		if i == 0 && bundled(name, w) || !w.Fixed && (w.Text == "" || strings.HasPrefix(w.Text, "-")) || starts(w.Text, known) {
			r.doubt("what " + name + " starts")
			r.suspects(c.Words, c.Open)
			return
		}
	}
	if c.Open {
		r.doubt("what " + name + " starts")
	}
}

// starts reports whether a word is one of some options, attached to its value or, if it is
// long, shortened.
func starts(word string, known []string) bool {
	name, _, _ := strings.Cut(word, "=")
	for _, k := range known {
		switch long := strings.HasPrefix(k, "--"); {
		case long && len(name) > 2 && strings.HasPrefix(k, name):
			return true
		case !long && strings.HasPrefix(word, k) && !strings.HasPrefix(word, "--"):
			return true
		case !long && len(k) == 2 && len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.IndexByte(word, k[1]) > 0:
			return true // among other short options
		}
	}
	return false
}

// bundled reports whether the first argument of tar holds options without a dash, one of
// which may name a program.
func bundled(name string, w Word) bool {
	return strings.HasSuffix(name, "tar") && !strings.HasPrefix(w.Text, "-") && (!w.Fixed || strings.ContainsAny(w.Text, "FI"))
}
