package capability

import (
	"errors"
	"path/filepath"
	"strings"
)

// resolve returns the path that a program in dir takes a value for: absolute, cleaned,
// its links resolved as far as they exist. The error is a clause after "the value".
func resolve(files Files, dir, value string) (string, error) {
	switch {
	case strings.ContainsRune(value, 0):
		return "", errors.New("has a NUL character in it")
	case strings.HasPrefix(value, "~"):
		return "", errors.New("begins with ~, which some programs expand: write an absolute path, or ./~")
	case scheme(value):
		return "", errors.New("is a URL and not a path")
	}
	path := value
	if !filepath.IsAbs(path) {
		if dir == "" {
			return "", errors.New("is a relative path, and there is no workspace")
		}
		path = dir + "/" + value
	}
	resolved, err := files.Resolve(path)
	if err != nil {
		return "", errors.New("cannot be resolved: " + err.Error())
	}
	if !strings.Contains(value, "..") {
		return resolved, nil
	}
	// The kernel goes up from where a link leads to, and a program that cleans its paths
	// from where the link is.
	if cleaned, err := files.Resolve(filepath.Clean(path)); err != nil || cleaned != resolved {
		return "", errors.New(`goes up with ".." from a link: write where it leads to`)
	}
	return resolved, nil
}

// through returns a path as it was written, absolute and cleaned, if links lead from it to another one; else "".
func through(dir, value, resolved string) string {
	if !filepath.IsAbs(value) {
		value = dir + "/" + value
	}
	if value = filepath.Clean(value); value == resolved {
		return ""
	}
	return value
}

// scheme reports whether a value begins as a URL does.
func scheme(s string) bool {
	before, _, found := strings.Cut(s, "://")
	if !found || before == "" {
		return false
	}
	for i := range len(before) {
		switch c := before[i] | 0x20; {
		case c >= 'a' && c <= 'z':
		case i > 0 && (c >= '0' && c <= '9' || strings.IndexByte("+-.", before[i]) >= 0):
		default:
			return false
		}
	}
	return true
}
