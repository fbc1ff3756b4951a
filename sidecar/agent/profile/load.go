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

// Load reads a profile's file and what it extends. The error is [jsontree.Faults] if a file
// exists but is wrong.
func Load(path string, known Known) (*Profile, error) {
	src, err := readFile(path)
	if err != nil {
		return nil, err
	}
	p, _, err := load(path, src, known, true)
	return p, err
}

// Resolved returns the text of a profile's file together with what it extends: one file
// that says the same. The errors are those of Load.
func Resolved(path string, known Known) (string, error) {
	src, err := readFile(path)
	if err != nil {
		return "", err
	}
	_, whole, err := load(path, src, known, true)
	if err != nil {
		return "", err
	}
	return written(&whole), nil
}

// Parse reads a profile. The name of the file appears in its faults; its base name
// without the extension names a profile that gives no name. hooks names the agents
// whose hooks the file may name. The error is [jsontree.Faults].
func Parse(file string, src []byte, hooks ...string) (*Profile, error) {
	p, _, err := load(file, src, Known{Hooks: hooks}, false)
	return p, err
}

func load(file string, src []byte, known Known, person bool) (*Profile, jsontree.Node, error) {
	l := layers{known: known, person: person}
	whole, p, err := l.read(file, src)
	if err != nil {
		return nil, whole, err
	}
	return p, whole, nil
}

// profile decodes a tree. A profile without a name has that of its file.
func (d *decoder) profile(root *jsontree.Node, file string) *Profile {
	p := &Profile{Timing: DefaultTiming()}
	d.into(root, "", reflect.ValueOf(p).Elem())
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(file), ".json")
	}
	return p
}

func readFile(path string) ([]byte, error) {
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
	return src, nil
}

// reason returns the error without the path, because the message already names it.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
