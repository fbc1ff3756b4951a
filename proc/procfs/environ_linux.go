package procfs

import (
	"bytes"
	"os"
	"strconv"
)

// Answer says whether an environment has an entry.
type Answer int

const (
	// Absent means that the entry is not there, or that the process has ended.
	Absent Answer = iota
	// Present means that the entry is there.
	Present
	// Denied means that we may not read the environment.
	Denied
	// Unknown means that the environment is empty, as in the middle of an exec.
	Unknown
)

// HasEntry returns whether the entry is in the environment that the process was started with.
func (p Process) HasEntry(entry string) Answer {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/environ")
	switch {
	case os.IsPermission(err):
		return Denied
	case err != nil:
		return Absent // it has ended
	case len(env) == 0:
		return Unknown
	}
	for e := range bytes.SplitSeq(env, []byte{0}) {
		if string(e) == entry {
			return Present
		}
	}
	return Absent
}
