package channel

import (
	"os"
	"path/filepath"
)

// Scratch is a directory for files that must not outlive this process. Like the
// socket's directory it is locked while this process lives. If this process is
// killed, the next sidecar that makes a Scratch in the same place removes it.
type Scratch struct{ dir *runtimeDir }

// NewScratch makes a directory in base, and sweeps base first. If open is true,
// other users may pass through the directory, but not list it.
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

// Path is the directory's path.
func (s *Scratch) Path() string { return s.dir.path }

// Remove deletes the directory with all that is in it.
func (s *Scratch) Remove() { s.dir.remove() }
