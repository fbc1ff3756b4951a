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

// UserData returns the directory of the user's data for which {user-data} stands in a
// manifest: a2a-sidecar in XDG_DATA_HOME, or in .local/share of HOME; "" if neither is
// known. It may not exist.
func UserData(environ []string) string {
	env := environment(environ)
	data := env["XDG_DATA_HOME"]
	if !filepath.IsAbs(data) && filepath.IsAbs(env["HOME"]) {
		data = filepath.Join(env["HOME"], ".local", "share")
	}
	if !filepath.IsAbs(data) {
		return ""
	}
	return filepath.Join(data, "a2a-sidecar")
}

// Home returns the home directory of the agent's user, "" if it is not known.
func Home(environ []string) string {
	if home := environment(environ)["HOME"]; filepath.IsAbs(home) {
		return home
	}
	return ""
}

// Workspace returns where run would run tools with this environment, "" for the
// current directory.
func Workspace(environ []string) string {
	l := newLoader(Sources{Environ: environ})
	l.openFile()
	l.decide(l.setting("workspace"))
	return l.Config.Workspace
}
