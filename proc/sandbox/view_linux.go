package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// view tells whether something else is at the roots of a prepared sandbox now. It is asked at each
// start, and most roots are files of a few directories of the system: a file is replaced, made or
// removed by a change of its directory, so that a look at the directory is enough. What is mounted
// over a file shows in neither: it counts from the next start that is prepared.
type view struct {
	dirs  []dirSighting
	roots []sighting // that are looked at one by one
}

// dirSighting is a directory and when its entries were last changed.
type dirSighting struct {
	path    string
	id      fileID
	changed unix.Timespec
}

// settled is the least age of a directory's last change at which the next one shows: file systems
// count in ticks of a few milliseconds.
const settled = 100 * time.Millisecond

// viewOf returns the view of what was seen. Nothing else comes to be at what the kernel makes in
// /proc and /sys.
func viewOf(seen []sighting) (v view) {
	now := time.Now()
	for _, s := range seen {
		switch path := s.root.Path; {
		case s.root.Base != "":
			v.roots = append(v.roots, s)
		case strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/"):
		case !v.covers(path, now):
			v.roots = append(v.roots, s)
		case s.changed(): // before its directory was looked at
			v.roots = append(v.roots, s)
		}
	}
	return v
}

// covers reports whether a look at a directory shows each change at path, and adds that directory.
func (v *view) covers(path string, now time.Time) bool {
	var st unix.Stat_t
	err := unix.Lstat(path, &st)
	if err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return false // it leads elsewhere
	}
	dir := filepath.Dir(path)
	for err != nil && dir != "/" && unix.Stat(dir, &st) != nil {
		dir = filepath.Dir(dir) // where the path would begin to exist
	}
	if slices.ContainsFunc(v.dirs, func(d dirSighting) bool { return d.path == dir }) {
		return true
	}
	if unix.Stat(dir, &st) != nil || now.Sub(time.Unix(st.Ctim.Unix())) < settled {
		return false
	}
	v.dirs = append(v.dirs, dirSighting{dir, fileID{uint64(st.Dev), st.Ino}, st.Ctim})
	return true
}

// stale reports whether something else may be at one of the roots now.
func (v *view) stale() bool {
	return slices.ContainsFunc(v.dirs, dirSighting.stale) || slices.ContainsFunc(v.roots, func(s sighting) bool { return s.changed() })
}

func (d dirSighting) stale() bool {
	var st unix.Stat_t
	return unix.Stat(d.path, &st) != nil || d.id != fileID{uint64(st.Dev), st.Ino} || d.changed != st.Ctim
}
