package turn_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// told waits until a task's status says something.
func (r *rig) told(k *task.Task, want string) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	s := k.Subscribe()
	defer s.Close()
	for {
		events, err := s.Next(ctx)
		for _, e := range events {
			if e.Task != nil && strings.Contains(status(e.Task), want) {
				return
			}
			if e.Status != nil && e.Status.Status.Message != nil && strings.Contains(partsText(e.Status.Status.Message.Parts), want) {
				return
			}
		}
		if err != nil {
			r.t.Fatalf("%q was not told: %v", want, err)
		}
	}
}

// TestPersonsKeyThatAQuestionDoesNotTake: it is no line that somebody has begun,
// and the caller's answer does not wait for the end of one.
func TestPersonsKeyThatAQuestionDoesNotTake(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t)
	k := r.send("ASK touch x")
	r.until(k, a2a.TaskState.Interrupted)
	p.sees(t, "Do you want to proceed?")
	p.types(t, "x")
	p.sees(t, "]0;heard x")
	began := time.Now()
	if err := reply(k, "2"); err != nil {
		t.Fatal(err)
	}
	want(t, r.end(k), a2a.StateCompleted, "chose always")
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("answered %v after a key that may still be on its way to the question", took)
	}
}

// TestPersonAnswersFirst: the caller is told that its answer came to nothing.
func TestPersonAnswersFirst(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t, "ponders=600")
	k := r.send("ASK touch x")
	r.until(k, a2a.TaskState.Interrupted)
	p.sees(t, "Do you want to proceed?")
	p.types(t, "3")
	p.sees(t, "]0;pondering") // the question still stands there
	if err := reply(k, "1"); err != nil {
		t.Fatal(err)
	}
	r.told(k, "at the agent's terminal")
	got := r.end(k)
	want(t, got, a2a.StateCompleted, "chose no")
	if meta(got.Metadata, "answeredAtTerminal") != "true" {
		t.Errorf("metadata %v", got.Metadata)
	}
}

// TestCallerAnswersFirst: a key of the person's for the same question goes neither
// to the next one nor into the input, and the person is told.
func TestCallerAnswersFirst(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t, "ponders=400")
	k := r.send("TWICE touch x")
	r.until(k, a2a.TaskState.Interrupted)
	p.sees(t, "#1")
	if err := reply(k, "1"); err != nil {
		t.Fatal(err)
	}
	p.sees(t, "]0;pondering") // it has been taken, and still stands there
	p.types(t, "3")
	p.sees(t, "#2")
	p.sees(t, "was dropped")
	r.until(k, a2a.TaskState.Interrupted)
	if err := reply(k, "2"); err != nil {
		t.Fatal(err)
	}
	got := r.end(k)
	want(t, got, a2a.StateCompleted, "chose yes\nchose always")
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
}

// TestCallersAnswerAndTheInput: nor does it become a draft that the next message
// has to wait for.
func TestCallersAnswerAndTheInput(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t, "ponders=400")
	k := r.send("ASK touch x")
	r.until(k, a2a.TaskState.Interrupted)
	p.sees(t, "#1")
	if err := reply(k, "1"); err != nil {
		t.Fatal(err)
	}
	p.sees(t, "]0;pondering")
	p.types(t, "3")
	want(t, r.end(k), a2a.StateCompleted, "chose yes")
	want(t, r.ask("next"), a2a.StateCompleted, "ECHO: next")
	p.types(t, "later") // which is for nothing that has gone
	p.sees(t, "❯ later")
}

// TestPersonsEscAfterTheCallersAnswer: who wants to stop the agent is not too late.
func TestPersonsEscAfterTheCallersAnswer(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t, "ponders=400")
	k := r.send("TWICE touch x")
	r.until(k, a2a.TaskState.Interrupted)
	p.sees(t, "#1")
	if err := reply(k, "1"); err != nil {
		t.Fatal(err)
	}
	p.sees(t, "]0;pondering")
	p.types(t, "3\x1b")
	r.end(k)
	if !p.saw("Interrupted") {
		t.Error("the agent went on")
	}
}

// TestTaskSaysThatItWaitsForAPerson: of one who is in the middle of a line, and
// says so no more when it goes on.
func TestTaskSaysThatItWaitsForAPerson(t *testing.T) {
	t.Parallel()
	r, p := sitAtDrawing(t)
	p.sees(t, "? for shortcuts")
	p.types(t, "half a ")
	p.sees(t, "half a")
	k := r.send("PAUSE 500")
	r.told(k, "waiting for the person at the agent's terminal")
	if all := r.Turns(); len(all) != 1 || !strings.HasPrefix(all[0].WaitsFor, "the person at the agent's terminal") {
		t.Errorf("listed as %+v", all)
	}
	p.types(t, "sentence\r")
	r.said(k, "first half")
	if s := k.Snapshot(nil, true); status(s) != "" {
		t.Errorf("still says %q", status(s))
	}
	want(t, r.end(k), a2a.StateCompleted, "first half\nsecond half")
}

// TestTaskSaysThatItWaitsForALine: of a program that reads lines.
func TestTaskSaysThatItWaitsForALine(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r, p := sitWith(t, func(o *turn.Options) {
		o.Command, o.StartQuiet = []string{"python3", "-q"}, 200*time.Millisecond
	})
	p.sees(t, ">>> ")
	p.types(t, "y = 'half")
	p.sees(t, "half")
	k := r.send("y")
	r.told(k, "the person at the agent's terminal")
	p.types(t, " whole'\r")
	want(t, r.end(k), a2a.StateCompleted, "'half whole'")
}
