package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// defaultPath is searched when the environment has no PATH, as execvp does.
const defaultPath = "/bin:/usr/bin"

// LookPath finds the program that name means to a process in dir ("" is our own directory) with
// environment env, and returns its absolute path. A name with a slash is relative to dir. Any
// other name is searched in env's PATH; relative entries of PATH are skipped. The error is a
// *StartError.
func LookPath(name, dir string, env []string) (string, error) {
	if name == "" {
		return "", &StartError{Code: 127, Reason: "no command given", Err: fs.ErrNotExist}
	}
	if strings.Contains(name, "/") {
		return lookFile(name, dir)
	}
	return searchPath(name, env)
}

func lookFile(name, dir string) (string, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", &StartError{Name: name, Code: 126, Reason: "the working directory is gone", Hint: "start from one that exists", Err: err}
	}
	if err := executable(path); err != nil {
		return "", fileError(name, path, err)
	}
	return path, nil
}

func searchPath(name string, env []string) (string, error) {
	list, ok := getenv(env, "PATH")
	if !ok {
		list = defaultPath
	}
	var refused *StartError
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, name)
		err := executable(path)
		if err == nil {
			return path, nil
		}
		if refused == nil && !isAbsent(err) {
			refused = fileError(name, path, err)
		}
	}
	if refused != nil {
		return "", refused
	}
	return "", &StartError{
		Name: name, Code: 127,
		Reason: fmt.Sprintf("not found in PATH (%s)", list),
		Hint:   "install it, or give its full path",
		Err:    fs.ErrNotExist,
	}
}

// executable returns nil if we may execute the file, as far as its type and permissions tell.
func executable(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.IsDir() {
		return syscall.EISDIR
	}
	return unix.Access(path, unix.X_OK)
}

// fileError explains an error of executable.
func fileError(name, path string, err error) *StartError {
	e := &StartError{Name: name, Code: 126, Err: err}
	switch {
	case isAbsent(err):
		e.Code = 127
		e.Reason, e.Hint = absence(path)
	case errors.Is(err, syscall.EISDIR):
		e.Reason, e.Hint = path+" is a directory", "name the program in it"
	case errors.Is(err, syscall.ENOTDIR):
		e.Code = 127
		e.Reason, e.Hint = path+" goes through something that is not a directory", "check the path"
	case errors.Is(err, fs.ErrPermission):
		e.Reason, e.Hint = denial(path)
	default:
		e.Reason = fmt.Sprintf("%s: %s", path, cause(err))
	}
	return e
}

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// absence explains whether a file is missing or is a link to a file that does not exist.
func absence(path string) (reason, hint string) {
	if target, err := os.Readlink(path); err == nil {
		return fmt.Sprintf("%s is a link to %s, which does not exist", path, target), "install it, or correct the link"
	}
	return path + " does not exist", "check the path"
}

// denial explains whether a file lacks the x bit or cannot be reached or executed for another
// reason.
func denial(path string) (reason, hint string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "no permission to reach " + path, "check the directories above it"
	case info.Mode().Perm()&0o111 == 0:
		return path + " is not executable", "chmod +x " + path
	default:
		return fmt.Sprintf("no permission to execute %s (mode %s)", path, info.Mode().Perm()),
			"check its owner and mode, and whether its file system is mounted noexec"
	}
}

// getenv returns the first value of a variable, as getenv(3) does.
func getenv(env []string, name string) (string, bool) {
	for _, e := range env {
		if v, ok := strings.CutPrefix(e, name+"="); ok {
			return v, true
		}
	}
	return "", false
}

// cause removes the operation and the path from an error, because our own text names them.
func cause(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
