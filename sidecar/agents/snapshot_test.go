package agents_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// maxSnapshot bounds what a snapshot keeps of a file, in bytes: agents unpack libraries.
const maxSnapshot = 1 << 20

// file is what a snapshot has of one.
type file struct {
	mode fs.FileMode
	text string // its beginning
	size int64
}

// snapshot reads all files below directories. Their names are those below the first
// directory's parent, which is another one in every rig.
func snapshot(t *testing.T, dirs ...string) map[string]file {
	t.Helper()
	all := map[string]file{}
	top := filepath.Dir(dirs[0])
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil // what has gone meanwhile is not there
			}
			info, err := d.Info()
			if err != nil {
				return nil
			}
			if f, err := os.Open(path); err == nil {
				data, _ := io.ReadAll(io.LimitReader(f, maxSnapshot)) // what cannot be read is not compared
				f.Close()
				all[strings.TrimPrefix(path, top+"/")] = file{info.Mode(), string(data), info.Size()}
			}
			return nil
		})
	}
	return all
}

// changed are the files that are new, gone or different.
func changed(before, after map[string]file) map[string]bool {
	names := map[string]bool{}
	for name, f := range after {
		if before[name] != f {
			names[name] = true
		}
	}
	for name := range before {
		if _, still := after[name]; !still {
			names[name] = true
		}
	}
	return names
}
