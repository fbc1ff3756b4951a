package turn_test

import (
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/proc"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

// speaking is a rig of one-shot agents that speak over the channel.
func speaking(t testing.TB, args ...string) *rig {
	return newRig(t, func(o *turn.Options) {
		withChannel(t, o)
		plays(o, "agent", args...)
	})
}

func TestOneshotDoneBeatsTheExitCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ state, want a2a.TaskState }{
		{"", a2a.StateCompleted}, {a2a.StateFailed, a2a.StateFailed}, {a2a.StateInputRequired, a2a.StateInputRequired},
	} {
		r := speaking(t, "done", string(c.state), "because", "", "3")
		k := r.send("x")
		got := r.until(k, func(s a2a.TaskState) bool { return s.Terminal() || s.Interrupted() })
		if got.Status.State != c.want || status(got) != "because" {
			t.Errorf("done %q: task is %s (%q)", c.state, got.Status.State, status(got))
		}
	}
}

func TestOneshotCancelBeatsDone(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) {
		withChannel(t, o)
		plays(o, "agent", "done", "", "that was it", "", "stay")
		o.CancelGrace = time.Minute
	})
	k := r.send("x")
	eventually(t, "the agent to be working", func() bool { return k.State() == a2a.StateWorking })
	k.Cancel(task.ErrCanceled)
	want(t, r.end(k), a2a.StateCanceled, "")
}

func TestOneshotBareMessage(t *testing.T) {
	t.Parallel()
	r := speaking(t, "done", "", "just this", "message", "0")
	k := r.send("x")
	r.end(k)
	if m := k.Reply(); m == nil || partsText(m.Parts) != "just this" || m.Role != a2a.RoleAgent {
		t.Errorf("reply %v", m)
	}
}

// serving is a session of an agent that takes messages and calls.
func serving(t testing.TB, set func(o *turn.Options)) *rig {
	return newRig(t, func(o *turn.Options) {
		withChannel(t, o)
		plays(o, "agent", "serve")
		o.Mode = turn.ModePTY
		if set != nil {
			set(o)
		}
	})
}

func TestChannelDelivers(t *testing.T) {
	t.Parallel()
	r := serving(t, nil)
	for range 3 {
		want(t, r.ask("you"), a2a.StateCompleted, "heard you")
	}
}

func TestChannelAnswerMayWantMore(t *testing.T) {
	t.Parallel()
	r := serving(t, nil)
	k := r.send("more")
	r.until(k, a2a.TaskState.Interrupted)
	if err := r.Submit(k, turn.Request{Next: &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("again")}}}); err != nil {
		t.Fatal(err)
	}
	got := r.end(k)
	if a := artifact(got, "response-2"); a == nil || partsText(a.Parts) != "heard again" {
		t.Errorf("artifacts %v", got.Artifacts)
	}
}

func TestChannelDoneEndsTheTurnAtOnce(t *testing.T) {
	t.Parallel()
	r := serving(t, nil)
	got := r.ask("done")
	if got.Status.State != a2a.StateCompleted || status(got) != "all done" {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
	want(t, r.ask("you"), a2a.StateCompleted, "heard you")
}

func TestChannelLostFailsTheTurn(t *testing.T) {
	t.Parallel()
	r := serving(t, nil)
	got := r.ask("lose")
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "closed its connection") {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
}

func TestChannelCancel(t *testing.T) {
	t.Parallel()
	r := serving(t, nil)
	k := r.send("wait")
	eventually(t, "the agent's status", func() bool { return status(k.Snapshot(nil, false)) == "waiting" })
	k.Cancel(task.ErrCanceled)
	got := r.end(k)
	want(t, got, a2a.StateCanceled, "")
	want(t, r.ask("you"), a2a.StateCompleted, "heard you") // the session lives
}

func TestChannelCancelUnacknowledged(t *testing.T) {
	t.Parallel()
	r := serving(t, func(o *turn.Options) { o.CancelGrace = 200 * time.Millisecond })
	k := r.send("deaf")
	eventually(t, "the agent's status", func() bool { return status(k.Snapshot(nil, false)) == "waiting" })
	events := k.Subscribe()
	k.Cancel(task.ErrCanceled)
	want(t, r.end(k), a2a.StateCanceled, "")
	if m := lastStatus(r.events(events)).Metadata; meta(m, "interrupt") != `"unacknowledged"` {
		t.Errorf("metadata %v", m)
	}
	if r.Ready() == nil {
		t.Error("ready, though the agent is still at it")
	}
}

func TestAgentsEndFailsTheTurnWithItsCode(t *testing.T) {
	t.Parallel()
	r := serving(t, nil)
	k := r.send("exit")
	events := r.events(k.Subscribe())
	got := r.end(k)
	if got.Status.State != a2a.StateFailed || !strings.Contains(status(got), "exit status 3") || meta(lastStatus(events).Metadata, "exitCode") != "3" {
		t.Errorf("task is %s (%q)", got.Status.State, status(got))
	}
	within(t, r.Exited(), "the agent's end")
	if r.Exit() != (proc.Exit{Code: 3}) {
		t.Errorf("exit %s", r.Exit())
	}
}

func TestChannelCallsTools(t *testing.T) {
	t.Parallel()
	r := serving(t, nil)
	got, err := r.call("acme.echo", `{"text":"hi"}`)
	if err != nil || string(got.Output) != "called acme.echo" || string(got.Structured) != `{"text":"hi"}` {
		t.Errorf("%q %s %v", got.Output, got.Structured, err)
	}
}

// call runs a tool call in the session's context.
func (r *rig) call(tool, arguments string) (driver.CallResult, error) {
	r.t.Helper()
	id := r.Context("")
	k := r.tasks.Create("", id, &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("call")}}, nil)
	return r.Call(r.t.Context(), driver.Call{Task: k, ID: "call-1", Tool: tool, Arguments: []byte(arguments)})
}

// What the agent says over the channel while it executes a call is the call's: its caller decides
// what is added, taken out and kept for itself.
func TestCallsWork(t *testing.T) {
	t.Parallel()
	work := job.Work{
		Reserved: func(id string) bool { return id == "result" },
		Annotate: func(_ *a2a.Message, m a2a.Metadata) a2a.Metadata { return m.With(a2a.Metadata{"added": []byte("1")}) },
		Clean:    func([]a2a.Part) []a2a.Part { return []a2a.Part{a2a.TextPart("cleaned")} },
	}
	call := func(r *rig) ([]*a2a.Event, driver.CallResult) {
		k := r.tasks.Create("", "ctx", &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("call")}}, nil)
		stream := k.Subscribe()
		got, err := r.Call(t.Context(), driver.Call{Task: k, ID: "c", Tool: "a.b", Work: work})
		if err != nil {
			t.Fatal(err)
		}
		if err := k.Finish(a2a.StateCompleted, nil, nil); err != nil {
			t.Fatal(err)
		}
		return r.events(stream), got
	}
	events, _ := call(speaking(t, "say"))
	said, kept := 0, 0
	for _, e := range events {
		switch {
		case e.Status != nil && e.Status.Status.Message != nil:
			if m := e.Status.Metadata; partsText(e.Status.Status.Message.Parts) != "cleaned" || meta(m, "added") != "1" || meta(m, "progress") != "0.5" {
				t.Errorf("status %v %v", e.Status.Status.Message.Parts, m)
			}
			said++
		case e.Artifact != nil:
			if partsText(e.Artifact.Artifact.Parts) != "cleaned" {
				t.Errorf("artifact %v", e.Artifact.Artifact.Parts)
			}
			kept++
		}
	}
	if said != 1 || kept != 1 {
		t.Errorf("%d statuses and %d artifacts", said, kept)
	}
	if _, res := call(speaking(t, "forge", "result", "response", "own")); string(res.Output) != "result true\nresponse true\nown false\n" {
		t.Errorf("refused: %q", res.Output)
	}
}
