package acp

import (
	"cmp"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// ACP has no place for a turn that has failed within the agent: some answer the prompt with end_turn, and say
// why in words of the answer. One extension has a place for it, which an agent uses if the client says that it
// knows it: below _meta, jetbrains.air.sessionFailure {severity, title, details}. With it, warnings are
// no words of the answer either.
const (
	extensionVendor = "jetbrains"
	extensionName   = "air"
	failureKey      = "sessionFailure"
)

// failures says in initialize that we know typed failures.
func failures() map[string]any {
	return map[string]any{extensionVendor: map[string]any{extensionName: map[string]any{"version": 1, "capabilities": []string{failureKey}}}}
}

// failure returns the reason that an answer to a prompt has for a turn that has failed, "" if it has none.
func failure(answer fields) string {
	f := answer.object("_meta").object(extensionVendor).object(extensionName).object(failureKey)
	if f.text("severity") != "error" {
		return ""
	}
	why := f.text("title")
	if more := f.text("details"); more != "" && more != why {
		why = cmp.Or(why, "the turn has failed") + ": " + more
	}
	return text.Shorten(cmp.Or(why, "the agent says that the turn has failed, and not why"), maxReason)
}
