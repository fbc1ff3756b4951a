package unseen_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/proc/term"
)

// recording is what the record of a session tells: when each task's turn began, and when
// the text on the screen became another one. What only moves the cursor or changes
// colours is no change.
type recording struct {
	turns   map[string]time.Duration
	changes []time.Duration
}

func recorded(t *testing.T, cast string) recording {
	t.Helper()
	f, err := os.Open(cast)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	header, events, err := term.ReadCast(f)
	if err != nil {
		t.Fatal(err)
	}
	r := recording{turns: map[string]time.Duration{}}
	screen, last := term.New(term.Options{Cols: header.Cols, Rows: header.Rows}), ""
	for e, err := range events {
		if err != nil {
			break // the last line may be half written
		}
		switch words := strings.Fields(e.Data); {
		case e.Kind == term.CastMarker && len(words) == 3 && words[0] == "turn":
			r.turns[words[2]] = e.At
		case e.Kind == term.CastOutput:
			_, _ = screen.Write([]byte(e.Data)) // never fails
			if now := screen.Snapshot().Text(); now != last {
				last, r.changes = now, append(r.changes, e.At)
			}
		}
	}
	return r
}

// began is when the recording began by the test's clock: a turn is marked in it right
// after its message was sent, so the latest of the estimates is the nearest.
func (r recording) began(all []*outcome) (at time.Time) {
	for _, o := range all {
		if mark, ok := r.turns[o.task]; ok && !o.first.IsZero() {
			if estimate := o.first.Add(-mark); estimate.After(at) {
				at = estimate
			}
		}
	}
	return at
}

// measure tells each outcome how long after the real end its task was completed: after
// the last change on the screen, or without one after the time that the program takes.
func (r recording) measure(all []*outcome) {
	began := r.began(all)
	for _, o := range all {
		if o.complete.IsZero() {
			continue
		}
		end := o.sent.Add(time.Duration(o.Takes * float64(time.Second)))
		for _, c := range r.changes {
			if at := began.Add(c); at.After(o.sent) && !at.After(o.complete) {
				end = at
			}
		}
		o.delay = max(0, o.complete.Sub(end))
	}
}
