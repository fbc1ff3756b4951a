package acp

import (
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// The limits of a plan: how many entries it has, and how much of each is kept, in bytes.
const (
	maxPlan  = 256
	maxEntry = 4 << 10
)

// voice is how the words of a turn are put together. It belongs to the goroutine that reads.
type voice struct {
	spoke   bool
	message string // the id of the message that the last words belong to
	tools   bool   // a tool was used since the last words
}

// update takes a session/update.
func (a *connection) update(params fields) {
	session, u := params.text("sessionId"), params.object("update")
	kind := u.text("sessionUpdate")
	a.settings(session, kind, u)
	t := a.enter(session)
	if t == nil {
		a.process.Log.Debug("an update of no turn is dropped", "kind", text.Line(kind, maxName))
		return
	}
	defer t.leave()
	switch kind {
	case "agent_message_chunk":
		t.say(u)
	case "agent_thought_chunk":
		if s := words(u.object("content")); s != "" {
			t.on.Think(s)
		}
	case "tool_call", "tool_call_update":
		t.voice.tools = true
		t.tell(u)
	case "plan":
		t.on.Plan(plan(u))
	case "usage_update":
		t.spend(u)
	case "session_info_update":
		if title := u.text("title"); title != "" {
			t.on.Note("sessionTitle", text.Line(title, maxName))
		}
	case "current_mode_update":
		t.on.Note("agentMode", name(u.text("currentModeId", "modeId")))
	case "user_message_chunk", "config_option_update", "available_commands_update":
	default:
		a.process.Log.Debug("an update that is not known is passed over", "kind", text.Line(kind, maxName))
	}
}

// settings keeps up with what is chosen in the conversation that was opened last.
func (a *connection) settings(session, kind string, u fields) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if session != a.chosen.session {
		return
	}
	switch kind {
	case "config_option_update":
		a.chosen.learn(u)
	case "available_commands_update":
		a.chosen.commands = nil
		for _, v := range u.list("availableCommands") {
			if n := name(object(v).text("name")); n != "" && len(a.chosen.commands) < maxCommands {
				a.chosen.commands = append(a.chosen.commands, n)
			}
		}
	case "current_mode_update":
		if o := a.chosen.find(keyMode); o != nil {
			o.Value = name(u.text("currentModeId", "modeId"))
		}
	}
}

// say takes a piece of the answer. Another message, or one after a tool, begins a paragraph.
func (t *turn) say(u fields) {
	content := u.object("content")
	s := words(content)
	p, other := part(content)
	if s == "" && !other {
		return
	}
	v := &t.voice
	id := u.text("messageId")
	if v.spoke && (id != v.message || id == "" && v.tools) {
		t.on.Paragraph()
	}
	v.spoke, v.message, v.tools = true, id, false
	if other {
		t.on.Part(p)
		return
	}
	t.on.Say(s)
}

// plan reads the entries of a plan.
func plan(u fields) []peer.PlanEntry {
	entries := []peer.PlanEntry{}
	for _, v := range u.list("entries") {
		f := object(v)
		e := peer.PlanEntry{
			Content: text.Shorten(f.text("content"), maxEntry), Priority: name(f.text("priority")), Status: name(f.text("status")),
		}
		if e.Content != "" && len(entries) < maxPlan {
			entries = append(entries, e)
		}
	}
	return entries
}

// spend takes what the conversation costs by now.
func (t *turn) spend(u fields) {
	cost := u.object("cost")
	usd, ok := cost.number("amount")
	if !ok || cost.text("currency") != "USD" {
		return
	}
	t.report.total, t.report.told = usd, true
	if c := t.report.turn(); c != nil {
		t.on.Usage(peer.Usage{Cost: c})
	}
}
