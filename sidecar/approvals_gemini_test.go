package sidecar_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/approval"
)

// confirmable returns what a task asks in the shapes of gemini-cli, nil for nothing.
func confirmable(task *a2a.Task) (asked *struct {
	CallID  string `json:"tool_call_id"`
	Tool    string `json:"tool_name"`
	Request struct {
		Options []struct{ ID string }
	} `json:"confirmation_request"`
}) {
	if task.Status.Message == nil {
		return nil
	}
	for _, p := range task.Status.Message.Parts {
		if p.Kind == a2a.PartData && strings.Contains(string(p.Data), `"confirmation_request"`) {
			must(json.Unmarshal(p.Data, &asked))
		}
	}
	return asked
}

// A client that activates gemini-cli's extension, in the header or in its message, is asked
// and answers in its shapes; without it, nothing of them is there, and nothing of them counts.
func TestConfirmationWhenItIsActivated(t *testing.T) {
	t.Parallel()
	r, _ := asking(t)
	send := func(params a2a.Params, m a2a.Message) (*a2a.Task, error) {
		t.Helper()
		result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: m, Params: params})
		if err != nil {
			return nil, err
		}
		return result.Task, nil
	}
	answer := func(task *a2a.Task, callID, option string) (*a2a.Task, error) {
		t.Helper()
		m := userMessage("")
		m.TaskID = task.ID
		m.Parts = []a2a.Part{a2a.DataPart(json.RawMessage(`{"tool_call_id":"` + callID + `","selected_option_id":"` + option + `"}`))}
		return send(a2a.Params{}, m)
	}
	header, message := a2a.Params{Extensions: []string{approval.DevelopmentToolURI}}, []string{approval.DevelopmentToolURI}
	for _, c := range []struct {
		name    string
		params  a2a.Params
		message []string
		option  string
		says    string
	}{
		{"by the header", header, nil, "proceed_once", "said: "},
		{"by the message", a2a.Params{}, message, "proceed_once", "said: "},
		{"a no", header, nil, "cancel", "was not approved"},
		{"for always", header, nil, "proceed_always", "said: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := userMessage(strings.ReplaceAll(c.name, " ", "-"))
			m.Extensions, m.ContextID = c.message, "gemini"
			task, err := send(c.params, m)
			if err != nil {
				t.Fatal(err)
			}
			asked := confirmable(task)
			if asked == nil || asked.Tool != "acme.say" || task.Status.State != a2a.StateInputRequired || !slices.Contains(task.Status.Message.Extensions, approval.DevelopmentToolURI) {
				t.Fatalf("asked in %s by %+v", task.Status.State, task.Status.Message)
			}
			if string(task.Status.Message.Metadata[approval.DevelopmentToolURI]) != `{"kind":"TOOL_CALL_CONFIRMATION"}` {
				t.Errorf("metadata %s", task.Status.Message.Metadata)
			}
			if _, err := answer(task, "another", c.option); err == nil {
				t.Error("the confirmation of another call counts")
			}
			ended, err := answer(task, asked.CallID, c.option)
			if err != nil || !strings.Contains(artifact(ended, "response"), c.says) {
				t.Fatalf("%v, %+v", err, ended)
			}
			if _, err := answer(task, asked.CallID, c.option); err == nil {
				t.Error("a second answer counts")
			}
		})
	}
	if task, err := send(a2a.Params{}, func() a2a.Message { m := userMessage("for-always"); m.ContextID = "gemini"; return m }()); err != nil || task.Status.State != a2a.StateCompleted {
		t.Errorf("after proceed_always: %v, %+v", err, task)
	}

	task, d := r.asked(r.client(), "hello")
	if asked := confirmable(task); asked != nil || slices.Contains(task.Status.Message.Extensions, approval.DevelopmentToolURI) || task.Status.Message.Metadata[approval.DevelopmentToolURI] != nil {
		t.Errorf("a client that has not activated it is asked %+v", task.Status.Message)
	}
	if got, err := answer(task, d.CallID, "proceed_once"); err == nil {
		t.Errorf("a confirmation of a client that has not activated it: %s", got.Status.State)
	}
	if now := r.get(task.ID); now.Status.State != a2a.StateAuthRequired {
		t.Errorf("then the task is %s", now.Status.State)
	}
	if got := r.post("", d, d.Digest, "reject"); got != "200" {
		t.Errorf("a no: %s", got)
	}
}
