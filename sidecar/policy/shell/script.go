package shell

import "strings"

// script looks into a shell: the source after -c is read as a part of the line. It
// reports whether that is all that the shell runs.
func (r *reader) script(c *Command) bool {
	args, source := c.Words[1:], false
	i := 0
	for ; i < len(args); i++ {
		a := args[i]
		if a.Fixed && (a.Text == "--" || a.Text == "-") {
			i++
			break
		}
		if a.Fixed && !strings.HasPrefix(a.Text, "-") && !strings.HasPrefix(a.Text, "+") {
			break
		}
		if !a.Fixed || strings.Trim(a.Text[1:], "ceufvnx") != "" {
			r.doubt("options of a shell that are not known")
			r.suspects(c.Words, c.Open)
			r.text(args)
			return false
		}
		source = source || strings.Contains(a.Text, "c")
	}
	switch {
	case i >= len(args):
		r.doubt("a shell that reads its commands from its input")
	case !source:
		return false // a script in a file
	case !args[i].Fixed:
		r.doubt("a script that is only known when it runs")
	default:
		r.source(args[i].Text)
		return true
	}
	return false
}
