package job

import (
	"errors"
	"fmt"
	"os"

	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// tempDir is a session's TMPDIR in its folder.
const tempDir = "tmp"

// errNoExec: a place is no better than the one that there is.
var errNoExec = errors.New("mounted noexec")

// TempDir makes a private TMPDIR for a process that goes on, which is removed with
// the folder. It is in the folder or, if nothing could be executed there, in our
// own TMPDIR if that is better. With an error and a path, nothing in the path can
// be executed, and the error says why there is no better place; with an error and
// no path, no directory could be made.
func (d *Folder) TempDir() (string, error) {
	own := d.path(tempDir)
	err := d.mkdir(tempDir)
	if err == nil && !noExec(own) {
		return own, nil
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

// makeElsewhere makes a private directory below our own TMPDIR, in one that is
// removed by close, and swept by the next sidecar if we are killed. What is put
// there can be executed.
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
