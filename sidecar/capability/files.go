package capability

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Files is how paths are resolved: the one thing here that depends on the machine.
type Files interface {
	// Resolve returns an absolute path with its links resolved as far as it exists, and
	// cleaned. ".." is the parent of what its prefix leads to, as for the kernel; after
	// something that is not there it is an error, and so is what cannot be looked at.
	Resolve(path string) (string, error)
	// IsDir reports whether a resolved path is a directory.
	IsDir(path string) bool
}

// OS returns the files of this machine.
func OS() Files { return osFiles{} }

type osFiles struct{}

var _ Files = osFiles{}

// maxLinks bounds the links of one path, as in Linux.
const maxLinks = 40

func (osFiles) IsDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// Errors of Resolve.
var (
	errNotAbsolute = errors.New("it is not an absolute path")
	errUp          = errors.New(`it goes up with ".." from a folder that is not there`)
	errLinks       = errors.New("it has too many links")
	errLook        = errors.New("it cannot be looked at")
)

func (osFiles) Resolve(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", errNotAbsolute
	}
	resolved, rest, links, missing := "/", path, 0, false
	for rest != "" {
		var element string
		element, rest, _ = strings.Cut(rest, "/")
		switch {
		case element == "" || element == ".":
			continue
		case element == ".." && missing:
			return "", errUp
		case element == "..":
			resolved = filepath.Dir(resolved)
			continue
		}
		at := filepath.Join(resolved, element)
		if missing {
			resolved = at
			continue
		}
		target, err := os.Readlink(at)
		switch {
		case errors.Is(err, syscall.EINVAL): // it is there, and no link
			resolved = at
		case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR):
			resolved, missing = at, true
		case err != nil:
			return "", errLook
		case links == maxLinks:
			return "", errLinks
		default:
			links++
			rest = target + "/" + rest
			if filepath.IsAbs(target) {
				resolved = "/"
			}
		}
	}
	return resolved, nil
}
