package opencode

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// pages are how many messages are asked for: fewer if they are too long for one answer.
func pages() []int { return []int{100, 10, 1} }

// catchUp asks the server for what events would have told.
func (t *turn) catchUp() {
	t.settle.Reset(settleTime)
	if err := t.fetch(); err != nil {
		t.c.process.Log.Debug("the agent's server does not say how far it is", "error", err)
		return // again, after settleTime; the end of the process ends this
	}
	switch {
	case t.final:
	case t.isCanceled():
		t.abort()
	case t.begun && !t.idle && t.failure == "": // it works, and events will tell
		t.settle.Stop()
	}
}

// fetch reads the state of the session: first whether it is busy, since what is there afterwards is all if it is not.
func (t *turn) fetch() error {
	server := t.c.server
	var busy map[string]struct {
		Type string `json:"type"`
	}
	if err := server.call(t.ctx, http.MethodGet, "/session/status", nil, &busy); err != nil {
		return err
	}
	if err := t.messages(); err != nil {
		return err
	}
	for path, kind := range map[string]string{"/permission": "permission.asked", "/question": "question.asked"} {
		var open []request
		if err := server.call(t.ctx, http.MethodGet, path, nil, &open); err != nil {
			return err
		}
		for _, r := range open {
			if t.c.trace(t.ctx, r.SessionID) == t {
				e := &event{Type: kind}
				e.Properties.request = r
				t.take(e)
			}
		}
	}
	state := busy[t.session].Type
	t.judge(state != "" && state != "idle")
	return nil
}

// maxQuiet is how often nothing may go on, a settleTime apart, before it is taken for granted that the agent
// does not begin with a message.
const maxQuiet = 3

// judge takes whether the agent works on something, as the server says.
func (t *turn) judge(works bool) {
	switch {
	case works:
		t.begun, t.idle, t.quiet = true, false, 0
	case t.begun || t.failure != "":
		t.final = true
	default: // it has not begun, and may do so in this moment
		if t.quiet++; t.quiet < maxQuiet {
			return
		}
		t.final = t.isCanceled()
		if !t.final && time.Since(t.sent) >= beginTime {
			t.final, t.failure = true, fmt.Sprintf("the agent has not begun within %v", beginTime)
		}
	}
}

// messages reads the messages that came after ours.
func (t *turn) messages() error {
	type message struct {
		Info  json.RawMessage   `json:"info"`
		Parts []json.RawMessage `json:"parts"`
	}
	var all []message
	var err error
	for _, n := range pages() {
		all = nil
		if err = t.c.server.call(t.ctx, http.MethodGet, t.path(fmt.Sprintf("/message?limit=%d", n)), nil, &all); !errors.Is(err, errTooLong) {
			break
		}
	}
	if err != nil {
		return err
	}
	for _, m := range all {
		t.updated(m.Info, true)
		for _, p := range m.Parts {
			t.partUpdated(p, true, true)
		}
	}
	return nil
}
