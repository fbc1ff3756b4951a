package proc

import (
	"os"
	"time"
)

// Command describes a process to start. It is not changed by [Host.Start] and
// may be used again.
type Command struct {
	// Argv is the program and its arguments. Argv[0] without a slash is looked
	// up in the PATH of Env; no shell is involved.
	Argv []string
	// Env is the whole environment, "NAME=value" each. nil is an empty one.
	Env []string
	// Dir is the working directory, "" for ours.
	Dir string
	// User runs the process under another uid; nil keeps ours.
	User *User
	// Terminal is the process's standard input, output and error, and its
	// controlling terminal; nil uses three pipes. The caller closes it after Start,
	// and reads the other end itself.
	Terminal *os.File
	// Marker is one entry of Env as it stands there, one that nothing else has
	// ("SIDECAR_CHANNEL_TOKEN=…"): by it descendants are found that left both
	// the process group and the family tree. "" when there is none.
	Marker string
	// Grace is how long Stop waits between SIGTERM and SIGKILL; 0 means that
	// there is no SIGTERM.
	Grace time.Duration
	// Stdin replaces the pipe to standard input. The caller closes it, any time
	// after Start. It cannot be used together with Terminal.
	Stdin *os.File
}
