package relocate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// ErrInUse is the error of files that a running sidecar has locked.
var ErrInUse = errors.New("a running sidecar uses these files")

// Move says which files go where.
type Move struct {
	// Root is a directory that exists. From is Root or a directory below it, and need not exist.
	Root, From string
	// To is the directory that the files get. It is made if it does not exist, for our user only.
	To string
	// Names are the paths of the files in From, slash-separated. Those that do not exist are
	// skipped.
	Names []string
	// Dirs are the paths of directories in From of which the regular files are moved too, at most maxInDir of each: whoever may
	// write there may have put any number.
	Dirs []string
	// Locks are files in From that are locked (flock) while the others are used. Those that are
	// not among Names are removed after the move.
	Locks []string
}

// maxInDir is how many files of one of Dirs are moved.
const maxInDir = 100_000

// partSuffix is what the name of To ends in until everything is there.
const partSuffix = ".part"

// Take moves the files and returns the names of those that there were. If To exists, nothing is
// moved: what was in From then stays there.
func (m *Move) Take() (taken []string, err error) {
	alone, err := m.alone()
	if err != nil {
		return nil, err
	}
	defer alone.Close()
	if _, err := os.Lstat(m.To); !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	root, at, err := m.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	locks, err := m.lock(root, at)
	defer closeAll(locks)
	if err != nil {
		return nil, err
	}
	part := m.To + partSuffix
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(part, 0o700)); err != nil {
		return nil, err
	}
	m.Names = slices.Concat(m.Names, m.inDirs(root, at))
	for _, name := range m.Names {
		err := copyFile(root, filepath.Join(at, name), filepath.Join(part, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", filepath.Join(m.From, name), err), os.RemoveAll(part))
		}
		taken = append(taken, name)
	}
	for _, name := range taken {
		syncDir(filepath.Dir(filepath.Join(part, name)))
	}
	syncDir(part)
	switch err := os.Rename(part, m.To); {
	case errors.Is(err, fs.ErrExist): // another sidecar was faster
		return nil, os.RemoveAll(part)
	case err != nil:
		return nil, errors.Join(err, os.RemoveAll(part))
	}
	syncDir(filepath.Dir(m.To))
	m.remove(root, at)
	return taken, nil
}

// inDirs returns the names of the files in Dirs.
func (m *Move) inDirs(root *os.Root, at string) (names []string) {
	for _, dir := range m.Dirs {
		d, err := root.Open(filepath.Join(at, dir))
		if err != nil {
			continue // there is none
		}
		entries, _ := d.ReadDir(maxInDir) // what cannot be listed stays
		d.Close()                         // nothing was written
		for _, e := range entries {
			if e.Type().IsRegular() {
				names = append(names, filepath.Join(dir, e.Name()))
			}
		}
	}
	return names
}

// alone makes the directory that To is in, and keeps other moves into it out until it is closed. Where
// directories cannot be locked, only Locks keep them out.
func (m *Move) alone() (*os.File, error) {
	dir := filepath.Dir(m.To)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	_ = unix.Flock(int(d.Fd()), unix.LOCK_EX)
	return d, nil
}

// open opens Root, and returns the path of From in it.
func (m *Move) open() (*os.Root, string, error) {
	at, err := filepath.Rel(m.Root, m.From)
	if err == nil && !filepath.IsLocal(at) {
		err = fmt.Errorf("%s is not in %s", m.From, m.Root)
	}
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(m.Root)
	return root, at, err
}

// lock takes the locks of a sidecar that could be using the files.
func (m *Move) lock(root *os.Root, at string) (all []*os.File, err error) {
	for _, name := range m.Locks {
		f, err := openRegular(root, filepath.Join(at, name), os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return all, err
		}
		all = append(all, f)
		if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
			return all, fmt.Errorf("%w: %s: %w", ErrInUse, filepath.Join(m.From, name), err)
		}
	}
	return all, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close() // nothing was written
	}
}

// remove removes what was moved, and the directories that are then empty. What cannot be removed
// is only in the way.
func (m *Move) remove(root *os.Root, at string) {
	for _, name := range append(m.Names, m.Locks...) {
		_ = root.Remove(filepath.Join(at, name))
	}
	for _, name := range m.Names {
		if dir := filepath.Dir(name); dir != "." {
			_ = root.Remove(filepath.Join(at, dir))
		}
	}
	for _, dir := range m.Dirs {
		_ = root.Remove(filepath.Join(at, dir))
	}
	if at != "." {
		_ = root.Remove(at)
	}
}

// Link makes a symbolic link at path, which is in Root, to target, for those that look for files
// in their old place. It is an error if anything else is there.
func (m *Move) Link(path, target string) error {
	root, _, err := m.open()
	if err != nil {
		return err
	}
	defer root.Close()
	at, err := filepath.Rel(m.Root, path)
	if err != nil {
		return err
	}
	if now, err := root.Readlink(at); err == nil && now == target {
		return nil
	}
	if err := root.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	return root.Symlink(target, at)
}

// copyFile copies a file, and makes the directory for it.
func copyFile(root *os.Root, from, to string) error {
	in, err := openRegular(root, from, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer in.Close() // nothing was written
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// openRegular opens a regular file, and does not wait for a writer as a named pipe would make it.
func openRegular(root *os.Root, path string, flags int) (*os.File, error) {
	info, err := root.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("is not a regular file")
	}
	f, err := root.OpenFile(path, flags|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) {
		f.Close()
		return nil, errors.Join(errors.New("was replaced meanwhile"), err)
	}
	return f, nil
}

// syncDir makes the new names in a directory survive a crash. Some file systems cannot do so; there is nothing else
// to do then.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}
