package sidecar_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
)

// agentsFile writes a file of agents.
func agentsFile(t *testing.T, agents string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "agents.json")
	writeFile(t, file, `{"agents":`+agents+`}`)
	return file
}

// family is a sidecar that may give work to another one, which its agent knows as helper.
func family(t *testing.T, parentArgs, childArgs []string) (parent, child *running) {
	t.Helper()
	child = followerAllowed(t, childArgs...)
	parent = followerAllowed(t, append([]string{"--tools", "task", "--agents", agentsFile(t, `{"helper":{"url":"`+child.url+`","description":"helps"}}`)}, parentArgs...)...)
	return parent, child
}

// gives is the line of a message by which the follower calls the tool task.
func gives(args map[string]any) string {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return "task " + string(b)
}

// helper is gives for a prompt of the agent helper.
func helper(prompt string) string { return gives(map[string]any{"agent": "helper", "prompt": prompt}) }

// children returns the children that a task lists.
func children(task *a2a.Task) []delegation.Child {
	n, _ := delegation.ReadNote(task.Metadata)
	return n.Children
}

// child waits until a task has a child, and returns it.
func (r *running) child(id string) (c delegation.Child) {
	r.t.Helper()
	await.True(r.t, "task "+id+" has a child", func() bool {
		all := children(r.get(id))
		if len(all) > 0 {
			c = all[0]
		}
		return len(all) > 0
	})
	return c
}

// inState waits for a state of a task.
func (r *running) inState(id string, state a2a.TaskState) *a2a.Task {
	r.t.Helper()
	var task *a2a.Task
	await.True(r.t, "task "+id+" is "+string(state), func() bool {
		task = r.get(id)
		return task.Status.State == state
	})
	return task
}

func TestSubagentAnswers(t *testing.T) {
	t.Parallel()
	parent, child := family(t, nil, nil)
	done := parent.send(helper("say hello from below"))
	said := artifact(done, "response")
	if !strings.Contains(said, "hello from below") || !strings.Contains(said, "of the agent helper: completed") {
		t.Fatalf("the parent got %s", said)
	}
	kids := children(done)
	if len(kids) != 1 || kids[0].Agent != "helper" || kids[0].State != a2a.StateCompleted || kids[0].Unheld {
		t.Fatalf("the parent lists %+v", kids)
	}
	below := child.get(kids[0].ID)
	first := below.History[0]
	if len(first.ReferenceTaskIDs) != 1 || first.ReferenceTaskIDs[0] != done.ID {
		t.Errorf("the child's message refers to %q, not to its parent %s", first.ReferenceTaskIDs, done.ID)
	}
	var order delegation.Order
	if err := json.Unmarshal(first.Metadata[delegation.URI], &order); err != nil || order.Depth != 1 || order.Parent.Task != done.ID {
		t.Errorf("the order is %s", first.Metadata[delegation.URI])
	}
	// A conversation of the child's goes on.
	context := regexp.MustCompile(`; context ([^\]]+)\]`).FindStringSubmatch(said)
	if context == nil || context[1] != below.ContextID {
		t.Fatalf("the context is not told: %s", said)
	}
	again := parent.send(gives(map[string]any{"agent": "helper", "prompt": "say more", "context": context[1]}))
	if kids := children(again); len(kids) != 1 || child.get(kids[0].ID).ContextID != below.ContextID {
		t.Errorf("the second task is in another context: %+v", kids)
	}
	// What a child says that it does is seen in the call's task.
	if body := parent.getPath("/a2a/tools/effective").body; !strings.Contains(body, `- helper: helps`) {
		t.Errorf("models are shown %s", body)
	}
}

// Cancel of the parent ends the child's task.
func TestCancelGoesDown(t *testing.T) {
	t.Parallel()
	parent, child := family(t, nil, nil)
	for name, line := range map[string]string{
		"waiting":    helper("hang"),
		"background": gives(map[string]any{"agent": "helper", "prompt": "hang", "background": true}) + "\nhang",
	} {
		task := parent.begin(line)
		below := parent.child(task.ID)
		child.inState(below.ID, a2a.StateWorking)
		if _, err := parent.client().Cancel(parent.context(), &a2a.CancelRequest{ID: task.ID}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		child.inState(below.ID, a2a.StateCanceled)
		parent.inState(task.ID, a2a.StateCanceled)
	}
}

// A deny of the parent holds in the child, and in the child's child.
func TestDenyHoldsBelow(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "deny.json")
	writeFile(t, rules, `{"rules":[{"permission":"*","action":"allow"},{"permission":"shell.run","action":"allow"},{"permission":"test.echo","action":"deny","reason":"never"}]}`)
	more := agentsFile(t, `{"more":{"process":true}}`)
	parent, child := family(t, []string{"--policy", rules}, []string{"--tools", "task", "--agents", more})
	echo := `test.echo {"value":"a"}`
	const denied = `never, by the rules that came with the task`
	if said := artifact(parent.send(helper(echo)), "response"); !strings.Contains(said, denied) {
		t.Errorf("the child: %s", said)
	}
	if said := artifact(parent.send(helper(gives(map[string]any{"agent": "more", "prompt": echo}))), "response"); !strings.Contains(said, denied) {
		t.Errorf("the child's child: %s", said)
	}
	if said := artifact(child.send(echo), "response"); strings.Contains(said, denied) {
		t.Errorf("a task of the child's own: %s", said)
	}
}

// Work is given on as often as the first one says, and a task has as many children at once as its setting says.
func TestDepthAndNumber(t *testing.T) {
	t.Parallel()
	more := agentsFile(t, `{"more":{"process":true}}`)
	parent, _ := family(t, []string{"--task-depth", "1", "--task-number", "1"}, []string{"--tools", "task", "--agents", more, "--task-depth", "9"})
	said := artifact(parent.send(helper(gives(map[string]any{"agent": "more", "prompt": "say deeper"}))), "response")
	if !strings.Contains(said, "this task was given on 1 time, which is as deep as it goes: do the work yourself") {
		t.Errorf("below: %s", said)
	}
	back := gives(map[string]any{"agent": "helper", "prompt": "hang", "background": true})
	task := parent.begin(back + "\n" + back + "\nsay over")
	said = artifact(parent.settle(task.ID), "response")
	if !strings.Contains(said, "1 sub-agent of this task run already, which is the limit") {
		t.Errorf("a second child: %s", said)
	}
}

// Half of what is left of a budget goes down, and what a child has used is gone.
func TestBudgetGoesDown(t *testing.T) {
	t.Parallel()
	parent, _ := family(t, []string{"--budget", "calls=4"}, nil)
	echo := `test.echo {"value":"a"}`
	done := parent.send(helper(strings.Repeat(echo+"\n", 4)) + "\n" + echo + "\n" + echo)
	said := artifact(done, "response")
	if strings.Count(said, `\"type\":\"output\"`) != 2 || !strings.Contains(said, "the task's budget of 2 tool calls is used up") {
		t.Errorf("the child had half of the 3 calls that were left: %s", said)
	}
	if strings.Count(said, `"type":"output"`) != 2 || !strings.Contains(said, "the task's budget of 4 tool calls is used up") {
		t.Errorf("the parent had one left in addition to the call of task: %s", said)
	}
	if n, _ := delegation.ReadNote(done.Metadata); n.Calls != 4 {
		t.Errorf("the task says %+v", n)
	}
}

// A child's questions reach the client of its parent's task, and never its parent.
func TestChildAsksTheClient(t *testing.T) {
	t.Parallel()
	asking := filepath.Join(t.TempDir(), "ask.json")
	writeFile(t, asking, `{"rules":[{"permission":"*","action":"allow"},{"permission":"shell.run","action":"allow"},{"permission":"test.echo","action":"ask"}]}`)
	parent, _ := family(t, nil, []string{"--policy", asking})
	answer := func(id, text string) {
		t.Helper()
		m := userMessage(text)
		m.TaskID = id
		if _, err := parent.client().Send(parent.context(), &a2a.SendRequest{Message: m, ReturnImmediately: true}); err != nil {
			t.Fatal(err)
		}
	}
	task := parent.begin(helper("ask which colour?\ntest.echo {\"value\":\"a\"}"))
	if asked := says(parent.inState(task.ID, a2a.StateInputRequired)); asked != "The agent helper asks: which colour?" {
		t.Errorf("the client is asked %q", asked)
	}
	answer(task.ID, "blue")
	if asked := says(parent.inState(task.ID, a2a.StateAuthRequired)); !strings.HasPrefix(asked, "The agent helper asks: ") || !strings.Contains(asked, "test.echo") {
		t.Errorf("the client is asked %q", asked)
	}
	answer(task.ID, "nonsense")
	await.True(t, "it is asked again", func() bool { return strings.Contains(says(parent.get(task.ID)), "that answer does not fit") })
	answer(task.ID, "once")
	said := artifact(parent.settle(task.ID), "response")
	if !strings.Contains(said, "answer: blue") || !strings.Contains(said, `\"type\":\"output\"`) {
		t.Errorf("the child got other answers: %s", said)
	}
}

// Where nobody can be asked, what a child asks is declined.
func TestChildAsksNobody(t *testing.T) {
	t.Parallel()
	asking := filepath.Join(t.TempDir(), "ask.json")
	writeFile(t, asking, `{"rules":[{"permission":"*","action":"allow"},{"permission":"test.echo","action":"ask"}]}`)
	parent, _ := family(t, []string{"--headless"}, []string{"--policy", asking})
	said := artifact(parent.send(helper("ask which colour?\ntest.echo {\"value\":\"a\"}")), "response")
	if !strings.Contains(said, "answer: declined: nobody can be asked") || !strings.Contains(said, "was not approved") {
		t.Errorf("the child got %s", said)
	}
}

// A child in the background is read, waited for and stopped; the work that has completed leaves it to its conversation.
func TestBackgroundChild(t *testing.T) {
	t.Parallel()
	parent, child := family(t, nil, nil)
	first := parent.send(gives(map[string]any{"agent": "helper", "prompt": "say begun\nhang", "background": true}))
	id := children(first)[0].ID
	if said := artifact(first, "response"); !strings.Contains(said, "The agent helper works on task "+id) {
		t.Fatalf("the parent got %s", said)
	}
	later := func(context string, args map[string]any) string {
		t.Helper()
		m := userMessage(gives(args))
		m.ContextID = context
		return artifact(parent.sendMessage(m), "response")
	}
	for command, want := range map[string]string{
		"status": "agent helper: task " + id + " of task " + first.ID + ", working, begun ",
		"tasks":  "  " + id + "  ",
	} {
		out, err := sidecarCommand(command, "--url", parent.url).CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) || !strings.Contains(string(out), "agent helper") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	await.True(t, "the child's words are read", func() bool {
		said := later(first.ContextID, map[string]any{"task": id})
		return strings.Contains(said, "of the agent helper: working") && strings.Contains(said, "begun")
	})
	if said := later("", map[string]any{"task": id}); !strings.Contains(said, "no task with this id was begun in this conversation") {
		t.Errorf("another conversation reads %s", said)
	}
	if said := later(first.ContextID, map[string]any{"task": id, "cancel": true}); !strings.Contains(said, "of the agent helper: canceled") {
		t.Errorf("after its end: %s", said)
	}
	child.inState(id, a2a.StateCanceled)
	second := parent.send(gives(map[string]any{"agent": "helper", "prompt": "say done", "background": true}))
	if said := later(second.ContextID, map[string]any{"task": children(second)[0].ID, "wait": 60}); !strings.Contains(said, "done") || !strings.Contains(said, "completed") {
		t.Errorf("waited for: %s", said)
	}
}

// One more process of the wrapped command is an agent, in a mode that has more than one; the file of agents is followed, and its
// faults are told.
func TestProcessAgents(t *testing.T) {
	t.Parallel()
	file := agentsFile(t, `{"me":{"process":true}}`)
	r := followerAllowed(t, "--tools", "task", "--agents", file)
	done := r.send(gives(map[string]any{"agent": "me", "prompt": "say as well"}))
	if said := artifact(done, "response"); !strings.Contains(said, "as well") {
		t.Fatalf("the process said %s", said)
	}
	if kid := r.get(children(done)[0].ID); kid.Status.State != a2a.StateCompleted || kid.ContextID == done.ContextID {
		t.Errorf("the child is %+v", kid)
	}
	writeFile(t, file, `{"agents":{"other":{"process":true,"description":"new here"}}}`)
	await.True(t, "the new file is shown", func() bool { return strings.Contains(r.getPath("/a2a/tools/effective").body, "- other: new here") })
	if said := artifact(r.send(gives(map[string]any{"agent": "me", "prompt": "say x"})), "response"); !strings.Contains(said, "invalid") {
		t.Errorf("the old name: %s", said)
	}
	writeFile(t, file, `{"agents":{"other":{"url":"ftp://x"}}}`)
	await.True(t, "the fault is told", func() bool {
		return strings.Contains(r.log.String(), "the file of agents is bad") && strings.Contains(r.log.String(), "url must be an address of http or https")
	})
	out, err := sidecarCommand("run", "--port", "0", "--agents", agentsFile(t, `{"me":{"process":true}}`), "--", "cat").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "there cannot be one more process: in --mode pty there is one process; give --sessions 2 or more, or --mode oneshot") {
		t.Errorf("a terminal: %v\n%s", err, out)
	}
}

// A card that is pinned and is another one: the agent is sent nothing.
func TestPinnedCard(t *testing.T) {
	t.Parallel()
	child := followerAllowed(t)
	file := agentsFile(t, `{"helper":{"url":"`+child.url+`","card":{"sha256":"`+strings.Repeat("0a", 32)+`"}}}`)
	parent := followerAllowed(t, "--tools", "task", "--agents", file)
	said := artifact(parent.send(helper("say x")), "response")
	if !strings.Contains(said, "its card is another one than the operator has seen: "+file+" pins the SHA-256 digest "+strings.Repeat("0a", 32)) || strings.Contains(child.log.String(), "task ended") {
		t.Fatalf("%s", said)
	}
	digest := regexp.MustCompile(`it has ([0-9a-f]{64}) now`).FindStringSubmatch(said)[1]
	writeFile(t, file, `{"agents":{"helper":{"url":"`+child.url+`","card":{"sha256":"`+digest+`"}}}}`)
	await.True(t, "the right pin is taken", func() bool {
		return strings.Contains(artifact(parent.send(helper("say pinned")), "response"), `pinned\n`)
	})
}
