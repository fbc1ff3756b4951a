package proc

import (
	"os"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/sandbox"
)

// Command describes a process to start. [Host.Start] does not change it, and it may be used
// again.
type Command struct {
	// Argv is the program and its arguments. Argv[0] without a slash is looked
	// up in the PATH of Env; no shell is involved.
	Argv []string
	// Env is the whole environment, each entry "NAME=value". nil is an empty environment.
	Env []string
	// Dir is the working directory, "" for our own.
	Dir string
	// User runs the process under another uid; nil keeps ours.
	User *User
	// Terminal becomes the process's standard input, output and error, and its controlling
	// terminal; nil means three pipes. The caller closes it after Start, and reads the other
	// end itself.
	Terminal *os.File
	// Marker is an entry of Env, in full, that no other process has
	// ("SIDECAR_CHANNEL_TOKEN=…"). It identifies descendants that have left both the process
	// group and the family tree. "" means that there is none.
	Marker string
	// Grace is how long Stop waits between SIGTERM and SIGKILL. If it is 0, Stop sends no
	// SIGTERM.
	Grace time.Duration
	// Stdin replaces the pipe to standard input. The caller closes it at any time after Start.
	// It cannot be used together with Terminal.
	Stdin *os.File
	// Merged makes standard error the pipe of standard output, so that what is written to the two
	// is read in that order, as standard output.
	Merged bool
	// Files are what the process gets as descriptors 3, 4 and so on. The caller closes them at
	// any time after Start.
	Files []*os.File
	// Sandbox confines the process and everything that it starts; nil does not.
	Sandbox *sandbox.Sandbox
}
