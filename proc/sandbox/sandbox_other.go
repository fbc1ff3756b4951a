//go:build !linux

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// Sandbox would start programs under a set of rules. There is none on this system.
type Sandbox struct{ rules Rules }

// errNone says why there is no sandbox here.
var errNone = fmt.Errorf("there is no sandbox on %s, only on Linux: %w", runtime.GOOS, errors.ErrUnsupported)

// Probe returns what this system can do: nothing.
func Probe() Facts {
	return Facts{Why: map[Layer]error{Landlock: errNone, Seccomp: errNone, Capabilities: errNone}}
}

// New returns an error.
func New(Rules) (*Sandbox, error) { return nil, errNone }

// With returns s.
func (s *Sandbox) With(More) *Sandbox { return s }

// Moved returns s.
func (s *Sandbox) Moved(More) *Sandbox { return s }

// Rules returns the rules of s.
func (s *Sandbox) Rules() Rules { return s.rules }

// Layers returns none.
func (s *Sandbox) Layers() Layer { return 0 }

// Missing returns none.
func (s *Sandbox) Missing() []string { return nil }

// Start returns an error.
func (s *Sandbox) Start(string, []string, *os.ProcAttr) (*os.Process, error) { return nil, errNone }

// gaps says which limits are not held: all.
func (l Limits) gaps(int) []string {
	if l == (Limits{}) {
		return nil
	}
	return []string{"its limits are not held on " + runtime.GOOS}
}

// Prepare does nothing.
func (s *Sandbox) Prepare() {}

// Ended does nothing.
func (s *Sandbox) Ended(*os.Process) {}

// SweepGroups does nothing.
func SweepGroups() {}

// Close does nothing.
func (s *Sandbox) Close() {}
