package stream

import (
	"slices"
	"strconv"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

const (
	// maxTools is how many tools of a turn are remembered. Beyond that, the oldest that has ended is
	// forgotten; if all are under way, no other is taken.
	maxTools = 256
	// maxUses is how many uses of tools are told in a turn.
	maxUses = 10_000
	// maxID is how long a tool's id may be, in bytes.
	maxID = 128
)

// tools are the tools that an agent uses in a turn.
//
//	an update                                    | what becomes of it
//	---------------------------------------------|-------------------------------------------
//	with an id that is not known                 | the tool begins, whatever its status
//	of a tool that is under way                  | is merged: what is set replaces what was known
//	with an earlier status                       | the status stays
//	of a tool that has ended, without a status   | is merged; the tool stays as it ended
//	or with a final one                          |
//	of one that has ended, that it goes on, with | another use begins, whose id gets a number
//	a name, a title or arguments                 |
//	the same without these                       | came late: it is dropped
//	when there are too many tools                | is dropped and counted
type tools struct {
	byID    map[string]*tool // by the agent's ids
	order   []*tool          // the oldest first
	uses    int
	dropped int
}

// update merges an update and returns its tool, nil if it was dropped. urgent is set if the tool has begun,
// goes on or has ended.
func (ts *tools) update(u peer.Tool) (t *tool, urgent bool) {
	s := statusOf(u.Status)
	t = ts.byID[u.ID]
	switch {
	case t == nil:
		t = ts.add(u.ID, 1)
	case t.status.ended() && s.open():
		if u.Name == "" && u.Title == "" && u.Input == nil {
			return nil, false
		}
		t = ts.add(u.ID, t.use+1)
	}
	if t == nil {
		return nil, false
	}
	was := t.status
	t.merge(u)
	if s > t.status && !t.status.ended() {
		t.status = s
	}
	t.status = max(t.status, pending)
	return t, t.status != was
}

// add begins the nth use of a tool with that id.
func (ts *tools) add(id string, use int) *tool {
	if ts.uses == maxUses || !ts.room(id) {
		ts.dropped++
		return nil
	}
	ts.uses++
	if ts.byID == nil {
		ts.byID = map[string]*tool{}
	}
	t := &tool{key: id, use: use, id: shownID(id, use)}
	ts.byID[id] = t
	ts.order = append(ts.order, t)
	return t
}

// shownID returns the id of the nth use of a tool as clients see it.
func shownID(id string, use int) string {
	id = text.Line(id, maxID)
	if id == "" {
		id = "unnamed"
	}
	if use > 1 {
		id += "#" + strconv.Itoa(use)
	}
	return id
}

// room makes room for a tool with that id, and returns false if there is none.
func (ts *tools) room(id string) bool {
	gone := slices.IndexFunc(ts.order, func(t *tool) bool { return t.key == id })
	if gone < 0 {
		if len(ts.order) < maxTools {
			return true
		}
		gone = slices.IndexFunc(ts.order, func(t *tool) bool { return t.status.ended() && !t.changed })
	}
	if gone < 0 {
		return false
	}
	delete(ts.byID, ts.order[gone].key)
	ts.order = slices.Delete(ts.order, gone, gone+1)
	return true
}

// changed returns the tools of which there is something new, the oldest first.
func (ts *tools) changed() (all []*tool) {
	for _, t := range ts.order {
		if t.changed {
			all = append(all, t)
		}
	}
	return all
}

// close ends every tool that is under way.
func (ts *tools) close(failedToo bool) {
	for _, t := range ts.order {
		if t.status.ended() {
			continue
		}
		t.status, t.changed = canceled, true
		if failedToo {
			t.status = failed
		}
	}
}
