package tool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/tool/filesearch"
)

// maxPattern is how many characters a pattern has at most, as the schema counts.
const maxPattern = 2000

// aboveRules says of a tool that it reads the ignore rules of the directories that its root is in.
func aboveRules(t *Tool) *Tool {
	t.Above, t.Top = filesearch.RuleFiles(), filesearch.RepositoryDir
	return t
}

// searchScope returns where the argument path says that a search begins, and whether that is a directory and no regular file.
func searchScope(files FS, path string) (in filesearch.Scope, isDir bool, err error) {
	if path == "" {
		path = "."
	}
	if in.Root, in.Shown, err = files.Path(path); err != nil {
		return in, false, rootError(path, err)
	}
	info, err := files.Stat(in.Root)
	switch {
	case err != nil:
		return in, false, rootError(path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return in, false, rootError(path, ErrLink)
	case !info.IsDir() && !info.Mode().IsRegular():
		return in, false, rootError(path, ErrKind)
	}
	return in, info.IsDir(), nil
}

// searchError returns the error of a search, with the path if it could not begin there.
func searchError(path string, err error) error {
	if root, ok := errors.AsType[*filesearch.RootError](err); ok {
		return rootError(path, root.Err)
	}
	return err
}

// rootError says why a search cannot begin at a path.
func rootError(path string, err error) error {
	path = text.Quote(path, filesearch.MaxQuoted)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the path %s does not exist: leave path out to search the whole workspace", path)
	case errors.Is(err, ErrOutside):
		return fmt.Errorf("the path %s cannot be searched: %w; give a directory of the workspace", path, ErrOutside)
	}
	return fmt.Errorf("the path %s cannot be searched: %s", path, filesearch.Reason(err))
}

// searchFiles are the files of a call as a search takes them.
type searchFiles struct{ FS }

var _ filesearch.FS = searchFiles{}

// Open implements filesearch.FS.
func (f searchFiles) Open(path string) (io.ReadCloser, error) { return f.FS.Open(path) }

// Workers implements filesearch.FS.
func (f searchFiles) Workers(n int, work func(filesearch.FS)) {
	f.FS.Workers(n, func(own FS) { work(searchFiles{own}) })
}
