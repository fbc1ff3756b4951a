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

// fileMax is the largest profile that is read, in bytes.
const fileMax = 256 << 10

// Load reads the file of a profile, and the profiles that it extends. The error is
// [jsontree.Faults] if a file can be read but is wrong.
func Load(path string, known Known) (*Profile, error) {
	src, err := readFile(path)
	if err != nil {
		return nil, err
	}
	p, _, err := load(path, src, known, true)
	return p, err
}

// Resolved returns the text of one file that says the same as a profile's file and the
// profiles that it extends. The errors are those of Load.
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

// Parse reads a profile from the text of its file. It cannot extend a built-in profile. The
// name of the file appears in the faults, and its base name without .json is the name of a
// profile that gives none. hooks are the names that the file may have in its field "hook".
// The error is [jsontree.Faults].
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

// profile decodes a tree. A profile that gives no name gets the name of its file.
func (d *decoder) profile(root *jsontree.Node, file string) *Profile {
	p := &Profile{Timing: DefaultTiming()}
	d.into(root, "", reflect.ValueOf(p).Elem())
	if p.Name == "" {
		p.Name = strings.TrimSuffix(filepath.Base(file), ".json")
	}
	return p
}

func readFile(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // opening a FIFO must not block
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

// reason returns the error without the path, because the message has it already.
func reason(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}
