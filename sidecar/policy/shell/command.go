package shell

import (
	"path"
	"slices"
	"strings"
)

// changing are commands that change what later commands mean, or run text.
var changing = []string{
	".", "alias", "bind", "compgen", "complete", "coproc", "declare", "enable", "eval", "export", "fc", "function", "getopts", "hash",
	"let", "local", "mapfile", "read", "readarray", "readonly", "select", "set", "shopt", "source", "trap", "typeset", "unalias",
	"unset",
}

// command notes one simple command, and what it starts.
func (r *reader) command(c Command) {
	at, ok := r.add(c)
	if !ok {
		return
	}
	name := c.Name()
	if name == "" {
		r.doubt("a command whose name is only known when it runs")
		return
	}
	if !r.deeper(func() { r.inside(at, path.Base(name), &c) }) {
		r.unread(c.String(), "more than can be looked into")
	}
}

// add puts a command into the line and returns its place.
func (r *reader) add(c Command) (at int, ok bool) {
	at = len(r.line.Commands)
	if at >= maxCommands {
		r.unread(c.String(), "more commands than can be looked into")
		return 0, false
	}
	r.line.Commands = append(r.line.Commands, c)
	return at, true
}

// inside looks into a command that may start others. at is its place in the line.
func (r *reader) inside(at int, base string, c *Command) {
	args := c.Words[1:]
	switch {
	case slices.Contains(changing, base):
		r.doubt("the command " + base)
		r.text(args)
	case base == "cd" || base == "pushd" || base == "popd":
		r.line.Moved = true
	case evaluates(base, args, c.Open):
		r.doubt("a name that may run something")
		r.text(args)
	case base == "printf" || base == "test" || base == "[" || base == "wait":
	case slices.Contains(shells(), base):
		r.transparent(at, r.script(c))
	case base == "find":
		r.find(c)
	case base == "git":
		r.git(c)
	case slices.Contains(runners, base) || strings.HasPrefix(base, "ld-linux") || strings.HasPrefix(base, "ld-musl") || strings.HasPrefix(base, "ld.so"):
		r.doubt("what " + base + " starts")
		r.suspects(c.Words, c.Open)
	default:
		if w, ok := wrapperNamed(base); ok {
			r.transparent(at, r.wrapped(&w, base, c) && !w.own)
			return
		}
		r.starters(base, c)
	}
}

// transparent marks a command that only starts another, if it is the one that the
// system has under that name.
func (r *reader) transparent(at int, is bool) {
	c := &r.line.Commands[at]
	dir := path.Dir(c.Name())
	c.Transparent = is && (!strings.Contains(c.Name(), "/") || dir == "/bin" || dir == "/usr/bin")
}

// text looks for commands in words that a shell would read as source.
func (r *reader) text(words []Word) {
	var source []string
	for _, w := range words {
		if w.Fixed {
			source = append(source, w.Text)
		}
	}
	r.suspectSource(strings.Join(source, " "))
	for _, s := range source {
		r.suspectSource(s)
	}
}

// suspects notes every command that the arguments of a command may hold.
func (r *reader) suspects(words []Word, open bool) {
	for i, w := range words {
		switch {
		case i == 0:
		case w.Fixed && strings.ContainsAny(w.Text, " \t\n;|&"):
			r.suspectSource(w.Text)
		default:
			r.add(Command{Words: words[i:], Open: open, Suspect: true})
		}
	}
}

// suspectSource notes the commands of text that may be run by a shell. Its doubts are
// not the line's, which has one already.
func (r *reader) suspectSource(s string) {
	inner := reader{line: &Line{}, nested: r.nested, read: r.read}
	if !inner.deeper(func() { inner.source(strings.TrimPrefix(s, "!")) }) {
		r.line.Unread += s + "\n"
		return
	}
	for _, c := range inner.line.Commands {
		c.Suspect = true
		r.add(c)
	}
	r.line.Unread += inner.line.Unread
}

// evaluates reports whether a builtin takes one of its arguments for the name of a
// variable: bash runs what stands in its subscript, as in test -v 'a[$(rm x)]'.
func evaluates(base string, args []Word, open bool) bool {
	switch base {
	case "printf":
		return len(args) > 0 && (!args[0].Fixed || strings.HasPrefix(args[0].Text, "-v"))
	case "wait":
		return open || slices.ContainsFunc(args, func(w Word) bool { return w.Many || strings.HasPrefix(w.Text, "-") })
	case "test", "[":
		return open || slices.ContainsFunc(args, func(w Word) bool { return w.Many || w.Fixed && (w.Text == "-v" || w.Text == "-R") }) ||
			operatorUnknown(args)
	}
	return false
}

// operatorUnknown reports whether an argument of test may become -v before a name.
func operatorUnknown(args []Word) bool {
	for i := range len(args) - 1 {
		w, next := args[i], args[i+1]
		if !w.Fixed && strings.HasPrefix("-", w.Text) && (!next.Fixed || strings.Contains(next.Text, "[")) {
			return true
		}
	}
	return false
}
