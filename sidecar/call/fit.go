package call

import (
	"github.com/a2a-sidecar/sidecar/internal/text"
)

// envelopeRoom is how much of an envelope is not the tool's: the metadata, with the path of a
// side file.
const envelopeRoom = 32 << 10

// leastData is how much of an output an envelope has at least, however little its caller can be
// given.
const leastData = 1 << 10

// fit cuts a result that its caller cannot be given whole: its data become the head of their
// text, and all of them go into the side file, as if the tool's limit had been that low.
func (e *execution) fit(r *result, inv *Invocation) {
	if inv.request.MaxEnvelope <= 0 {
		return
	}
	room := max(inv.request.MaxEnvelope-envelopeRoom, leastData)
	if len(quote(r.text)) > room/2 {
		r.text = shortenQuoted(r.text, room/2)
	}
	if room -= len(quote(r.text)); len(r.data) <= room {
		return
	}
	said := e.out.text()
	switch {
	case r.truncated:
		said = inline(r, "") // the side file has been begun
	case e.structured != nil:
		said = string(r.data)
	}
	if !r.truncated {
		r.aside(e.out.side, []byte(said))
	}
	r.data, r.truncated = head(quote(cutQuoted(said, room-len(head(nil))))), true
}

// cutQuoted returns the beginning of a text that as JSON is at most n bytes long.
func cutQuoted(s string, n int) string {
	for size := n; ; {
		cut := text.Cut(s, max(min(size, len(s)), 0))
		long := len(quote(cut))
		if long <= n || cut == "" {
			return cut
		}
		size = min(len(cut)*n/long, len(cut)-1)
	}
}

// shortenQuoted returns a text that as JSON is at most about n bytes long, with an ellipsis for
// what is left out.
func shortenQuoted(s string, n int) string { return cutText(s, len(cutQuoted(s, n))) }
