package call

import (
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/job"
)

// environment returns what an exec tool inherits: the few variables that every
// program needs, and those that its manifest declares.
func environment(environ, declared []string) []string {
	return job.Inherit(environ, func(name string) bool { return standard(name) || slices.Contains(declared, name) })
}

func standard(name string) bool {
	switch name {
	case "PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR":
		return true
	}
	return strings.HasPrefix(name, "LC_")
}
