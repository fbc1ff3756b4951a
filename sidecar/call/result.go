package call

import (
	"encoding/json"
	"errors"
	"maps"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
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
	stderr    job.Stderr           // the end of it
	artifacts []a2a.ArtifactUpdate // besides the result itself

	// What the tool said beside its words, over the channel.
	parts      []a2a.Part // of the message that explains
	metadata   a2a.Metadata
	extensions []string
}

// own is metadata that a tool may give: what the call itself says, under its own
// URI, a tool does not forge.
func own(m a2a.Metadata) a2a.Metadata {
	if _, forged := m[ExtensionURI]; forged {
		m = maps.Clone(m)
		delete(m, ExtensionURI)
	}
	return m
}

// uses are the extensions of something that the call says, ours first.
func (r *result) uses() []string { return append([]string{ExtensionURI}, r.extensions...) }

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
