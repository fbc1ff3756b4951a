package audit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// rotate makes the file an old one and begins a new one, whose first record goes on with
// the chain. The oldest file is removed when there are too many.
func (w *writer) rotate() error {
	if err := w.flush(); err != nil {
		return err
	}
	for n := w.o.Keep - 1; n >= 1; n-- {
		if err := os.Rename(old(w.o.File, n), old(w.o.File, n+1)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.Rename(w.o.File, old(w.o.File, 1)); err != nil {
		return err
	}
	before := w.f
	if err := w.openFile(); err != nil {
		// The records go on in the file that was open, under the name that it has now.
		return errors.Join(err, os.Rename(old(w.o.File, 1), w.o.File))
	}
	_ = before.Close() // everything in it was synced
	syncDir(filepath.Dir(w.o.File))
	return w.begin(&Opening{Why: "rotation", PID: os.Getpid(), Version: w.o.Version})
}

// syncDir makes names in a directory durable. Some file systems cannot do so; there is
// nothing else to do then.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
