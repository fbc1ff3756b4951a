package capability

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
)

// source judges a command line for a shell: which commands are in it is not known here,
// so the tool has to declare that it runs any.
func (s *Scope) source(_ *manifest.Tool, set *Set, u policy.Use) string {
	if slices.ContainsFunc(set.Shell, func(c manifest.ShellRun) bool { return c.Cmd == AnyCommand && c.Args == nil }) {
		return ""
	}
	return text.Show(text.Shorten(u.Pointer, pointerMax)) + ` is for a shell, and is outside of what it may run: it has to require {"cmd":"*"}`
}
