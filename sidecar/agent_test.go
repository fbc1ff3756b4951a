package sidecar_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
)

// TestAgent: whatever way an agent is run and speaks, it can end a turn in any
// state, answer by a bare message, emit every kind of artifact, be continued
// and be canceled, and it knows the request's ids, metadata and extensions.
func TestAgent(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ drive, voice string }{
		{"oneshot", "channel"}, {"oneshot", "emit"},
		{"typed", "channel"}, {"typed", "emit"},
		{"connected", "channel"}, {"connected", "emit"}, {"connected", "result"},
	} {
		t.Run(c.drive+"_"+c.voice, func(t *testing.T) {
			t.Parallel()
			args := []string{"--accept", "application/dress+json", "--prompt-pattern", "ready> $"}
			switch c.drive {
			case "oneshot":
				args = append(args, "--mode", "oneshot")
			case "connected":
				args = append(args, "--deliver", "channel")
			}
			if c.voice == "channel" { // on disk or in memory, it makes no difference
				args = append(args, "--state-dir", t.TempDir())
			}
			env := []string{"SIDECAR=" + asScript(t), actorDrive + "=" + c.drive, actorVoice + "=" + c.voice}
			r := runWith(t, env, append(append(args, "--"), agentCommand(t, "actor")...)...)
			agentEnds(t, r)
			if c.voice != "emit" { // emit has no way to say parts
				agentEndsWithParts(t, r)
			}
			if c.voice != "result" { // nor has an answer a way to be a bare message
				agentAnswersByMessage(t, r)
			}
			agentEmits(t, r)
			agentIsContinued(t, r)
			agentAsks(t, r)
			agentDresses(t, r)
			agentKnowsItsMessage(t, r)
			agentIsCanceled(t, r, c.drive != "oneshot")
		})
	}
}

// ends are the states that an agent may end a turn in, and what 0.3 calls them.
var ends = map[a2a.TaskState]string{
	a2a.StateCompleted: "completed", a2a.StateFailed: "failed", a2a.StateRejected: "rejected", a2a.StateCanceled: "canceled",
	a2a.StateInputRequired: "input-required", a2a.StateAuthRequired: "auth-required",
}

func agentEnds(t *testing.T, r *running) {
	for state, old := range ends {
		task := r.send("end " + string(state))
		// What completes a turn in an answer is the answer; elsewhere it is said.
		said := says(task)
		if state == a2a.StateCompleted {
			said += artifact(task, "response")
		}
		if task.Status.State != state || said != "because" {
			t.Errorf("end %s: %s, %q", state, task.Status.State, said)
		}
		got := r.do("POST", "/", "application/json", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"`+task.ID+`"}}`)
		if !strings.Contains(got.body, `"state":"`+old+`"`) {
			t.Errorf("end %s in 0.3: %s", state, got.body)
		}
	}
}

func agentEndsWithParts(t *testing.T, r *running) {
	for state := range ends {
		task := r.send("parts " + string(state))
		var got []a2a.Part
		switch {
		case state != a2a.StateCompleted && task.Status.Message != nil:
			got = task.Status.Message.Parts
		case state == a2a.StateCompleted && len(task.Artifacts) == 1 && task.Artifacts[0].ID == "response":
			got = task.Artifacts[0].Parts
		}
		if diff := cmp.Diff(actorParts, got); task.Status.State != state || diff != "" {
			t.Errorf("parts %s: %s\n%s", state, task.Status.State, diff)
		}
	}
}

func agentAnswersByMessage(t *testing.T, r *running) {
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: userMessage("message")})
	if err != nil {
		t.Fatal(err)
	}
	m := result.Message
	if m == nil || m.Role != a2a.RoleAgent || len(m.Parts) != 1 || m.Parts[0].Text != "just this" {
		t.Fatalf("no bare message: %+v", result)
	}
	task := r.get(m.TaskID)
	if last := task.History[len(task.History)-1]; task.Status.State != a2a.StateCompleted || last.ID != m.ID {
		t.Errorf("its task is %s and ends with %+v", task.Status.State, last)
	}
}

// agentEmits looks at every kind of artifact as it comes, and as it is kept.
func agentEmits(t *testing.T, r *running) {
	var id string
	var came []string
	for _, e := range r.stream(userMessage("artifacts")) {
		if e.Task != nil {
			id = e.Task.ID
		}
		if u := e.Artifact; u != nil && u.Artifact.ID != "response" {
			came = append(came, fmt.Sprintf("%s append=%v last=%v %s", u.Artifact.ID, u.Append, u.LastChunk, partNotes(u.Artifact.Parts)))
		}
	}
	if diff := cmp.Diff([]string{
		`t append=false last=false text/markdown "one"`,
		`t append=true last=false text/markdown " two"`,
		`t append=true last=true text/markdown " three"`,
		`f append=false last=false image/png dot.png "\x89PNG\x00"`,
		`u append=false last=true application/pdf https://example.com/r.pdf`,
		`d append=false last=false {"n":[1,2]}`,
	}, came); diff != "" {
		t.Errorf("as they came:\n%s", diff)
	}
	var kept []string
	for _, a := range r.get(id).Artifacts {
		if a.ID != "response" {
			kept = append(kept, fmt.Sprintf("%s %s %s", a.ID, a.Name, partNotes(a.Parts)))
		}
	}
	if diff := cmp.Diff([]string{
		`t text text/markdown "one two three"`,
		`f dot.png image/png dot.png "\x89PNG\x00"`,
		`u link application/pdf https://example.com/r.pdf`,
		`d data {"n":[1,2]}`,
	}, kept); diff != "" {
		t.Errorf("as they are kept:\n%s", diff)
	}
}

// partNotes are parts in one line.
func partNotes(parts []a2a.Part) string {
	var notes []string
	for _, p := range parts {
		for _, s := range []string{p.MediaType, p.Filename, p.URL, string(p.Data)} {
			if s != "" {
				notes = append(notes, s)
			}
		}
		if s := p.Text + string(p.Raw); s != "" {
			notes = append(notes, fmt.Sprintf("%q", s))
		}
	}
	return strings.Join(notes, " ")
}

// agentIsContinued: a turn that ends waiting is followed by another one of the
// same task, whose history tells all of it.
func agentIsContinued(t *testing.T, r *running) {
	for _, state := range []a2a.TaskState{a2a.StateInputRequired, a2a.StateAuthRequired} {
		first := r.send("end " + string(state))
		next := userMessage("end " + string(a2a.StateCompleted))
		next.TaskID = first.ID
		result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: next})
		if err != nil {
			t.Fatal(err)
		}
		task := result.Task
		if task == nil || task.ID != first.ID || task.Status.State != a2a.StateCompleted {
			t.Fatalf("continued %s: %+v", state, result)
		}
		var history []string
		for _, m := range task.History {
			history = append(history, string(m.Role)+" "+m.Parts[0].Text)
		}
		want := []string{"ROLE_USER end " + string(state), "ROLE_AGENT because", "ROLE_USER " + next.Parts[0].Text}
		if !slices.Equal(history, want) {
			t.Errorf("continued %s: the history is %q", state, history)
		}
	}
}

// agentAsks: the turn goes on with the answer to its question.
func agentAsks(t *testing.T, r *running) {
	asked := r.send("ask")
	if asked.Status.State != a2a.StateInputRequired || says(asked) != "which?" {
		t.Fatalf("asked: %s %q", asked.Status.State, says(asked))
	}
	answer := userMessage("this one")
	answer.TaskID = asked.ID
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: answer})
	if err != nil {
		t.Fatal(err)
	}
	if got := result.Task; got.ID != asked.ID || got.Status.State != a2a.StateRejected || says(got) != "not this one" || len(got.History) != 3 {
		t.Errorf("answered: %s %q, %d messages", got.Status.State, says(got), len(got.History))
	}
}

// agentDresses: metadata and extensions of everything that an agent says reach
// the client, and those of an answer the agent. (Its parts have a shape that is
// the same in both versions, but for media types of data.)
func agentDresses(t *testing.T, r *running) {
	var status, question *a2a.StatusUpdate
	var wardrobe *a2a.Artifact
	for _, e := range r.stream(userMessage("dress")) {
		switch {
		case e.Artifact != nil && e.Artifact.Artifact.ID == "wardrobe":
			wardrobe = &e.Artifact.Artifact
		case e.Status != nil && e.Status.Status.Message != nil && e.State() == a2a.StateWorking:
			status = e.Status
		case e.State() == a2a.StateInputRequired:
			question = e.Status
		}
	}
	if status == nil || wardrobe == nil || question == nil {
		t.Fatalf("status %v, artifact %v, question %v", status, wardrobe, question)
	}
	for at, m := range map[string]*a2a.Message{"status": status.Status.Message, "question": question.Status.Message} {
		wears(t, at, m.Metadata, m.Extensions, m.Parts)
	}
	if diff := cmp.Diff(dressMetadata("status"), status.Metadata); diff != "" {
		t.Errorf("the event: %s", diff)
	}
	wears(t, "artifact", wardrobe.Metadata, wardrobe.Extensions, []a2a.Part{dressed("artifact")})
	want := []a2a.Part{{Kind: a2a.PartText, Text: "trousers", MediaType: "text/plain", Filename: "wardrobe.txt", Metadata: dressMetadata("part")}}
	if diff := cmp.Diff(want, wardrobe.Parts); diff != "" || wardrobe.Description != "what there is" || wardrobe.Name != "Wardrobe" {
		t.Errorf("%q, %q %s", wardrobe.Name, wardrobe.Description, diff)
	}
	answer := userMessage("")
	answer.TaskID = question.TaskID
	answer.Parts, answer.Metadata, answer.Extensions = []a2a.Part{dressed("answer")}, dressMetadata("answer"), []string{dressURI}
	result, err := r.client().Send(r.context(), &a2a.SendRequest{Message: answer})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range result.Task.Artifacts {
		if a.ID == "response" {
			wears(t, "answer", a.Metadata, a.Extensions, a.Parts)
			return
		}
	}
	t.Errorf("no response: %+v", result.Task)
}

// wears holds what something carries to what it was dressed in.
func wears(t *testing.T, at string, m a2a.Metadata, extensions []string, parts []a2a.Part) {
	t.Helper()
	if diff := cmp.Diff(dressMetadata(at), m); diff != "" || !slices.Equal(extensions, []string{dressURI}) {
		t.Errorf("%s: extensions %q, metadata %s", at, extensions, diff)
	}
	if diff := cmp.Diff(dressed(at), parts[len(parts)-1]); diff != "" {
		t.Errorf("%s: %s", at, diff)
	}
}

// agentKnowsItsMessage: the first message of a task and the next one.
func agentKnowsItsMessage(t *testing.T, r *running) {
	waits := r.send("end " + string(a2a.StateInputRequired))
	for _, taskID := range []string{"", waits.ID} {
		m := userMessage("tell")
		m.TaskID = taskID
		m.Metadata = a2a.Metadata{"both": json.RawMessage(`"message"`), "mine": json.RawMessage(`{"a":1}`)}
		m.Extensions = []string{"urn:example:tone"}
		m.ReferenceTaskIDs = []string{"an-earlier-task"}
		result, err := r.client().Send(r.context(), &a2a.SendRequest{
			Params:  a2a.Params{Extensions: []string{"urn:a2a-sidecar:tool-call:v1", "urn:example:unknown"}},
			Message: m, Metadata: a2a.Metadata{"both": json.RawMessage(`"request"`), "beside": json.RawMessage(`2`)},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		told := artifact(result.Task, "told")
		expected := fmt.Sprintf(`{"id":%q,"task":%q,"context":%q,"metadata":{"both":"message","mine":{"a":1},"beside":2},
			"extensions":["urn:example:tone","urn:a2a-sidecar:tool-call:v1"],"references":["an-earlier-task"]}`, m.ID, result.Task.ID, result.Task.ContextID)
		if err := errors.Join(json.Unmarshal([]byte(told), &got), json.Unmarshal([]byte(expected), &want)); err != nil {
			t.Fatalf("%q: %v", told, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
}

func agentIsCanceled(t *testing.T, r *running, session bool) {
	cancel := func(id string) {
		t.Helper()
		task, err := r.client().Cancel(r.context(), &a2a.CancelRequest{ID: id})
		if err != nil || task.Status.State != a2a.StateCanceled || task.Metadata["interrupt"] != nil {
			t.Fatalf("cancel: %+v, %v", task, err)
		}
	}
	held := r.begin("hold")
	await.True(r.t, "it holds", func() bool { return says(r.get(held.ID)) == "holding" })
	cancel(held.ID)
	cancel(r.send("end " + string(a2a.StateInputRequired)).ID)
	cancel(r.send("ask").ID)
	after := r.send("end " + string(a2a.StateCompleted))
	if after.Status.State != a2a.StateCompleted {
		t.Errorf("afterwards: %s", after.Status.State)
	}
	if session && strings.Contains(r.log.String(), "the agent ended") {
		t.Error("the session did not live on")
	}
}
