package reaper

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// Tag marks a process and all its descendants, whatever they do to their environment, sessions
// and parents: a child inherits the tag at its fork, and exec keeps it. The tag is a soft limit
// that limits nothing, the real-time CPU time of RLIMIT_RTTIME in microseconds: each child gets
// a random number of its own, more than 100,000 years. A process that raises this limit loses
// its tag. 0 means no tag.
type Tag uint64

// tagBit is set in every tag, and makes a tag longer than any real limit.
const tagBit = 1 << 62

func newTag() Tag {
	var random [8]byte
	rand.Read(random[:]) // never fails (crypto/rand)
	return Tag(binary.NativeEndian.Uint64(random[:])&(tagBit-1) | tagBit)
}

// Tagging says how a process gets its tag.
type Tagging int

const (
	// Untagged gives no tag.
	Untagged Tagging = iota
	// Tagged sets our own tag during the start, one start at a time, and the process inherits
	// it: it has the tag before its first instruction. A tag that is set after the start comes
	// too late on a busy machine, for what the process has forked until then.
	Tagged
)

// tagger starts processes and gives them tags.
type tagger struct {
	own sync.RWMutex // held for writing while our own limit is a tag
}

// start runs spawn, which forks, and returns the tag of the new process. The tag is 0 if the
// process has a real limit, or if the limit cannot be set. Our own limit may be a tag that
// another sidecar gave us.
func (r *tagger) start(how Tagging, spawn func() (int, error)) (pid int, mark Tag, err error) {
	if how != Tagged {
		r.own.RLock()
		defer r.own.RUnlock()
		pid, err = spawn()
		return pid, 0, err
	}
	r.own.Lock()
	defer r.own.Unlock()
	mark, was := setOwn()
	pid, err = spawn()
	if mark != 0 {
		// A soft limit may always be raised to the hard one.
		_ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &was, nil)
	}
	return pid, mark, err
}

// setOwn gives us a new tag, and returns our limit before that.
func setOwn() (mark Tag, was unix.Rlimit) {
	if unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &was) != nil || was.Cur != unix.RLIM_INFINITY && !isTag(was.Cur) {
		return 0, was
	}
	mark = newTag()
	if unix.Prlimit(0, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: uint64(mark), Max: was.Max}, nil) != nil {
		return 0, was
	}
	return mark, was
}

// TagOf returns the tag of a process, 0 if it has none.
func TagOf(pid int) Tag {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &limit) != nil {
		limit.Cur = limitOf(pid) // it belongs to another user
	}
	if !isTag(limit.Cur) {
		return 0
	}
	return Tag(limit.Cur)
}

// isTag reports whether a limit is a tag, and not a real limit or no limit.
func isTag(limit uint64) bool { return limit&^(tagBit-1) == tagBit }

// limitOf reads the limit from a file that every user may read. It returns 0 if there is no
// limit.
func limitOf(pid int) uint64 {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/limits")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(data, []byte("\nMax realtime timeout"))
	soft := bytes.TrimLeft(rest, " ")
	if end := bytes.IndexByte(soft, ' '); end >= 0 {
		soft = soft[:end]
	}
	n, err := strconv.ParseUint(string(soft), 10, 64)
	if err != nil {
		return 0 // unlimited
	}
	return n
}
