package proc

import "strings"

// StartError says why a process could not be started. It wraps the errno or
// sentinel of its cause.
type StartError struct {
	// Name is the command as it was given.
	Name string
	// Code is the exit code that a shell would report: 127 if something was not found,
	// otherwise 126.
	Code int
	// Reason says what is wrong and with which file, without a full stop.
	Reason string
	// Hint says what to do about it. It may be empty.
	Hint string
	// Err is the cause.
	Err error
}

// Error returns one line: name, reason and hint. If the reason begins with the name, the name
// is not repeated.
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

// ExitCode returns 127 if the command was not found, and 126 if it was found but cannot be run.
func (e *StartError) ExitCode() int { return e.Code }

// Unwrap returns the cause.
func (e *StartError) Unwrap() error { return e.Err }
