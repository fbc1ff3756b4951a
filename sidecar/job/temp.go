package job

import (
	"errors"
	"fmt"
	"os"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// tempDir is a session's TMPDIR in its folder.
const tempDir = "tmp"

// Temp is TempDir for a process that has the folder for itself: the path is "" if there is no
// folder, and an error that comes with a path does not count.
func (d *Folder) Temp() (string, error) {
	if d == nil {
		return "", nil
	}
	path, err := d.TempDir()
	if path != "" {
		err = nil
	}
	return path, err
}

// errNoExec says that a place is no better than the one that there is.
var errNoExec = errors.New("mounted noexec")

// TempDir makes a private TMPDIR for a process that goes on; it is removed with the
// folder. It is in the folder or, if nothing can be executed there, in our own TMPDIR
// if that is better. With an error and a path, nothing in the path can be executed,
// and the error says why there is no better place. With an error and no path, no
// directory could be made.
func (d *Folder) TempDir() (string, error) {
	own := d.path(tempDir)
	err := d.mkdir(tempDir)
	if err == nil && !noExec(own) {
		return own, nil
	}
	if d.temp != "" {
		return d.temp, nil
	}
	better, elsewhere := d.all.makeElsewhere(d.id)
	switch {
	case elsewhere == nil:
		d.temp = better
		return better, nil
	case err == nil:
		return own, elsewhere
	}
	return "", err
}

// makeElsewhere makes a private directory below our own TMPDIR, inside one that close
// removes, and that the next sidecar removes if we are killed. Files in it can be
// executed.
func (f *folders) makeElsewhere(name string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.elsewhere == nil {
		if noExec(os.TempDir()) {
			return "", fmt.Errorf("%s: %w", os.TempDir(), errNoExec)
		}
		s, err := channel.NewScratch(os.TempDir(), f.user != nil)
		if err != nil {
			return "", err
		}
		f.elsewhere = s
	}
	dir, err := os.MkdirTemp(f.elsewhere.Path(), name+"-")
	if err != nil {
		return "", err
	}
	return dir, f.own(os.Chown, dir)
}
