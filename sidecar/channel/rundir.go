package channel

import (
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/rmtree"
)

// These constants are the names in a runtime directory.
const (
	dirPrefix  = "sidecar-"
	socketName = "s"
	lockName   = "lock" // locked while the owner lives
	// maxPath is less than the longest path of a socket on any system.
	maxPath = 100
)

// runtimeDir is the directory that our socket is in.
type runtimeDir struct {
	path string
	lock *os.File
}

func (d *runtimeDir) socket() string { return filepath.Join(d.path, socketName) }

// listen makes the socket in the first place where that works. It sweeps each place
// before it tries it.
func listen(o Options) (*runtimeDir, *net.UnixListener, error) {
	var faults []error
	dirs := runtimeDirs(o.RuntimeDir)
	wanted := dirs[0]
	if o.Exposed != nil {
		inside := slices.DeleteFunc(slices.Clone(dirs), func(dir string) bool { return !o.Exposed(dir) })
		dirs = append(slices.DeleteFunc(dirs, func(dir string) bool { return slices.Contains(inside, dir) }), inside...)
		if slices.Contains(inside, wanted) {
			faults = append(faults, fmt.Errorf("tools may write in %s", wanted))
		}
	}
	for _, base := range dirs {
		dir, ln, err := listenIn(base, o.UID)
		if err == nil {
			if o.RuntimeDir != "" && base != wanted {
				o.Log.Warn("the runtime directory is not used; another is", "dir", dir.path, "error", faults[0])
			}
			return dir, ln, nil
		}
		faults = append(faults, err)
	}
	return nil, nil, fmt.Errorf("%w: %w", ErrNoDir, errors.Join(faults...))
}

// runtimeDirs returns the places to try, in order.
func runtimeDirs(first string) []string {
	var out []string
	for _, dir := range []string{first, os.Getenv("XDG_RUNTIME_DIR"), "/run", "/dev/shm", os.Getenv("TMPDIR"), "/tmp"} {
		if dir == "" {
			continue
		}
		if abs, err := filepath.Abs(dir); err == nil {
			out = append(out, abs)
		}
	}
	return out
}

func listenIn(base string, uid int) (*runtimeDir, *net.UnixListener, error) {
	dir := &runtimeDir{path: filepath.Join(base, newName())}
	if n := len(dir.socket()); n >= maxPath {
		return nil, nil, fmt.Errorf("%s: a socket's path there has %d bytes, %d are allowed", base, n, maxPath-1)
	}
	sweep(base)
	if err := os.Mkdir(dir.path, 0o700); err != nil {
		return nil, nil, err
	}
	ln, err := dir.open(uid)
	if err != nil {
		dir.remove()
		return nil, nil, err
	}
	return dir, ln, nil
}

// newName returns a name that nobody can guess.
func newName() string {
	var random [7]byte
	rand.Read(random[:]) // never fails (crypto/rand)
	return dirPrefix + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(random[:]))
}

// hold makes the new directory private and locks it, so that no other sidecar sweeps
// it.
func (d *runtimeDir) hold() error {
	if err := os.Chmod(d.path, 0o700); err != nil { // Mkdir's mode depends on the umask
		return err
	}
	lock, err := os.OpenFile(filepath.Join(d.path, lockName), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	d.lock = lock
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", lock.Name(), err)
	}
	return nil
}

// open locks the new directory and listens in it. If the agent runs as another user,
// that user may pass through the directory but not list it, and owns the socket.
func (d *runtimeDir) open(uid int) (*net.UnixListener, error) {
	if err := d.hold(); err != nil {
		return nil, err
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: d.socket(), Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := d.share(uid); err != nil {
		ln.Close()
		return nil, err
	}
	return ln, nil
}

func (d *runtimeDir) share(uid int) error {
	if err := os.Chmod(d.socket(), 0o600); err != nil {
		return err
	}
	if uid < 0 || uid == os.Geteuid() {
		return nil
	}
	if err := os.Lchown(d.socket(), uid, -1); err != nil {
		return err
	}
	return os.Chmod(d.path, 0o711)
}

// remove deletes the directory with all that is in it.
func (d *runtimeDir) remove() {
	_ = rmtree.Remove(d.path) // what stays is swept by the next sidecar
	if d.lock != nil {
		d.lock.Close()
	}
}
