package follow

import (
	"io/fs"
	"os"
	"time"
)

// racy is how old a change must be before an unchanged modification time proves that there was
// no other change: the clocks of file systems are coarse.
const racy = 2 * time.Second

// look returns the present state of the files, nil for a missing one.
func look(files []string) []fs.FileInfo {
	infos := make([]fs.FileInfo, len(files))
	for i, file := range files {
		if info, err := os.Stat(file); err == nil {
			infos[i] = info
		}
	}
	return infos
}

// Same reports whether two looks saw the same file in the same state. A missing file is nil.
func Same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}
