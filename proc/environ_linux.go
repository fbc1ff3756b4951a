package proc

import (
	"bytes"
	"os"
	"strconv"
)

// answer says whether an environment has an entry.
type answer int

const (
	entryAbsent answer = iota
	entryPresent
	entryDenied  // we may not read it
	entryUnknown // the environment is empty, as in the middle of an exec
)

// hasEntry returns whether the entry is in the environment that the process was started with.
func (p process) hasEntry(entry string) answer {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(p.pid) + "/environ")
	switch {
	case os.IsPermission(err):
		return entryDenied
	case err != nil:
		return entryAbsent // it has ended
	case len(env) == 0:
		return entryUnknown
	}
	for e := range bytes.SplitSeq(env, []byte{0}) {
		if string(e) == entry {
			return entryPresent
		}
	}
	return entryAbsent
}
