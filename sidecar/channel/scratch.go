package channel

import (
	"os"
	"path/filepath"
)

// Scratch is a directory for what is not to outlive this process: like the one
// of the socket it is locked while we live, and swept by the next sidecar that
// makes one in the same place when we were killed.
type Scratch struct{ dir *runtimeDir }

// NewScratch makes one in base, and sweeps base first. Others may pass through
// it, not list it, when open is true.
func NewScratch(base string, open bool) (*Scratch, error) {
	sweep(base)
	d := &runtimeDir{path: filepath.Join(base, newName())}
	if err := os.Mkdir(d.path, 0o700); err != nil {
		return nil, err
	}
	err := d.hold()
	if err == nil && open {
		err = os.Chmod(d.path, 0o711)
	}
	if err != nil {
		d.remove()
		return nil, err
	}
	return &Scratch{d}, nil
}

// Path is where it is.
func (s *Scratch) Path() string { return s.dir.path }

// Remove deletes it with all that is in it.
func (s *Scratch) Remove() { s.dir.remove() }
