package job

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// Protect makes a file for the process, which it can read and not change, and returns its
// path. The file is in a directory in which safe finds nothing wrong: beside the folder or,
// if that is no such place, below one of SafePlaces. It replaces an earlier file of that
// name, and is removed with the folder. The error is that of the last place.
func (d *Folder) Protect(name string, data []byte, safe func(dir string) error) (string, error) {
	dir, err := d.all.protected(safe)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, d.id+"."+name)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	d.protected = append(d.protected, path)
	_, err = f.Write(data)
	if u := d.all.user; u != nil {
		err = errors.Join(err, f.Chown(-1, int(u.GID)), f.Chmod(0o640))
	}
	return path, errors.Join(err, f.Close())
}

// SafePlaces lists directories that often belong to us alone, from the top down; an entry may
// be empty.
func SafePlaces() []string {
	return []string{"/run", os.Getenv("XDG_STATE_HOME"), os.Getenv("HOME")}
}

// protected returns a directory for files of Protect that is safe; it makes one if necessary.
func (f *folders) protected(safe func(dir string) error) (string, error) {
	base, err := f.directory()
	if err == nil {
		err = safe(base)
	}
	if err == nil {
		return base, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.guarded != nil {
		return f.guarded.Path(), safe(f.guarded.Path())
	}
	for _, place := range SafePlaces() {
		if place == "" || !filepath.IsAbs(place) || safe(place) != nil {
			continue
		}
		scratch, failed := channel.NewScratch(place, f.user != nil)
		if failed != nil {
			err = failed
			continue
		}
		f.guarded = scratch
		return scratch.Path(), nil
	}
	return "", err
}

// unprotect removes the files of Protect.
func (d *Folder) unprotect() {
	for _, path := range d.protected {
		_ = os.Remove(path) // close removes what could not be removed
	}
	d.protected = nil
}

// ProtectedRoots returns the files of Protect, for the sandbox of the process.
func (d *Folder) ProtectedRoots() (all []sandbox.Root) {
	for _, path := range d.protected {
		all = append(all, sandbox.Root{Base: filepath.Dir(path), Path: filepath.Base(path)})
	}
	return all
}
