package channel

import (
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/a2a-sidecar/sidecar/internal/rmtree"
)

// youth is how long a directory may take from being made to being locked.
const youth = time.Minute

// sweepPiece is how many names of a directory are held in memory at a time: in a
// directory for temporary files every user may have made some.
const sweepPiece = 1024

// sweep removes the directories that sidecars of our user left in base when they
// were killed. A directory is one of those if it is ours, has a sidecar's kind of
// name, and its lock is free or was never made. The kernel holds the lock: it is
// free when its owner has ended, whatever became of that owner's pid, and it also
// works for owners in other pid namespaces. A directory is removed with all that is
// in it, such as the files of turns and calls; links are removed, never followed.
func sweep(base string) {
	parent, err := os.OpenRoot(base)
	if err != nil {
		return
	}
	defer parent.Close()
	dir, err := parent.Open(".")
	if err != nil {
		return
	}
	defer dir.Close()
	for err == nil {
		var names []string
		names, err = dir.Readdirnames(sweepPiece)
		for _, name := range names {
			if strings.HasPrefix(name, dirPrefix) {
				sweepDir(parent, name)
			}
		}
	}
}

func sweepDir(parent *os.Root, name string) {
	file, err := parent.OpenFile(name, unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		return
	}
	defer file.Close()
	dir := int(file.Fd())
	age, ok := ours(dir)
	if !ok {
		return
	}
	lock, err := unix.Openat(dir, lockName, unix.O_RDWR|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case err == unix.ENOENT && age > youth:
	case err != nil:
		return
	default:
		defer unix.Close(lock)
		if _, ok := ours(lock); !ok || age < youth && !hasSocket(dir) {
			return
		}
		if unix.Flock(lock, unix.LOCK_EX|unix.LOCK_NB) != nil {
			return
		}
	}
	_ = rmtree.RemoveIn(parent, name) // what stays is for the next sweep
}

// ours returns how long ago a file was changed. ok is false if the file does not
// belong to us.
func ours(fd int) (age time.Duration, ok bool) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || int(st.Uid) != os.Geteuid() {
		return 0, false
	}
	return time.Since(time.Unix(st.Mtim.Unix())), true
}

// hasSocket reports whether the directory has its socket already. The socket is made
// while the lock is held.
func hasSocket(dir int) bool {
	var st unix.Stat_t
	return unix.Fstatat(dir, socketName, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&unix.S_IFMT == unix.S_IFSOCK
}
