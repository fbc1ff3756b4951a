package waits

import (
	"bytes"
	"os"
	"path"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/procfs"
	"golang.org/x/sys/unix"
)

// descriptor returns an argument of a system call that is a descriptor.
func descriptor(arg uint64) int { return int(int32(arg)) }

// descriptors returns how many descriptors the process has open, or an upper limit of that on
// kernels before 6.2. It returns 0 if the kernel does not tell.
func (t thread) descriptors() int {
	var s unix.Stat_t
	if unix.Stat("/proc/"+strconv.Itoa(t.pid)+"/fd", &s) == nil && s.Size > 0 {
		return int(s.Size)
	}
	return int(t.status("FDSize"))
}

// link returns what a descriptor is open on. It returns "" if the kernel does not tell.
func (t thread) link(fd int) string {
	file, size := t.fd(fd), 0
	var buf [64]byte
	var err error
	read := func() { size, err = unix.Readlink(file, buf[:]) }
	if read(); err == unix.EACCES && os.Geteuid() == 0 {
		procfs.AsOwner(t.pid, read)
	}
	if err != nil {
		return ""
	}
	return string(buf[:size])
}

func (t thread) fd(fd int) string { return t.file("fd/" + strconv.Itoa(fd)) }

// isTerminal reports whether a descriptor is open on the terminal.
func (t thread) isTerminal(fd int) bool { return t.isLink(fd, t.link(fd)) }

// isLink is isTerminal for a descriptor whose link is known.
func (t thread) isLink(fd int, link string) bool {
	if !t.maybeTerminal(fd, link) {
		return false
	}
	var s unix.Stat_t
	var err error
	stat := func() { err = unix.Stat(t.fd(fd), &s) }
	if stat(); err == unix.EACCES && os.Geteuid() == 0 {
		procfs.AsOwner(t.pid, stat)
	}
	if err != nil || s.Mode&unix.S_IFMT != unix.S_IFCHR {
		return false
	}
	const ttyMajor, ttyMinor = 5, 0 // /dev/tty
	major, minor := unix.Major(s.Rdev), unix.Minor(s.Rdev)
	return s.Rdev == t.terminal || t.own && major == ttyMajor && minor == ttyMinor
}

// maybeTerminal reports whether a descriptor may be asked what it is. A file on a network may not
// answer, so only devices are asked: those below /dev, and those of a devpts file system that is
// mounted elsewhere, as containers do.
func (t thread) maybeTerminal(fd int, link string) bool {
	if strings.HasPrefix(link, "/dev/") {
		return true
	}
	dir, number := path.Split(link)
	_, err := strconv.ParseUint(number, 10, 32)
	return err == nil && strings.HasSuffix(dir, "/pts/") && t.onDevpts(fd)
}

// onDevpts reports whether a descriptor is open on a file of a devpts file system. It does not
// touch the file.
func (t thread) onDevpts(fd int) bool {
	info, err := t.read("/proc/" + strconv.Itoa(t.pid) + "/fdinfo/" + strconv.Itoa(fd))
	if err != nil {
		return false
	}
	_, mount, _ := bytes.Cut(info, []byte("mnt_id:"))
	mount, _, _ = bytes.Cut(mount, []byte("\n"))
	mount = bytes.TrimSpace(mount)
	mounts, err := t.read("/proc/" + strconv.Itoa(t.pid) + "/mountinfo")
	if err != nil || len(mount) == 0 {
		return false
	}
	for line := range bytes.Lines(mounts) {
		id, rest, _ := bytes.Cut(line, []byte(" "))
		if bytes.Equal(id, mount) {
			_, kind, _ := bytes.Cut(rest, []byte(" - "))
			return bytes.HasPrefix(kind, []byte("devpts "))
		}
	}
	return false
}
