package codex

import (
	"encoding/json"
	"slices"

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
		Plan    []wireStep      `json:"plan"`
		Status  struct {
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
		t.on.Plan(entries(p.Plan))
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

// entries returns a plan as a turn tells it.
func entries(steps []wireStep) []peer.PlanEntry {
	all := make([]peer.PlanEntry, 0, len(steps))
	for _, s := range steps {
		all = append(all, peer.PlanEntry{Content: s.Step, Status: string(planStatus(s.Status))})
	}
	return all
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
