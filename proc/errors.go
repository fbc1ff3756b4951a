package proc

import "strings"

// StartError says why a process could not be started. It wraps the errno or
// sentinel of its cause.
type StartError struct {
	// Name is the command as it was given.
	Name string
	// Code is the exit code by which a shell would report it: 127 when
	// something was not found, else 126.
	Code int
	// Reason says what is wrong and with which file, without a full stop.
	Reason string
	// Hint says what to do about it; it may be empty.
	Hint string
	// Err is the cause.
	Err error
}

// Error is one line: name, reason and hint. A reason that begins with the name
// needs no other.
func (e *StartError) Error() string {
	s := e.Reason
	if e.Name != "" && !strings.HasPrefix(s, e.Name+" ") {
		s = e.Name + ": " + s
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// ExitCode is 127 when the command was not found and 126 when it was found and
// cannot be run.
func (e *StartError) ExitCode() int { return e.Code }

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }
