package proc

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// tag marks a process and all that descends from it, whatever they do to their
// environment, sessions and parents: a child inherits it at its fork, and exec
// keeps it. It is a soft limit that limits nothing, the real-time CPU time of
// RLIMIT_RTTIME in microseconds: each child gets a random number of its own, more
// than 100,000 years. Whoever raises his limit loses it. 0 is none.
type tag uint64

// tagBit is in every tag, and makes it longer than any limit that is meant.
const tagBit = 1 << 62

func newTag() tag {
	var random [8]byte
	rand.Read(random[:]) // never fails (crypto/rand)
	return tag(binary.NativeEndian.Uint64(random[:])&(tagBit-1) | tagBit)
}

// tagging says how a process gets its tag.
type tagging int

const (
	untagged tagging = iota
	// tagAfter gives it to the process when it has been started, which takes less
	// than its first instructions do: starts need not wait for each other.
	tagAfter
	// tagBefore gives it to us for as long as the start takes, one start at a time,
	// and the process inherits it: we may not change the limits of another user's.
	tagBefore
)

// tagger starts processes, with tags.
type tagger struct {
	own sync.RWMutex // held for writing while our own limit is a tag
}

// start runs spawn, which forks, and returns the tag that the new process has. It
// is 0, none, where the limit is one that somebody meant, or cannot be set. Our own
// may be the tag that another sidecar gave us.
func (r *tagger) start(how tagging, spawn func() (int, error)) (pid int, mark tag, err error) {
	if how != tagBefore {
		r.own.RLock()
		defer r.own.RUnlock()
		if pid, err = spawn(); err == nil && how == tagAfter {
			mark, _ = setTag(pid)
		}
		return pid, mark, err
	}
	r.own.Lock()
	defer r.own.Unlock()
	mark, was := setTag(0)
	pid, err = spawn()
	if mark != 0 {
		// A soft limit may always be raised to the hard one.
		_ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &was, nil)
	}
	return pid, mark, err
}

// setTag gives a process, 0 for ourselves, a new tag, and returns what its limit was.
func setTag(pid int) (mark tag, was unix.Rlimit) {
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &was) != nil || was.Cur != unix.RLIM_INFINITY && !isTag(was.Cur) {
		return 0, was
	}
	mark = newTag()
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: uint64(mark), Max: was.Max}, nil) != nil {
		return 0, was
	}
	return mark, was
}

// tagOf is the tag of a process, 0 when it has none.
func tagOf(pid int) tag {
	var limit unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &limit) != nil {
		limit.Cur = limitOf(pid) // another user's
	}
	if !isTag(limit.Cur) {
		return 0
	}
	return tag(limit.Cur)
}

// isTag tells a tag from no limit and from one that is meant.
func isTag(limit uint64) bool { return limit&^(tagBit-1) == tagBit }

// limitOf reads the limit where everybody may, 0 when there is none.
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
