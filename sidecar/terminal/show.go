package terminal

import (
	"context"
	"errors"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// screen is where a terminal is shown. The first call is picture. resize is called
// before a picture whose size differs from the one before.
type screen interface {
	resize(now size) error
	picture(f *console.Frame) error
	output(f *console.Frame) error
	// beat is called when nothing has come for a heartbeat.
	beat() error
}

// These constants are the reasons why a terminal is not shown any longer.
const (
	endExited   = "exited"        // the agent has ended
	endShutdown = "shutting-down" // the sidecar is shutting down
	endOthers   = "not-yours"     // the session has become another caller's
	endRevoked  = "unauthenticated"
)

// ending is the last thing that is sent about a terminal.
type ending struct {
	Reason string `json:"reason"`
	Text   string `json:"text"`
	// ExitCode is the agent's exit code, or 128+n if signal n ended it.
	ExitCode *int `json:"exitCode,omitempty"`
}

// errBeat means that nothing has come for a heartbeat.
var errBeat = errors.New("terminal: heartbeat")

// show passes what the tap returns to the screen until the terminal is not shown any
// longer, and returns that ending. If the watcher is gone before that, it returns an
// error.
func (h *Handlers) show(ctx context.Context, v *turn.View, id server.Identity, tap *console.Tap, to screen) (ending, error) {
	var shown size
	for {
		f, err := h.next(ctx, tap)
		if exit, ended := turn.Ended(err); ended {
			code := exit.Status()
			return ending{endExited, "the agent ended: " + exit.String(), &code}, nil
		}
		switch {
		case id.Valid != nil && !id.Valid():
			return ending{Reason: endRevoked, Text: "the credentials of this request are not valid any more"}, nil
		case v.Right() != nil:
			return ending{Reason: endOthers, Text: "the session belongs to another caller now"}, nil
		case errors.Is(err, errBeat):
			err = to.beat()
		case errors.Is(err, a2a.ErrUnavailable):
			return ending{Reason: endShutdown, Text: "the sidecar is shutting down"}, nil
		case err != nil:
		case f.Redraw != nil:
			was := shown
			if shown = (size{f.Snapshot.Cols, f.Snapshot.Rows}); was != shown && was != (size{}) {
				err = to.resize(shown)
			}
			if err == nil {
				err = to.picture(&f)
			}
		default:
			err = to.output(&f)
		}
		if err != nil {
			return ending{}, err
		}
	}
}

// next waits for the next frame, at most for a heartbeat.
func (h *Handlers) next(ctx context.Context, tap *console.Tap) (console.Frame, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, h.o.Heartbeat, errBeat)
	defer cancel()
	return tap.Next(ctx)
}

// about is what is sent about a terminal with a picture.
type about struct {
	Session string `json:"session"`
	Context string `json:"contextId,omitempty"`
	Cols    int    `json:"cols"`
	Rows    int    `json:"rows"`
	Title   string `json:"title"`
	// Offset is the offset of the next byte of the output.
	Offset uint64 `json:"offset"`
}

func describe(v *turn.View, f *console.Frame) about {
	s := &f.Snapshot
	return about{Session: v.Session, Context: v.Context, Cols: s.Cols, Rows: s.Rows, Title: s.Title, Offset: f.Offset}
}

// size is the size of a terminal, as it is sent.
type size struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}
