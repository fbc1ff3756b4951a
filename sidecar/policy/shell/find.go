package shell

import (
	"slices"
	"strings"
)

// find looks into the expression of find: what it executes is a command of the line.
func (r *reader) find(c *Command) {
	if c.Open {
		r.doubt("arguments of find that are not known")
	}
	args := c.Words[1:]
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case !a.Fixed && (a.Many || a.Text == "" || strings.HasPrefix(a.Text, "-")):
			r.doubt("arguments of find that are not known")
		case slices.Contains([]string{"-exec", "-execdir", "-ok", "-okdir"}, a.Text):
			i += r.executed(args[i+1:])
		case slices.Contains([]string{"-delete", "-fls", "-fprint", "-fprint0", "-fprintf"}, a.Text):
			r.doubt("find " + a.Text)
		}
	}
}

// executed reads the command after -exec and returns how many words it takes.
func (r *reader) executed(args []Word) int {
	end := slices.IndexFunc(args, func(w Word) bool { return w.Fixed && w.Text == ";" })
	plus := -1
	for i := 1; i < len(args); i++ {
		if args[i].Fixed && args[i].Text == "+" && args[i-1].Text == "{}" {
			plus = i
			break
		}
	}
	many := plus >= 0 && (end < 0 || plus < end)
	if many {
		end = plus
	}
	if end <= 0 {
		r.doubt("a command of find without an end")
		r.suspects(append([]Word{fixed("-exec")}, args...), false)
		return 0
	}
	if slices.ContainsFunc(args[:end], func(w Word) bool { return !w.Fixed && (w.Many || w.Text == "") }) {
		r.doubt("arguments of find that are not known") // one may be the end of the command
	}
	words := make([]Word, end)
	for i, w := range args[:end] {
		words[i] = holed(w, "{}", many)
	}
	r.command(Command{Words: words})
	return end + 1
}
