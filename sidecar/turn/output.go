package turn

import (
	"encoding/json"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// decoder reads the structured output of a known agent, passes its words on and
// keeps what it said in the end. It is used by one goroutine.
type decoder struct {
	split   splitter
	dialect dialect // nil until it is known
	out     driver.Out
	said    verdict

	spoken  bool // some of the answer was passed on
	deltas  bool // words came one by one
	between bool // the next words begin a new paragraph
}

// verdict is what an agent's final event says of the turn. final is false when
// there was none.
type verdict struct {
	final  bool
	ok     bool
	reason string // when not ok
	usage  usage
}

// dialect is the output of one kind of agent: it reads one event.
type dialect func(d *decoder, event []byte)

// probe tells the dialects apart.
type probe struct {
	Type     string          `json:"type"`
	Status   string          `json:"status"`
	IsError  *bool           `json:"is_error"`
	Response json.RawMessage `json:"response"`
	Error    json.RawMessage `json:"error"`
}

// newDecoder reads output in that format; the command's name tells the dialect,
// else its first event does.
func newDecoder(format string, command []string, out driver.Out) *decoder {
	d := &decoder{out: out, dialect: dialects[profile.NameFor(command)]}
	d.split = splitter{lines: format == FormatStreamJSON, each: d.event}
	return d
}

// dialects are the agents whose output is understood, by command name.
var dialects = map[string]dialect{
	"claude":   claudeEvent,
	"codex":    codexEvent,
	"gemini":   geminiEvent,
	"opencode": opencodeEvent,
}

func (d *decoder) write(chunk []byte) { d.split.write(chunk) }

// end reads what is left and returns what the agent said in the end.
func (d *decoder) end() verdict {
	d.split.end()
	if d.said.final || d.said.reason != "" {
		return d.said
	}
	d.said.reason = "the agent's output ended without a final event"
	if d.split.dropped > 0 {
		d.said.reason += ", or with one that is longer than can be read"
	}
	return d.said
}

// event reads one document.
func (d *decoder) event(doc []byte) {
	if d.dialect == nil {
		d.dialect = recognize(doc)
	}
	if d.dialect != nil {
		d.dialect(d, doc)
	}
}

// recognize tells the dialect from an event that only one agent writes.
func recognize(doc []byte) dialect {
	var p probe
	if json.Unmarshal(doc, &p) != nil {
		return nil
	}
	switch {
	case p.Type == "result" && p.IsError != nil, p.Type == "system", p.Type == "assistant", p.Type == "stream_event":
		return claudeEvent
	case p.Type == "result" && p.Status != "", p.Type == "init", p.Type == "message",
		p.Type == "" && (p.Response != nil || p.Error != nil):
		return geminiEvent
	case strings.HasPrefix(p.Type, "thread."), strings.HasPrefix(p.Type, "turn."), strings.HasPrefix(p.Type, "item."):
		return codexEvent
	case p.Type == "step_start", p.Type == "step_finish", p.Type == "error" && p.Error != nil:
		return opencodeEvent
	}
	return nil
}

// say passes words of the answer on.
func (d *decoder) say(text string) {
	if text == "" {
		return
	}
	if d.between && d.spoken {
		d.out.Write([]byte("\n\n"))
	}
	d.spoken, d.between = true, false
	d.out.Write([]byte(text))
}

// paragraph makes the next words begin apart from those before.
func (d *decoder) paragraph() { d.between = true }

// succeed and fail note the final event. A later one stands for the earlier.
func (d *decoder) succeed() {
	d.said.final, d.said.ok, d.said.reason = true, true, ""
}

func (d *decoder) fail(reason string) {
	if reason == "" {
		reason = "the agent reported an error without saying which"
	}
	d.said.final, d.said.ok, d.said.reason = true, false, reason
}
