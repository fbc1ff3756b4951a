package policy

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/below"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/match"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/shell"
)

// atom is one thing of a call of which rules speak: a path, a host, or one simple
// command of a command line.
type atom struct {
	capability Capability
	pointer    string
	value      string
	written    string         // see Use.Written
	command    *shell.Command // of ShellRun; nil for a pattern, or for source that cannot be read
	declared   bool
	atConnect  bool
	// named says that the line names what it uses of a declared pattern, as far as it does.
	named bool
	// implied says that every call of the tool has this, such as its own program: a rule
	// for the tool speaks of it too.
	implied bool
	// own says that the tool's author wrote it, not the caller.
	own bool
	// verbatim says that all of it stands in the tool's definition: nothing is the caller's.
	verbatim bool
	// aside says that no rule has to speak of it; one that denies or asks is heard.
	aside bool
	// outside says that a redirection leads out of where the call works.
	outside bool
	// doubt says what of a command line is not certain, "" for nothing: it is not
	// allowed then.
	doubt string
}

// on names an atom in explanations.
func (a *atom) on() string {
	value := a.value
	if a.command != nil {
		value = a.command.String()
	}
	return string(a.capability) + " " + text.Shorten(text.Show(value), 200)
}

// call is a request, taken apart once for all scopes.
type call struct {
	Request
	args  jsontree.Node
	atoms []atom
}

func newCall(r Request, roots Roots) *call {
	c := &call{Request: r}
	if c.Roots == nil {
		c.Roots = roots
	}
	c.args, _ = jsontree.Parse(r.Arguments, 0)
	for i := range r.Uses {
		c.use(&r.Uses[i])
	}
	return c
}

func (c *call) use(u *Use) {
	a := atom{capability: u.Capability, pointer: u.Pointer, value: u.Value, written: u.Written, declared: u.Declared, named: u.Named, atConnect: u.AtConnect, implied: u.Pointer == "", doubt: u.Doubt}
	switch {
	case u.Capability == NetFetch && !u.Declared && !match.KnownHost(u.Value):
		a.doubt = "a host that is not written as a name or an address"
	case u.Capability == ShellRun && u.Argv != nil:
		l := shell.Exec(u.Argv)
		a.own, a.verbatim = c.own(u, l), c.verbatim(u)
		c.line(&a, l)
		return
	case u.Capability == ShellRun && !u.Declared:
		c.line(&a, shell.Parse(u.Value))
		return
	}
	c.atoms = append(c.atoms, a)
}

// own reports whether a use is the program that the tool's definition starts, and what it
// runs is the author's: it starts no other program, or with nothing from the call.
func (c *call) own(u *Use, l *shell.Line) bool {
	if u.Pointer != "" || c.Tool == nil || c.Tool.Bridge.Exec == nil {
		return false
	}
	written := c.Tool.Bridge.Exec.Command
	return len(l.Commands) == 1 && len(l.Doubts) == 0 && len(written) > 0 && l.Commands[0].Name() == written[0] || c.verbatim(u)
}

// verbatim reports whether a use is the program that the tool's definition starts, and each of its arguments
// stands in the definition.
func (c *call) verbatim(u *Use) bool {
	if u.Pointer != "" || c.Tool == nil || c.Tool.Bridge.Exec == nil {
		return false
	}
	return !slices.ContainsFunc(u.Argv, func(s string) bool { return !slices.Contains(c.Tool.Bridge.Exec.Command, s) })
}

// line adds the commands of a command line and the files that it opens.
func (c *call) line(from *atom, l *shell.Line) {
	doubt := strings.Join(l.Doubts, ", ")
	if from.doubt != "" {
		doubt = from.doubt
	}
	required := false
	for i := range l.Commands {
		a := *from
		a.command = &l.Commands[i]
		a.aside = a.command.Transparent || a.command.Suspect
		if !a.aside {
			a.doubt, required = doubt, true
		}
		c.atoms = append(c.atoms, a)
	}
	for _, f := range l.Files {
		c.file(from, f, l.Moved)
	}
	if slices.ContainsFunc(c.Uses, func(u Use) bool { return u.Named }) && !c.names(from, l) {
		doubt = cmp.Or(doubt, "more words than can be looked at")
	}
	a := *from
	a.value, a.doubt = l.Unread, doubt
	switch {
	case l.Unread != "":
		a.aside = required
	case required:
		return
	case a.doubt == "" && len(l.Files) == 0:
		a.doubt = "no command"
	}
	c.atoms = append(c.atoms, a)
}

// file adds a file that a redirection opens: as it is written, and where its links lead.
func (c *call) file(from *atom, f shell.File, moved bool) {
	a := *from
	a.capability = FSRead
	if f.Write {
		a.capability = FSWrite
	}
	a.value = f.Path
	switch {
	case path.IsAbs(f.Path):
	case moved || c.Dir == "":
		a.doubt = "a redirection to a place that is not known"
	default:
		a.value = c.Dir + "/" + f.Path // ".." after a link leads elsewhere
	}
	leads := a
	if path.IsAbs(a.value) {
		if to, err := c.leads(a.value); err != nil {
			a.doubt = cmp.Or(a.doubt, "a redirection to a place that is not known")
		} else {
			leads.value = to
		}
		a.value = path.Clean(a.value)
	}
	for i, one := range []atom{a, leads} {
		if i > 0 && (one.value == a.value || !path.IsAbs(one.value)) {
			break
		}
		one.outside = !below.Is(one.value, c.Dir) && !slices.ContainsFunc(c.Roots["workspace"], func(dir string) bool { return below.Is(one.value, dir) })
		c.atoms = append(c.atoms, one)
	}
}

// leads returns where a path leads, as far as the request can tell.
func (c *call) leads(file string) (string, error) {
	if c.Leads == nil {
		return path.Clean(file), nil
	}
	return c.Leads(file)
}
