package capability

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/policy/shell"
)

// source judges a command line for a shell: each command in it has to be declared, and
// each file that it opens.
func (s *Scope) source(t *manifest.Tool, set *Set, u policy.Use) string {
	if slices.ContainsFunc(set.Shell, everyCommand) {
		return ""
	}
	line := shell.Parse(u.Value)
	if len(line.Doubts) > 0 {
		return text.Show(text.Shorten(u.Pointer, pointerMax)) + " cannot be held against the commands that it may run: it has " + text.Enumerate(line.Doubts, "and")
	}
	for i := range line.Commands {
		if c := &line.Commands[i]; !c.Transparent && !slices.ContainsFunc(set.Shell, func(r manifest.ShellRun) bool { return coversWords(r, c) }) {
			return leaves(u, commandPatterns(set.Shell))
		}
	}
	for _, f := range line.Files {
		if why := s.redirection(t, set, u, f, line.Moved); why != "" {
			return why
		}
	}
	return ""
}

// redirection judges a file that a command line opens.
func (s *Scope) redirection(t *manifest.Tool, set *Set, u policy.Use, f shell.File, moved bool) string {
	c := policy.FSRead
	if f.Write {
		c = policy.FSWrite
	}
	path, err := resolve(s.files, s.runsIn(t), f.Path)
	if err == nil && (!moved || strings.HasPrefix(f.Path, "/")) && set.of(c).Contains(path) {
		return ""
	}
	return "a redirection in " + leaves(policy.Use{Capability: c, Pointer: u.Pointer}, set.of(c).Patterns)
}

// coversWords reports whether a declared command is this one, whatever its unknown words
// become.
func coversWords(r manifest.ShellRun, c *shell.Command) bool {
	argv := make([]string, len(c.Words))
	for i, w := range c.Words {
		if !w.Fixed && (i == 0 || r.Args != nil) {
			return false
		}
		argv[i] = w.Text
	}
	return !(c.Open && r.Args != nil) && Covers(r, argv)
}
