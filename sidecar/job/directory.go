package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Directory returns where the program of a tool runs: in cwd if that is absolute, else in the
// workspace or below it, whatever symbolic links are in it. workspace is "" for our own directory,
// and cwd "" for the workspace itself.
func Directory(workspace, cwd string) (string, error) {
	if cwd == "" || cwd == "." {
		return workspace, nil
	}
	if filepath.IsAbs(cwd) {
		return cwd, nil
	}
	base := workspace
	if base == "" {
		base = "."
	}
	root, err := os.OpenRoot(base)
	if err != nil {
		return "", fmt.Errorf("the workspace: %w", err)
	}
	defer root.Close()
	info, err := root.Stat(cwd)
	switch {
	case err != nil:
		return "", fmt.Errorf("cwd %q in the workspace: %w", cwd, causeOf(err))
	case !info.IsDir():
		return "", fmt.Errorf("cwd %q is not a directory", cwd)
	}
	return filepath.Join(base, cwd), nil
}

// causeOf returns err without the path, which the message names already.
func causeOf(err error) error {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		return path.Err
	}
	return err
}
