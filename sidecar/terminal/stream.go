package terminal

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a/server"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// stream answers GET /terminal/stream. The events are:
//
//	snapshot  {"session","contextId","cols","rows","title","offset","redraw"}
//	output    {"offset","bytes"}
//	resize    {"cols","rows"}, before the snapshot that has the new size
//	end       {"reason","text","exitCode"?}, the last one
//
// redraw and bytes are base64, because a terminal's output is bytes, cut anywhere.
// The id of an event is the place after it: a client that comes back with this id
// in Last-Event-ID continues there, or with a snapshot.
func (h *Handlers) stream(w http.ResponseWriter, r *http.Request, id server.Identity, v *turn.View) error {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // proxies must not buffer the stream
	w.WriteHeader(http.StatusOK)              // at once: a resumed stream may have nothing to send yet
	out := &events{w: w, rc: http.NewResponseController(w), v: v}
	if err := out.rc.Flush(); err != nil {
		return nil // the client is gone
	}
	end, err := h.show(r.Context(), v, id, taken(v, r.Header.Get("Last-Event-ID")), out)
	if err != nil {
		return nil
	}
	_ = out.send("end", "", end)
	return nil
}

// taken follows the output after the event with the id last. If that is not an id of
// this terminal, it follows from a new picture.
func taken(v *turn.View, last string) *console.Tap {
	id, at, _ := strings.Cut(last, ".")
	offset, err := strconv.ParseUint(at, 10, 64)
	if err != nil || id != v.ID() {
		return v.Follow()
	}
	return v.FollowFrom(offset)
}

// events is a screen that writes server-sent events.
type events struct {
	w  http.ResponseWriter
	rc *http.ResponseController
	v  *turn.View
}

func (e *events) resize(now size) error { return e.send("resize", "", now) }

func (e *events) picture(f *console.Frame) error {
	return e.send("snapshot", e.place(f.Offset), struct {
		about
		Redraw []byte `json:"redraw"`
	}{describe(e.v, f), f.Redraw})
}

func (e *events) output(f *console.Frame) error {
	return e.send("output", e.place(f.Offset+uint64(len(f.Bytes))), struct {
		Offset uint64 `json:"offset"`
		Bytes  []byte `json:"bytes"`
	}{f.Offset, f.Bytes})
}

func (e *events) beat() error { return e.write(": beat\n\n") }

// place returns the id of an event after which the byte at offset comes.
func (e *events) place(offset uint64) string {
	return e.v.ID() + "." + strconv.FormatUint(offset, 10)
}

func (e *events) send(name, id string, data any) error {
	body, err := text.JSON(data)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return e.write(fmt.Sprintf("event: %s\n%sdata: %s\n\n", name, id, body))
}

func (e *events) write(text string) error {
	if _, err := e.w.Write([]byte(text)); err != nil {
		return err
	}
	return e.rc.Flush()
}
