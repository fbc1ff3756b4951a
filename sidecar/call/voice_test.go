package call_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

// speaking is a rig whose tool says words over the channel.
func speaking(t *testing.T, tweak func(*call.Options), words ...string) *rig {
	s, err := channel.Listen(channel.Options{RuntimeDir: t.TempDir(), UID: -1, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return newRig(t, execTool("acme.speak", "", append([]string{"tool:channel"}, words...)...), nil, withHost(t), func(o *call.Options) {
		o.Channel = s
		if tweak != nil {
			tweak(o)
		}
	})
}

func TestVoiceStatusArtifactUsage(t *testing.T) {
	r := speaking(t, nil, "status", "artifact", "usage")
	inv, f := r.follow(call.Request{Tool: "acme.speak"})
	var said string
	for _, e := range f.all() {
		if e.Status != nil && e.Status.Status.Message != nil && string(e.Status.Metadata["progress"]) == "0.5" {
			said = e.Status.Status.Message.Parts[0].Text
			if u := toolCall(t, e); u == nil || u.Status != "EXECUTING" || e.State() != a2a.StateWorking {
				t.Errorf("a status keeps the call executing: %+v", u)
			}
		}
	}
	if said != "half way" {
		t.Errorf("status text %q", said)
	}
	e := r.ended(inv).is("final", a2a.StateCompleted, 200)
	if p := e.artifact("notes"); p.Text != "a note" {
		t.Errorf("artifact %+v", p)
	}
	for key, want := range map[string]string{"sv.usage.input_tokens": "12", "sv.cost.usd": "0.25", "sv.model": `"m-1"`} {
		if got := string(e.task.Metadata[key]); got != want {
			t.Errorf("%s is %s, want %s", key, got, want)
		}
	}
}

func TestVoiceDoesNotForgeTheEnvelope(t *testing.T) {
	r := speaking(t, nil, "forge")
	e := r.run("acme.speak", `{}`).is("failed", a2a.StateFailed, 502).says("kept for the call itself")
	if string(e.artifact("result").Data) != string(e.inv.Envelope()) {
		t.Error("the result was forged")
	}
}

func TestVoiceAsk(t *testing.T) {
	r := speaking(t, nil, "ask")
	inv := r.p.Start(call.Request{Tool: "acme.speak"})
	r.until(inv, a2a.StateInputRequired)
	select {
	case <-inv.Waiting():
	case <-time.After(patience):
		t.Fatal("Waiting is not told of a question")
	}
	answer(t, inv, "b")
	r.ended(inv).is("final", a2a.StateCompleted, 200).data(`"chose b"`)
}

func TestVoiceAskCanceled(t *testing.T) {
	r := speaking(t, nil, "ask")
	inv := r.p.Start(call.Request{Tool: "acme.speak"})
	r.until(inv, a2a.StateInputRequired)
	inv.Task().Cancel(task.ErrCanceled)
	r.ended(inv).is("canceled", a2a.StateCanceled, 409)
}

func TestVoiceAskHeadless(t *testing.T) {
	r := speaking(t, func(o *call.Options) { o.Headless = true }, "ask")
	r.run("acme.speak", `{}`).is("failed", a2a.StateFailed, 502).says("nobody can answer")
}

func TestVoiceDone(t *testing.T) {
	for _, tc := range []struct {
		words, outcome string
		state          a2a.TaskState
		status         int
		data, says     string
	}{
		{"done", "final", a2a.StateCompleted, 200, `{"by":"done"}`, ""},
		{"done exit4", "final", a2a.StateCompleted, 200, `{"by":"done"}`, ""}, // also over the exit code
		{"done hang", "final", a2a.StateCompleted, 200, `{"by":"done"}`, ""},  // by the ladder after the grace
		{"done-text", "final", a2a.StateCompleted, 200, `"told"`, ""},
		{"done-failed", "failed", a2a.StateFailed, 502, ``, "it broke"},
		{"done-failed done", "failed", a2a.StateFailed, 502, ``, "it broke"}, // the first wins
		{"done-message", "failed", a2a.StateFailed, 502, ``, "not by a bare message"},
	} {
		t.Run(tc.words, func(t *testing.T) {
			r := speaking(t, nil, strings.Fields(tc.words)...)
			began := time.Now()
			r.run("acme.speak", `{}`).is(tc.outcome, tc.state, tc.status).data(tc.data).says(tc.says)
			if took := time.Since(began); strings.HasSuffix(tc.words, "hang") && took < 200*time.Millisecond {
				t.Errorf("ended after %s, before the grace", took)
			}
		})
	}
}

func TestCancelBeatsDone(t *testing.T) {
	r := speaking(t, func(o *call.Options) { o.CancelGrace = time.Minute }, "done", "status", "hang")
	inv, f := r.follow(call.Request{Tool: "acme.speak"})
	f.next(func(e *a2a.Event) bool { return e.Status != nil && e.Status.Metadata["progress"] != nil })
	inv.Task().Cancel(task.ErrCanceled)
	r.ended(inv).is("canceled", a2a.StateCanceled, 409)
}

// TestToolSaysMore: metadata and extensions of what a tool says stand beside the
// call's own, and never in their place.
func TestToolSaysMore(t *testing.T) {
	r := speaking(t, nil, "dress")
	inv, f := r.follow(call.Request{Tool: "acme.speak"})
	e := f.next(func(e *a2a.Event) bool {
		return e.Status != nil && e.Status.Status.Message != nil && !e.State().Terminal()
	})
	m := e.Status.Status.Message
	if len(m.Parts) != 2 || !strings.Contains(string(e.Status.Metadata[call.ExtensionURI]), "EXECUTING") || string(e.Status.Metadata["urn:x:1"]) != "1" {
		t.Errorf("status %+v, metadata %s", m, e.Status.Metadata)
	}
	dresses(t, m.Metadata, m.Extensions)
	last := f.next(func(e *a2a.Event) bool { return e.Status != nil && e.State().Terminal() })
	if string(last.Status.Metadata["urn:x:1"]) != "1" || !strings.Contains(string(last.Status.Metadata[call.ExtensionURI]), "acme.speak") {
		t.Errorf("the end: metadata %s", last.Status.Metadata)
	}
	r.ended(inv).is("final", a2a.StateCompleted, 200).data(`"told"`)
	for _, a := range inv.Task().Snapshot(nil, true).Artifacts {
		if a.ID == "result" {
			dresses(t, a.Metadata, a.Extensions)
			return
		}
	}
	t.Error("there is no result")
}

func dresses(t *testing.T, m a2a.Metadata, extensions []string) {
	t.Helper()
	if want := []string{call.ExtensionURI, "urn:x:1"}; len(m) != 1 || string(m["urn:x:1"]) != "1" || !slices.Equal(extensions, want) {
		t.Errorf("metadata %s, extensions %q", m, extensions)
	}
}
