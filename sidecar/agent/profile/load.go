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

// Load reads a profile's file. hooks names the agents whose hooks the file may name.
// The error is [jsontree.Faults] if the file exists but is wrong.
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

// reason returns the error without the path, because the message already names it.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// Parse reads a profile. The name of the file appears in its faults; its base name
// without the extension names a profile that gives no name. hooks names the agents
// whose hooks the file may name. The error is [jsontree.Faults].
func Parse(file string, src []byte, hooks ...string) (*Profile, error) {
	root, faults := jsontree.ParseFile(file, src)
	d := decoder{faults: faults}
	p := &Profile{Timing: DefaultTiming()}
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
