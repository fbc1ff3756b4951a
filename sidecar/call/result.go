package call

import (
	"encoding/json"
	"errors"
	"maps"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// crashText is what a caller learns of a panic; the rest is only in the log.
const crashText = "the tool crashed"

// result is how a call ended, before it is written down.
type result struct {
	outcome   Outcome
	data      json.RawMessage      // nil: none
	text      string               // the reason, in every case except a whole output
	truncated bool                 // data has only the head
	redacted  bool                 // secrets were taken out
	media     string               // of an output that is no text
	path, url string               // of the side file, "" for none
	stderr    job.Stderr           // the end of it
	artifacts []a2a.ArtifactUpdate // in addition to the result itself
	changes   []tool.Change        // of files, by a tool of our own

	// What the tool said over the channel in addition to its text.
	parts      []a2a.Part // of the message that explains
	metadata   a2a.Metadata
	extensions []string
}

// own returns the metadata that a tool may give: a tool must not forge what the call
// itself says under its own URI.
func own(m a2a.Metadata) a2a.Metadata {
	if _, forged := m[ExtensionURI]; forged {
		m = maps.Clone(m)
		delete(m, ExtensionURI)
	}
	return m
}

// uses returns the extensions of a message or artifact of the call, ours first.
func (r *result) uses() []string { return append([]string{ExtensionURI}, r.extensions...) }

func ended(c Case, text string) *result { return &result{outcome: Outcome{Case: c}, text: text} }

func failed(text string) *result { return ended(Failed, text) }

// stopped returns the result of a call that was stopped while it ran and had no
// output.
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
	case errors.As(cause, new(tooLarge)):
		return ended(TooLarge, cause.Error())
	}
	if failed := (*siblingFailed)(nil); errors.As(cause, &failed) {
		return ended(Canceled, failed.Error())
	}
	return ended(Canceled, "canceled")
}

// notStarted returns the result of a call that was stopped before it ran. A call that
// a drain turns away can safely be tried again, elsewhere or later; busy says so.
func notStarted(cause error) *result {
	if errors.Is(cause, task.ErrDraining) {
		return ended(Busy, "not started: shutting down")
	}
	return stopped(cause)
}
