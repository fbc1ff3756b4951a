package manifest

import (
	"path"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/netguard"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// Requires are the capabilities that a tool needs, or that a policy file grants in
// addition. An empty list of paths or hosts allows none.
type Requires struct {
	// FSRead and FSWrite are path patterns: absolute, relative to the workspace, or
	// beginning with one of Variables in braces. A pattern without a wildcard stands for
	// the path and everything below it.
	FSRead  []string
	FSWrite []string
	// NetHosts are patterns of hosts (netguard.HostPattern).
	NetHosts []string
	// Shell are the commands that the tool may run. Empty: its own program only.
	Shell []ShellRun
	// Capabilities are the names of anything else.
	Capabilities []string
}

// ShellRun is a command that a tool may run.
type ShellRun struct {
	// Cmd is the program's name, or its absolute path.
	Cmd string
	// Args match the arguments one by one, and there are as many. nil: any arguments.
	Args []ArgPattern
}

// ArgPattern matches one argument of a command.
type ArgPattern struct {
	Match ArgMatch
	Text  string // the argument, or what it begins with
}

// ArgMatch says how an ArgPattern matches.
type ArgMatch uint8

// The ways of matching. The zero value is the strictest.
const (
	ArgExact  ArgMatch = iota // the argument is Text
	ArgPrefix                 // the argument begins with Text
	ArgAny                    // the argument may be anything
)

// The variables of path patterns.
const (
	VariableWorkspace = "workspace" // the workspace, and each further root
	VariableAdHoc     = "ad-hoc"    // the directories that a client names for a task
	VariableUserData  = "user-data" // the user's data directory
)

// Variables lists the variables of path patterns.
func Variables() []string {
	return []string{VariableWorkspace, VariableAdHoc, VariableUserData}
}

// CutVariable splits a path pattern that begins with a variable in braces into the
// variable's name and the rest; variable is "" for any other pattern.
func CutVariable(pattern string) (variable, rest string) {
	if inner, ok := strings.CutPrefix(pattern, "{"); ok {
		if name, rest, ok := strings.Cut(inner, "}"); ok && slices.Contains(Variables(), name) {
			return name, rest
		}
	}
	return "", pattern
}

// ParseRequires reads requirements as x-sidecar.requires has them. pointer is their
// place in the file. The faults are not located yet.
func ParseRequires(n *jsontree.Node, pointer string) (*Requires, jsontree.Faults) {
	c := &check{}
	r := c.requires(n, pointer)
	return r, c.Faults
}

// requires decodes the declared capabilities.
func (c *check) requires(n *jsontree.Node, pointer string) *Requires {
	r := &Requires{}
	c.Members(n, pointer, []string{"fs", "net", "shell", "capabilities"}, func(m *jsontree.Node, p string) {
		switch m.Key {
		case "fs":
			c.Members(m, p, []string{"read", "write"}, func(m *jsontree.Node, p string) {
				if m.Key == "read" {
					r.FSRead = c.Texts(m, p, c.path)
				} else {
					r.FSWrite = c.Texts(m, p, c.path)
				}
			})
		case "net":
			c.Members(m, p, []string{"hosts"}, func(m *jsontree.Node, p string) { r.NetHosts = c.hosts(m, p) })
		case "shell":
			r.Shell = c.shellRuns(m, p)
		case "capabilities":
			r.Capabilities = c.capabilities(m, p)
		}
	})
	return r
}

// hosts checks host patterns.
func (c *check) hosts(n *jsontree.Node, pointer string) []string {
	return c.Texts(n, pointer, func(s string, e *jsontree.Node, at string) {
		if strings.ContainsAny(s, "{}") {
			c.Fault(e.Offset, at, "a host has no variables: they stand for directories", `write the host, as in "api.example.com"`)
		} else if _, err := netguard.ParseHostPattern(s); err != nil {
			c.Fault(e.Offset, at, quote(s)+" is not a host pattern: it "+text.Show(err.Error()), hostHint(s))
		}
	})
}

// hostHint returns the fix for a host pattern that is none.
func hostHint(s string) string {
	if t, err := netguard.ParseTarget(s); err == nil {
		return "write " + quote(t.String())
	}
	return `as in "api.example.com", "*.example.com", "example.com:8443" or "10.0.0.0/8"`
}

// path checks a path pattern and the variables in it. {go,md} is a glob.
func (c *check) path(pattern string, n *jsontree.Node, pointer string) {
	_, rest := CutVariable(pattern)
	for _, p := range parseTemplate(rest, nil) {
		switch {
		case !p.argument:
		case slices.Contains(Variables(), p.text):
			c.Fault(n.Offset, pointer, "the variable {"+p.text+"} must be the beginning of the pattern", "write "+quote("{"+p.text+"}/…"))
		default:
			c.Fault(n.Offset, pointer, "the variable {"+p.text+"} is unknown", "the variables are {"+strings.Join(Variables(), "}, {")+"}")
		}
	}
	switch {
	case pattern == "":
		c.Fault(n.Offset, pointer, "the path is empty", `write "{workspace}" for the workspace`)
	case strings.ContainsRune(pattern, 0):
		c.Fault(n.Offset, pointer, "the path has a NUL character in it", "")
	case strings.HasPrefix(pattern, "~"):
		c.Fault(n.Offset, pointer, "~ is not expanded", "write an absolute path, or {user-data}")
	case len(rest) < len(pattern) && rest != "" && rest[0] != '/':
		c.Fault(n.Offset, pointer, "a slash must follow the variable", "write "+quote(strings.TrimSuffix(pattern, rest)+"/"+rest))
	case slices.Contains(strings.Split(rest, "/"), ".."):
		c.Fault(n.Offset, pointer, "a pattern cannot go up with ..", "write where it goes to")
	case !validGlob(rest):
		c.Fault(n.Offset, pointer, quote(pattern)+" is not a pattern", "close each [ and {, or write a backslash before it")
	}
}

// validGlob reports whether the brackets of a pattern are closed.
func validGlob(s string) bool {
	braces, class := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\\':
			if i++; i == len(s) {
				return false
			}
		case class:
			class = c != ']'
		case c == '[':
			if class = true; i+1 == len(s) || s[i+1] == ']' {
				return false
			}
		case c == '{':
			braces++
		case c == '}':
			if braces--; braces < 0 {
				return false
			}
		}
	}
	return braces == 0 && !class
}

// shellRuns decodes the commands that a tool may run.
func (c *check) shellRuns(n *jsontree.Node, pointer string) []ShellRun {
	if n.Kind != jsontree.Array {
		c.Wrong(n, pointer, `an array, as in [{"cmd":"git"}]`)
		return nil
	}
	out := make([]ShellRun, len(n.Children))
	for i := range n.Children {
		m, p := &n.Children[i], jsontree.Item(pointer, i)
		if m.Kind == jsontree.String {
			c.Fault(m.Offset, p, "a command must be an object, not a string", `write {"cmd":`+quote(m.Text)+`}`)
			continue
		}
		c.Members(m, p, []string{"cmd", "args"}, func(m *jsontree.Node, p string) {
			if m.Key == "cmd" {
				out[i].Cmd = c.cmd(m, p)
			} else {
				out[i].Args = c.argPatterns(m, p)
			}
		})
		if m.Kind == jsontree.Object && m.Get("cmd") == nil {
			c.Fault(m.Offset, p, `"cmd" is missing`, `add "cmd":"git", the program's name`)
		}
	}
	return out
}

// cmd checks the name of a program.
func (c *check) cmd(n *jsontree.Node, pointer string) string {
	s, ok := c.Text(n, pointer)
	switch {
	case !ok:
	case s == "" || strings.ContainsRune(s, 0):
		c.Fault(n.Offset, pointer, "cmd must name a program", `as in "git" or "/usr/bin/git"`)
	case strings.ContainsAny(s, " \t\n"):
		name, args, _ := strings.Cut(s, " ")
		c.Fault(n.Offset, pointer, "cmd is the program alone", `write {"cmd":`+quote(name)+`,"args":[…]} for `+quote(args))
	case strings.Contains(s, "/") && (!path.IsAbs(s) || path.Clean(s) != s):
		c.Fault(n.Offset, pointer, quote(s)+" is neither a name nor a clean absolute path", "write the path from / on")
	}
	return s
}

// argPatterns decodes ["exact", {"prefix":"--x="}, {"wildcard":true}].
func (c *check) argPatterns(n *jsontree.Node, pointer string) []ArgPattern {
	if n.Kind != jsontree.Array {
		c.Wrong(n, pointer, "an array")
		return nil
	}
	out := make([]ArgPattern, len(n.Children))
	for i := range n.Children {
		m, p := &n.Children[i], jsontree.Item(pointer, i)
		if m.Kind == jsontree.String {
			out[i].Text = strings.Clone(m.Text)
			continue
		}
		c.Members(m, p, []string{"prefix", "wildcard"}, func(m *jsontree.Node, p string) {
			switch {
			case m.Key == "prefix":
				out[i].Match = ArgPrefix
				out[i].Text, _ = c.Text(m, p)
			case m.Kind != jsontree.Bool || m.Text != "true":
				c.Fault(m.Offset, p, "wildcard must be true", "leave the pattern out if it is not meant")
			default:
				out[i].Match = ArgAny
			}
		})
		if m.Kind == jsontree.Object && len(m.Children) != 1 {
			c.Fault(m.Offset, p, "an argument's pattern is one of three", `write "text", {"prefix":"text"} or {"wildcard":true}`)
		}
	}
	return out
}

// capabilities checks the names of capabilities.
func (c *check) capabilities(n *jsontree.Node, pointer string) []string {
	return c.Texts(n, pointer, func(s string, e *jsontree.Node, at string) {
		if s == "" || text.Show(s) != s {
			c.Fault(e.Offset, at, "a capability must have a name of printable characters", "")
		}
	})
}
