package profile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

// fileMax bounds a profile's file.
const fileMax = 256 << 10

// Load reads a profile's file. hooks are the agents whose hooks it may name. The
// error is [jsontree.Faults] if the file is there but wrong.
func Load(path string, hooks ...string) (*Profile, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a FIFO must not hold us
	if err != nil {
		return nil, fmt.Errorf("profile %s cannot be read: %w", path, reason(err))
	}
	defer f.Close() // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("profile %s is not a regular file", path)
	}
	src, err := io.ReadAll(io.LimitReader(f, fileMax+1))
	if err != nil {
		return nil, fmt.Errorf("profile %s cannot be read: %w", path, reason(err))
	}
	if len(src) > fileMax {
		return nil, fmt.Errorf("profile %s is larger than %d KiB", path, fileMax>>10)
	}
	return Parse(path, src, hooks...)
}

// reason is the error without the path, which is named already.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Parse reads a profile. The file's name is for its faults; the base name
// without its ending names a profile that gives no name. hooks are the
// agents whose hooks it may name. The error is [jsontree.Faults].
func Parse(file string, src []byte, hooks ...string) (*Profile, error) {
	root, faults := jsontree.ParseFile(file, src)
	d := decoder{faults: faults}
	p := &Profile{}
	if root.Kind != 0 {
		d.into(&root, "", reflect.ValueOf(p).Elem())
		if p.Name == "" {
			p.Name = strings.TrimSuffix(filepath.Base(file), ".json")
		}
		d.check(&root, p, hooks)
	}
	if len(d.faults) == 0 {
		return p, nil
	}
	return nil, jsontree.Locate(file, string(src), d.faults)
}
