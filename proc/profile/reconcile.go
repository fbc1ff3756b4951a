package profile

import "strings"

// Reconcile returns what must still be said so that an artifact which has the
// streamed text is the exact text: a tail to add or, when replace is true, all
// of the artifact's new text.
func Reconcile(streamed, exact string) (tail string, replace bool) {
	if rest, ok := strings.CutPrefix(exact, streamed); ok {
		return rest, false
	}
	return exact, true
}
