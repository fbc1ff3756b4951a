package face

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// The extensions by which a call's task says what it waits for.
const (
	callURI     = "urn:a2a-sidecar:tool-call:v1"
	approvalURI = "urn:a2a-sidecar:approval:v1"
)

// Tracker makes states of the events of a call's task, in their order. The zero value is ready for
// use, by one goroutine at a time.
type Tracker struct {
	state State
	asked bool // the approval was asked for in the call's own task
}

// See takes an event and returns what the call does now. The Question is nil: who may be asked is
// not the Tracker's to say.
func (t *Tracker) See(e *a2a.Event) State {
	if e.Task != nil {
		t.status(&e.Task.Status, nil)
	}
	if e.Status != nil {
		t.status(&e.Status.Status, e.Status.Metadata)
	}
	return t.state
}

// status takes a status and the metadata of its event.
func (t *Tracker) status(s *a2a.Status, meta a2a.Metadata) {
	var call struct {
		Status   string `json:"status"`
		Approval string `json:"approval_id"`
	}
	if raw := meta[callURI]; raw != nil {
		_ = json.Unmarshal(raw, &call) // what cannot be read says nothing
	}
	switch {
	case s.State == a2a.StateAuthRequired || s.State == a2a.StateInputRequired && approvalOf(s.Message) != "":
		t.state, t.asked = State{Approval: approvalOf(s.Message)}, true
	case s.State == a2a.StateInputRequired && t.state.Asks:
		// The question is open still: this is what the tool says meanwhile.
	case s.State == a2a.StateInputRequired:
		t.state, t.asked = State{Asks: true, Text: messageText(s.Message), Options: optionsOf(s.Message)}, false
		t.state.Fields, t.state.Refusal = fieldsOf(s.Message)
		if s.Message != nil {
			t.state.Asked = s.Message.ID
		}
	case call.Approval != "":
		t.state, t.asked = State{Approval: call.Approval}, false
	case call.Status != "" && call.Status != "PENDING", t.asked:
		t.state, t.asked = State{Text: messageText(s.Message)}, false
	case s.Message != nil:
		t.state = State{Approval: t.state.Approval, Text: messageText(s.Message)}
	case t.state.Asks: // it was answered, or withdrawn
		t.state = State{}
	}
}

// refusal is the option by which a person declines, if a question has it.
const refusal = "decline"

// ToolQuestion returns what a tool asks as a question that answer answers, nil for nothing. It never
// is an approval.
func (s State) ToolQuestion(answer func(ctx context.Context, question, answer string) error) *Question {
	if !s.Asks || s.Asked == "" {
		return nil
	}
	q := &Question{ID: s.Asked, Text: s.Text, Options: s.Options, Fields: s.Fields, Refusal: s.Refusal, Answer: func(ctx context.Context, said string) error {
		return answer(ctx, s.Asked, said)
	}}
	if slices.ContainsFunc(s.Options, func(o Option) bool { return o.ID == refusal }) {
		q.Refusal = refusal
	}
	return q
}

// approvalOf returns the id of the approval that a message asks for, "" if it asks for none.
func approvalOf(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	for i := range m.Parts {
		var data map[string]json.RawMessage
		var approval struct {
			ID string `json:"id"`
		}
		if p := &m.Parts[i]; p.Kind == a2a.PartData && json.Unmarshal(p.Data, &data) == nil && json.Unmarshal(data[approvalURI], &approval) == nil && approval.ID != "" {
			return approval.ID
		}
	}
	return ""
}

// optionsOf returns the answers that a question offers, nil for a text.
func optionsOf(m *a2a.Message) []Option {
	if m == nil {
		return nil
	}
	for i := range m.Parts {
		var data struct {
			Options []Option `json:"options"`
		}
		if p := &m.Parts[i]; p.Kind == a2a.PartData && json.Unmarshal(p.Data, &data) == nil && len(data.Options) > 0 {
			return data.Options
		}
	}
	return nil
}

// fieldsOf returns the questions that a message asks by the tool question, and the answer that declines
// them. There are no fields if there is one question, with one answer: its options are those of the
// message.
func fieldsOf(m *a2a.Message) (fields []Field, refusal string) {
	if m == nil {
		return nil, ""
	}
	for i := range m.Parts {
		var data struct {
			Questions []tool.Question `json:"questions"`
		}
		p := &m.Parts[i]
		if p.Kind != a2a.PartData || json.Unmarshal(p.Data, &data) != nil || len(data.Questions) == 0 || len(data.Questions) > tool.MaxQuestions {
			continue
		}
		if len(data.Questions) > 1 || data.Questions[0].MultiSelect {
			for j := range data.Questions {
				fields = append(fields, fieldOf(&data.Questions[j]))
			}
		}
		return fields, `{"action":"` + tool.AnswerDecline + `"}`
	}
	return nil, ""
}

func fieldOf(q *tool.Question) Field {
	f := Field{Title: q.Header, Text: q.Question, Many: q.MultiSelect}
	if f.Title == "" {
		f.Title = q.Question
	}
	for _, o := range q.Options {
		f.Options = append(f.Options, Option{ID: o.Label, Label: o.Label})
	}
	return f
}

// messageText returns the texts of a message, "" for none.
func messageText(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	var lines []string
	for i := range m.Parts {
		if m.Parts[i].Kind == a2a.PartText {
			lines = append(lines, m.Parts[i].Text)
		}
	}
	return strings.Join(lines, "\n")
}
