package config

import (
	"cmp"
	"errors"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/proc"
)

// ProgramFinder returns a function for manifest.Options that says why an exec tool's
// program cannot be started, and what to do about it; reason is "" if it can be
// started. workspace is where tools run, "" for the current directory; environ holds
// their PATH.
func ProgramFinder(workspace string, environ []string) func(program, cwd string) (reason, hint string) {
	return func(program, cwd string) (string, string) {
		dir := cwd
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(workspace, cwd)
		}
		_, err := proc.LookPath(program, dir, environ)
		var start *proc.StartError
		switch {
		case err == nil:
			return "", ""
		case errors.As(err, &start):
			whole := *start
			whole.Hint = ""
			return whole.Error(), cmp.Or(start.Hint, "calls of the tool will fail")
		}
		return err.Error(), ""
	}
}

// Workspace returns where run would run tools with this environment, "" for the
// current directory.
func Workspace(environ []string) string {
	l := newLoader(Sources{Environ: environ})
	l.openFile()
	l.decide(l.setting("workspace"))
	return l.Config.Workspace
}
