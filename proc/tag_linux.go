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

// tagger starts processes one after the other: the limit is that of all of this
// process for as long as a start takes.
type tagger struct{ mu sync.Mutex }

// start runs spawn, which forks, and returns the tag that the new process has. It
// has none, 0, unless it is to have one, and where the limit is one that somebody
// meant, or cannot be set. Our own may be the tag that another sidecar gave us.
func (r *tagger) start(tagged bool, spawn func() (int, error)) (pid int, mark tag, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var was unix.Rlimit
	if tagged && unix.Prlimit(0, unix.RLIMIT_RTTIME, nil, &was) == nil && (was.Cur == unix.RLIM_INFINITY || isTag(was.Cur)) {
		mark = newTag()
		if unix.Prlimit(0, unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: uint64(mark), Max: was.Max}, nil) != nil {
			mark = 0
		}
	}
	pid, err = spawn()
	if mark != 0 {
		// A soft limit may always be raised to the hard one.
		_ = unix.Prlimit(0, unix.RLIMIT_RTTIME, &was, nil)
	}
	return pid, mark, err
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
