package codex

import (
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// ending is how codex says that the turn ended.
func (s *server) ending(t *turn, w wireTurn) peer.Ending {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := peer.Ending{Usage: t.usage}
	switch w.Status {
	case "completed":
		e.OK = true
		return e
	case "interrupted":
		e.Canceled = true
	}
	if w.Error != nil {
		e.Reason = w.Error.text()
	}
	if e.Reason == "" {
		e.Reason = t.failure
	}
	if e.Reason == "" && !e.Canceled {
		e.Reason = "codex says that the turn has failed, and not why"
	}
	return e
}

// maxReason is how long the reason of a failure may be, in bytes.
const maxReason = 4 << 10

// text returns an error for people. Often its message is what the model's server has answered, as JSON.
func (e *wireError) text() string {
	reason := e.Message
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(reason), &answer) == nil && answer.Error.Message != "" {
		reason = answer.Error.Message
	}
	if e.Details != "" && !strings.Contains(reason, e.Details) {
		reason += ": " + e.Details
	}
	return text.ShowLines(text.Shorten(strings.TrimPrefix(reason, ": "), maxReason))
}

// fault keeps an error that comes before the end of the turn.
func (s *server) fault(t *turn, e wireError, again bool) {
	s.p.Log.Info("codex reports an error", "error", e.text(), "again", again)
	s.mu.Lock()
	defer s.mu.Unlock()
	t.failure = e.text()
}

// rerouted notes that another model answers.
func (s *server) rerouted(t *turn, model string) {
	s.mu.Lock()
	t.usage.Model = text.Line(model, maxShown)
	u := t.usage
	s.mu.Unlock()
	t.on.Usage(u)
}

// used takes what a conversation has used. The turn's own use is what was added since it began.
func (s *server) used(at scope, params json.RawMessage) {
	var p struct {
		Usage struct {
			Total tokens `json:"total"`
			Last  tokens `json:"last"`
		} `json:"tokenUsage"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	if th := s.threads[at.ThreadID]; th != nil {
		th.total, th.known = p.Usage.Total, true
	}
	t := s.turn
	if t == nil || t.over || t.thread != at.ThreadID || t.id == "" || t.id != at.TurnID {
		s.mu.Unlock()
		return
	}
	if t.before == nil {
		t.before = &tokens{p.Usage.Total.Input - p.Usage.Last.Input, p.Usage.Total.Output - p.Usage.Last.Output}
	}
	in, out := max(p.Usage.Total.Input-t.before.Input, 0), max(p.Usage.Total.Output-t.before.Output, 0)
	t.usage.Input, t.usage.Output = &in, &out
	u := t.usage
	t.inside.Add(1)
	s.mu.Unlock()
	defer t.inside.Done()
	t.on.Usage(u)
}
