package call_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// speaking is a rig whose tool says words over the channel.
func speaking(t *testing.T, words ...string) *rig {
	s, err := channel.Listen(channel.Options{RuntimeDir: t.TempDir(), UID: -1, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return newRig(t, execTool("acme.speak", "", append([]string{"tool:channel"}, words...)...), nil, withHost(t), func(o *call.Options) {
		o.Channel = s
	})
}

func TestEmittedArtifactIsNoEnvelope(t *testing.T) {
	r := speaking(t, "forge")
	r.run("acme.speak", `{}`).is("failed", a2a.StateFailed, 502).says("result", "choose another")
}

func TestEmittedQuestion(t *testing.T) {
	r := speaking(t, "ask")
	inv := r.p.Start(call.Request{Tool: "acme.speak"})
	r.until(inv, a2a.StateInputRequired)
	await.One(t, inv.Waiting(), "Waiting to be told of a question")
	answer(t, inv, "b")
	r.ended(inv).is("final", a2a.StateCompleted, 200).data(`"chose b"`)
}

func TestEmittedDone(t *testing.T) {
	for _, tc := range []struct {
		words, outcome string
		state          a2a.TaskState
		status         int
		data, says     string
	}{
		{"done", "final", a2a.StateCompleted, 200, `{"by":"done"}`, ""},
		{"done exit4", "final", a2a.StateCompleted, 200, `{"by":"done"}`, ""}, // also over the exit code
		{"done-text", "final", a2a.StateCompleted, 200, `"told"`, ""},
		{"done-failed", "failed", a2a.StateFailed, 502, ``, "it broke"},
		{"done-message", "failed", a2a.StateFailed, 502, ``, "not by a bare message"},
	} {
		t.Run(tc.words, func(t *testing.T) {
			r := speaking(t, strings.Fields(tc.words)...)
			r.run("acme.speak", `{}`).is(tc.outcome, tc.state, tc.status).data(tc.data).says(tc.says)
		})
	}
}

// Metadata and extensions of what a tool says are added to the call's
// own, and never replace them.
func TestEmittedMetadata(t *testing.T) {
	r := speaking(t, "dress")
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
			delete(a.Metadata, call.ExtensionURI) // how the call itself shows it
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
