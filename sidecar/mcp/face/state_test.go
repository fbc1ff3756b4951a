package face_test

import (
	"context"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
)

// What a tool says while it asks does not make another question; the next question is another one;
// and an approval is never a question of the tool.
func TestTrackerTellsQuestionsApart(t *testing.T) {
	var track face.Tracker
	see := func(state a2a.TaskState, id, text string, more ...a2a.Part) string {
		e := &a2a.Event{Status: &a2a.StatusUpdate{Status: a2a.Status{State: state}}}
		if id != "" {
			e.Status.Status.Message = &a2a.Message{ID: id, Parts: append([]a2a.Part{a2a.TextPart(text)}, more...)}
		}
		q := track.See(e).ToolQuestion(func(_ context.Context, question, answer string) error {
			t.Log(question, answer)
			return nil
		})
		if q == nil {
			return ""
		}
		return q.ID + " " + q.Text + " " + q.Refusal
	}
	options := a2a.DataPart([]byte(`{"options":[{"id":"yes"},{"id":"decline"}]}`))
	approval := a2a.DataPart([]byte(`{"urn:a2a-sidecar:approval:v1":{"id":"a-1"}}`))
	for i, step := range []struct{ got, want string }{
		{see(a2a.StateWorking, "m-1", "begins"), ""},
		{see(a2a.StateInputRequired, "m-2", "Which?", options), "m-2 Which? decline"},
		{see(a2a.StateInputRequired, "m-3", "still waiting"), "m-2 Which? decline"},
		{see(a2a.StateWorking, "", ""), ""},
		{see(a2a.StateInputRequired, "m-4", "And then?"), "m-4 And then? "},
		{see(a2a.StateInputRequired, "m-5", "May it?", approval), ""},
		{see(a2a.StateAuthRequired, "m-6", "May it?"), ""},
	} {
		if step.got != step.want {
			t.Errorf("step %d: %q, want %q", i, step.got, step.want)
		}
	}
}
