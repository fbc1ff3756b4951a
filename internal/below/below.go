// Package below tells whether a path is below a directory, by their names alone: both are
// absolute and cleaned, with slashes, and whoever cares for links resolves them first.
package below

import "strings"

// Rest returns a path relative to dir, "" for dir itself. ok is false if the path is
// neither dir nor below it; /ab is not below /a. Nothing is below "", which is no directory.
func Rest(path, dir string) (rest string, ok bool) {
	if dir == "" {
		return "", false
	}
	rest, ok = strings.CutPrefix(path, strings.TrimSuffix(dir, "/"))
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return strings.TrimPrefix(rest, "/"), true
}

// Is reports whether a path is dir or below it.
func Is(path, dir string) bool {
	_, ok := Rest(path, dir)
	return ok
}
