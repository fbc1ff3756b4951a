package config

import (
	"errors"
	"fmt"
	"strings"

	txt "github.com/a2a-sidecar/sidecar/internal/text"
)

// ErrNoCommand says that there is nothing to wrap.
var ErrNoCommand = errors.New("no command to wrap: give it after run (sidecar run -- claude), or in AGENT_CMD, or in SPRING_AGENT_ARGV")

// From is a kind of source.
type From int

// The sources, the weakest first.
const (
	FromDefault From = iota
	FromFile
	FromPlatform
	FromEnv
	FromFlag
)

// Origin says where a value came from.
type Origin struct {
	From From
	// Name is the flag, the variable, or file:line:column. For a default that depends
	// on something, it is what the default depends on.
	Name string
}

func (o Origin) String() string {
	switch o.From {
	case FromFlag:
		return "flag"
	case FromEnv, FromPlatform:
		return "$" + o.Name
	case FromFile:
		return o.Name
	}
	if o.Name != "" {
		return "default, " + o.Name
	}
	return "default"
}

// Fault is a value that cannot be used.
type Fault struct {
	Setting string
	Origin  Origin
	// Value is the text as it came; HasValue is false when the fault is not
	// about one value.
	Value    string
	HasValue bool
	// Err continues a sentence that begins with the value: it says what is wrong, and
	// what would be right.
	Err error
}

func (f *Fault) Error() string {
	subject := f.Setting
	switch f.Origin.From {
	case FromFlag, FromEnv, FromPlatform:
		subject = f.Origin.Name
	case FromFile:
		subject = strings.TrimSuffix(f.Origin.Name+": "+f.Setting, ": ")
	}
	if !f.HasValue {
		return strings.TrimPrefix(subject+": "+f.Err.Error(), ": ")
	}
	return fmt.Sprintf("%s=%s %v", subject, quote(f.Value), f.Err)
}

// quote returns a foreign value for display: bounded, and without anything that a
// terminal would obey.
func quote(s string) string { return txt.Quote(s, 80) }

func (f *Fault) Unwrap() error { return f.Err }

// Faults is everything that is wrong, in the order of the table.
type Faults []error

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i, err := range f {
		lines[i] = err.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap returns the faults, so that errors.Is and errors.As see each of them.
func (f Faults) Unwrap() []error { return f }

// Usage reports whether all the faults come from the command line.
func (f Faults) Usage() bool {
	for _, err := range f {
		var fault *Fault
		onLine := errors.As(err, &fault) && fault.Origin.From == FromFlag
		if !onLine && !errors.Is(err, ErrNoCommand) {
			return false
		}
	}
	return true
}
