package codex

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// notice takes a notification of codex's. Only those of the turn that runs are told.
func (s *server) notice(method string, params json.RawMessage) {
	var at scope
	if json.Unmarshal(params, &at) != nil {
		s.p.Log.Debug("codex has sent a notification that cannot be read", "method", text.Line(method, maxShown))
		return
	}
	switch method {
	case "warning", "configWarning", "deprecationNotice", "guardianWarning", "mcpServer/startupStatus/updated":
		s.warn(method, params)
		return
	case "thread/tokenUsage/updated":
		s.used(at, params)
		return
	case "serverRequest/resolved": // by our answer, or without it
		var of struct {
			ID json.RawMessage `json:"requestId"`
		}
		if json.Unmarshal(params, &of) == nil {
			s.conn.Withdraw(of.ID)
		}
		return
	}
	t := s.current(at, method, params)
	if t == nil || !s.enter(t) {
		return
	}
	defer t.inside.Done()
	s.tell(t, at, method, params)
}

// current returns the turn that a notification is about; nil for none that runs.
func (s *server) current(at scope, method string, params json.RawMessage) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turn
	if t == nil || t.over || at.ThreadID != t.thread {
		return nil
	}
	switch method {
	case "thread/status/changed", "thread/closed", "turn/started", "turn/completed":
		var of struct {
			Turn   *wireTurn `json:"turn"`
			Status struct {
				Type string `json:"type"`
			} `json:"status"`
		}
		if json.Unmarshal(params, &of) != nil {
			return nil
		}
		if of.Turn == nil {
			return t
		}
		if t.id == "" && method == "turn/started" {
			t.id = of.Turn.ID
		}
		if of.Turn.ID != t.id {
			return nil
		}
		if method == "turn/started" {
			s.interrupt(t)
		}
		return t
	}
	if at.TurnID != t.id || t.id == "" {
		return nil
	}
	return t
}

// tell tells a notification of the turn's.
func (s *server) tell(t *turn, at scope, method string, params json.RawMessage) {
	var p struct {
		Delta   string          `json:"delta"`
		Message string          `json:"message"`
		Part    int             `json:"summaryIndex"`
		Item    json.RawMessage `json:"item"`
		Changes []wireChange    `json:"changes"`
		Turn    wireTurn        `json:"turn"`
		Error   wireError       `json:"error"`
		Retry   bool            `json:"willRetry"`
		To      string          `json:"toModel"`
		Plan    []struct {
			Step   string `json:"step"`
			Status string `json:"status"`
		} `json:"plan"`
		Status struct {
			Type string `json:"type"`
		} `json:"status"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		s.p.Log.Debug("codex has sent a notification that cannot be read", "method", text.Line(method, maxShown))
		return
	}
	switch method {
	case "turn/completed":
		t.settle(s.ending(t, p.Turn))
	case "thread/closed":
		t.settle(peer.Ending{Reason: "codex has closed the conversation"})
	case "thread/status/changed":
		if p.Status.Type == "active" {
			t.idle.Stop()
		} else {
			t.idle.Reset(idleTime)
		}
	case "error":
		s.fault(t, p.Error, p.Retry)
	case "model/rerouted":
		s.rerouted(t, p.To)
	case "turn/plan/updated":
		entries := make([]peer.PlanEntry, 0, len(p.Plan))
		for _, e := range p.Plan {
			entries = append(entries, peer.PlanEntry{Content: e.Step, Status: string(planStatus(e.Status))})
		}
		t.on.Plan(entries)
	case "item/agentMessage/delta":
		s.say(t, at.ItemID, p.Delta)
	case "item/reasoning/summaryTextDelta":
		s.think(t, at.ItemID, "summary", p.Part, p.Delta)
	case "item/reasoning/textDelta":
		s.think(t, at.ItemID, "text", 0, p.Delta)
	case "item/started", "item/completed":
		if it, err := decodeItem(p.Item); err == nil && it.ID != "" {
			s.item(t, &it, method == "item/completed")
		}
	case "item/commandExecution/outputDelta":
		s.output(t, at.ItemID, p.Delta)
	case "item/mcpToolCall/progress":
		t.on.Tool(peer.Tool{ID: at.ItemID, Output: []byte(text.Tail(p.Message, maxToolOutput))})
	case "item/fileChange/patchUpdated":
		s.changes(t, at.ItemID, p.Changes)
	}
}

// planStatus is the status of an entry of a plan, in our words.
func planStatus(status string) peer.Status {
	switch status {
	case "inProgress":
		return peer.Running
	case "completed":
		return peer.Completed
	}
	return peer.Pending
}

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

// warn logs what is no part of an answer.
func (s *server) warn(method string, params json.RawMessage) {
	var w struct {
		Message string `json:"message"`
		Summary string `json:"summary"`
		Name    string `json:"name"`
		Status  string `json:"status"`
		Error   string `json:"error"`
	}
	if json.Unmarshal(params, &w) != nil {
		return
	}
	if method == "mcpServer/startupStatus/updated" {
		if slices.Contains([]string{"failed", "cancelled"}, w.Status) {
			s.p.Log.Warn("an MCP server of codex does not start: it works without its tools", "server", text.Line(w.Name, maxShown), "error", text.Line(w.Error, maxReason))
		}
		return
	}
	if warning := text.Line(w.Message+w.Summary, maxReason); s.isNew(warning) {
		s.p.Log.Info("codex warns", "warning", warning)
	}
}

// maxWarned is how many warnings are remembered: codex repeats some on each turn.
const maxWarned = 32

// isNew reports whether a warning was not given yet.
func (s *server) isNew(warning string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.warned, warning) || len(s.warned) == maxWarned {
		return false
	}
	s.warned = append(s.warned, warning)
	return true
}
