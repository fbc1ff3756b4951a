package call

import (
	"encoding/json"
	"errors"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// crashText is what a caller learns of a panic; the rest is in the log.
const crashText = "the tool crashed"

// result is how a call ended, before it is written down.
type result struct {
	outcome   Outcome
	data      json.RawMessage // nil: none
	text      string          // why, for every case that is not a whole output
	truncated bool
	stderr    []byte               // the last of it
	artifacts []a2a.ArtifactUpdate // besides the result itself
}

func ended(c Case, text string) *result { return &result{outcome: Outcome{Case: c}, text: text} }

func failed(text string) *result { return ended(Failed, text) }

// stopped is a call without output that was stopped while it ran.
func stopped(cause error) *result {
	switch {
	case errors.Is(cause, task.ErrDeadline):
		text := "the time limit was reached"
		if limit := timeLimit(0); errors.As(cause, &limit) {
			text = limit.Error()
		}
		return ended(TimedOut, text)
	case errors.Is(cause, task.ErrDraining):
		return failed("shutting down")
	}
	return ended(Canceled, "canceled")
}

// notStarted is a call that was stopped before it ran. One that a drain turns
// away may safely be tried again, elsewhere or later: that is what busy says.
func notStarted(cause error) *result {
	if errors.Is(cause, task.ErrDraining) {
		return ended(Busy, "not started: shutting down")
	}
	return stopped(cause)
}
