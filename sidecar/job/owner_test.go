package job_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

func TestEmitted(t *testing.T) {
	r := newRig(t, func(_ *job.Options, w *job.Work) {
		w.Annotate = func(_ *a2a.Message, meta a2a.Metadata) a2a.Metadata {
			return a2a.Metadata{"by": []byte(`"us"`)}.With(meta)
		}
	})
	stream := r.task.Subscribe()
	r.run(t.Context(), speaks("status half way", "artifact notes", "usage"))
	if !r.owner.Speaks() {
		t.Error("the process has spoken")
	}
	var status *a2a.StatusUpdate
	for status == nil {
		events, err := stream.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Status != nil && e.Status.Status.Message != nil {
				status = e.Status
			}
		}
	}
	stream.Close()
	m := status.Status.Message
	if m.Parts[0].Text != "half way" || status.Status.State != a2a.StateWorking || strings.Join(m.Extensions, " ") != "urn:x:1" {
		t.Errorf("status %+v, message %+v", status, m)
	}
	if string(status.Metadata["progress"]) != "0.5" || string(status.Metadata["by"]) != `"us"` {
		t.Errorf("metadata %s", status.Metadata)
	}
	got := r.task.Snapshot(nil, true)
	if len(got.Artifacts) != 1 || got.Artifacts[0].ID != "notes" {
		t.Errorf("artifacts %+v", got.Artifacts)
	}
	for key, want := range map[string]string{"sv.cost.usd": "0.25", "sv.usage.input_tokens": "7", "sv.usage.output_tokens": "9", "sv.model": `"m-1"`} {
		if string(got.Metadata[key]) != want {
			t.Errorf("%s is %s, want %s", key, got.Metadata[key], want)
		}
	}
}

func TestReservedArtifact(t *testing.T) {
	r := newRig(t, func(_ *job.Options, w *job.Work) { w.Reserved = func(id string) bool { return id == "result" } })
	if r.run(t.Context(), speaks("artifact result")); !strings.Contains(r.said(), "choose another") {
		t.Errorf("the process was told %q", r.said())
	}
	if got := r.task.Snapshot(nil, true); len(got.Artifacts) != 0 {
		t.Errorf("artifacts %+v", got.Artifacts)
	}
}

func TestAsk(t *testing.T) {
	asked, answered := make(chan struct{}), false
	r := newRig(t, func(_ *job.Options, w *job.Work) {
		w.Asks = func() func(context.Context) { close(asked); return func(context.Context) { answered = true } }
	})
	go func() {
		<-asked
		r.until(a2a.TaskState.Interrupted)
		if err := r.task.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("the other")}}); err != nil {
			t.Error(err)
		}
	}()
	if r.run(t.Context(), speaks("ask")); r.said() != "chose b" || !answered {
		t.Errorf("the process was told %q", r.said())
	}
}

// Nobody waits longer for an answer than the options allow, whatever the process
// asks for; it may ask for less.
func TestAskTimeout(t *testing.T) {
	for _, c := range []struct {
		most time.Duration
		asks string
	}{{50 * time.Millisecond, "ask"}, {50 * time.Millisecond, "ask 1h"}, {time.Hour, "ask 50ms"}} {
		r := newRig(t, func(o *job.Options, _ *job.Work) { o.AskTimeout = c.most })
		if r.run(t.Context(), speaks(c.asks)); r.said() != channel.ErrTimeout.Error() {
			t.Errorf("at most %s, %s: the process was told %q", c.most, c.asks, r.said())
		}
		if s := r.task.State(); s != a2a.StateWorking {
			t.Errorf("the task is %s", s)
		}
	}
}

func TestAskHeadless(t *testing.T) {
	r := newRig(t, func(o *job.Options, _ *job.Work) { o.Headless = true })
	if r.run(t.Context(), speaks("ask")); r.said() != channel.ErrNobody.Error() {
		t.Errorf("the process was told %q", r.said())
	}
}

// The first done fixes the outcome, also over the exit code; the process has the
// grace to end by itself.
func TestDone(t *testing.T) {
	const grace = 300 * time.Millisecond
	for _, then := range []string{"exit", "done twice", "stay"} {
		r := newRig(t, func(o *job.Options, _ *job.Work) { o.Grace = grace })
		began := time.Now()
		res := r.run(t.Context(), speaks("done first", then))
		if res.Done == nil || res.Done.Text != "first" || res.Stopped != nil || r.owner.Over().Err() == nil {
			t.Errorf("%s: done %+v, stopped by %v", then, res.Done, res.Stopped)
		}
		switch took := time.Since(began); {
		case then == "stay" && took < grace:
			t.Errorf("ended after %s, before the grace", took)
		case then == "done twice" && !strings.Contains(r.said(), "an earlier done"):
			t.Errorf("a second done was told %q", r.said())
		}
	}
}

func TestDoneThatIsRefused(t *testing.T) {
	r := newRig(t, func(_ *job.Options, w *job.Work) {
		w.Refuse = func(channel.Done) error { return channel.ErrInvalidParams.With("not so") }
	})
	if res := r.run(t.Context(), speaks("done it")); res.Done != nil || !strings.Contains(r.said(), "not so") {
		t.Errorf("done %+v, the process was told %q", res.Done, r.said())
	}
}

// A cancel beats a done, which beats every other reason to stop.
func TestDoneAndStop(t *testing.T) {
	for _, cause := range []error{task.ErrCanceled, task.ErrDeadline} {
		r := newRig(t, nil)
		res := r.stopsWith(cause, r.owner.Over().Done(), speaks("done it", "stay"))
		if want := errors.Is(cause, task.ErrCanceled); res.Done == nil || errors.Is(res.Stopped, cause) != want {
			t.Errorf("%v: done %+v, stopped by %v", cause, res.Done, res.Stopped)
		}
	}
}

// What is said after the end is refused.
func TestOwnerAfterTheEnd(t *testing.T) {
	r := newRig(t, nil)
	r.run(t.Context(), sh("true"))
	gone, cancel := context.WithCancel(t.Context()) // nobody would answer
	cancel()
	_, asked := r.owner.Ask(gone, channel.Question{Text: "?"})
	for what, err := range map[string]error{
		"status": r.owner.Status(channel.Status{Text: "late"}), "usage": r.owner.Usage(channel.Usage{Model: "m"}), "ask": asked,
		"artifact": r.owner.Artifact(context.Background(), a2a.ArtifactUpdate{}), "done": r.owner.Done(channel.Done{}),
	} {
		if !errors.Is(err, channel.ErrEnded) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
