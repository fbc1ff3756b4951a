package opencode

import (
	"slices"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// over reports whether the turn has ended: the agent is idle, and has said of each message how it ended. An
// agent that is stopped is idle before.
func (t *turn) over() bool {
	if t.final {
		return true
	}
	return t.idle && !slices.ContainsFunc(t.answers, func(a *answer) bool { return a.Time.Completed == 0 })
}

// ending says how the turn ended.
func (t *turn) ending() peer.Ending {
	e := peer.Ending{Usage: t.usage}
	if e.Usage.Model == "" {
		e.Usage.Model = t.model()
	}
	var last *answer
	for _, a := range slices.Backward(t.answers) {
		if !a.summary {
			last = a
			break
		}
	}
	switch {
	case last != nil && last.Error != nil && last.Error.Name != abortedName:
		e.Reason = spec.FirstOf(last.Error.line(), t.failure)
	case last != nil && last.Error == nil && last.Finish == "stop":
		e.OK = true
	case last != nil && last.Error == nil && last.Finish == "length":
		e.OK, e.Reason = true, "max_tokens"
	case last != nil && last.Error != nil || t.aborted || t.isCanceled():
		e.Canceled, e.Reason = true, "canceled"
	case t.failure != "":
		e.Reason = t.failure
	case t.rejected.Load(): // the agent ends its turn then, without an answer
		e.OK = true
	default:
		e.Reason = unfinished(last)
	}
	return e
}

// unfinished says why a turn counts as failed that ended with this message, nil for none.
func unfinished(last *answer) string {
	switch {
	case last == nil:
		return "the agent ended without an answer"
	case last.Finish == "":
		return "the agent ended in the middle of its answer"
	case last.Finish == "tool-calls":
		return endedAfterTool
	}
	return "the model stopped: " + text.Line(last.Finish, maxShown)
}
