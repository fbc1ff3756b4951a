package agents_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// step is one thing that a client may want of an agent.
type step struct {
	name string
	run  func(t *testing.T, r *rig)
}

// TestAgents drives every agent through all of them, in one session. A step that
// fails is followed by a fresh session.
func TestAgents(t *testing.T) {
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			r := start(t, a)
			u := r.ask(t, "", "good morning")
			t.Logf("cold start: serving after %v, ready after %v, the first answer after %v", u.sent.Sub(r.began).Round(time.Millisecond),
				r.log.ready(t).Sub(r.began).Round(time.Millisecond), u.ended.Sub(r.began).Round(time.Millisecond))
			u.answered(t, "ECHO: good morning")
			r.steps(t, []step{
				{"one line", oneLine},
				{"several lines", severalLines},
				{"5000 characters", longPrompt},
				{"slow answer", slowAnswer},
				{"pause", pause},
				{"two turns", twoTurns},
				{"allow", allow},
				{"deny", deny},
				{"cancel", cancel},
				{"model error", modelError},
				{"command characters", commandCharacters},
				{"control characters", controlCharacters},
				{"second message", secondMessage},
			})
			t.Logf("quit: everything was gone after %v", r.stop(t).Round(time.Millisecond))
		})
	}
}

// TestScreenAlone: without hooks the screen is all there is.
func TestScreenAlone(t *testing.T) {
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			r := start(t, a, "--no-hooks")
			r.steps(t, []step{{"one line", oneLine}, {"slow answer", slowAnswer}, {"two turns", twoTurns}, {"allow", allow}, {"cancel", cancel}})
		})
	}
}

// steps takes them one after the other.
func (r *rig) steps(t *testing.T, steps []step) {
	for _, s := range steps {
		ok := t.Run(s.name, func(t *testing.T) {
			s.run(t, r)
			if !r.running() {
				t.Fatal("the sidecar has ended")
			}
		})
		if !ok {
			r.evidence(t)
			r.stop(t)
			r.launch(t)
		}
	}
}

func oneLine(t *testing.T, r *rig) {
	r.ask(t, "", "hello there").answered(t, "ECHO: hello there")
}

func severalLines(t *testing.T, r *rig) {
	const text = "the first line\n  the second is indented\n\nthe fourth: wörld 日本語 🙂\nthe last"
	r.ask(t, "", text).answered(t, "ECHO: "+text)
}

// longPrompt is one line, longer than a terminal in canonical mode would take.
func longPrompt(t *testing.T, r *rig) {
	var b strings.Builder
	for i := 0; b.Len() < 5000; i++ {
		fmt.Fprintf(&b, "word %d of the prompt, ", i)
	}
	text := b.String()[:4999] + "."
	u := r.ask(t, "", text)
	if n := r.model.turns(text); n != 1 {
		t.Errorf("the model got the prompt %d times:\n%s", n, r.model)
	}
	u.answered(t, "ECHO: "+text)
}

// lines are n that can be told apart.
func lines(n int, about string) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("Line %d of %s.\n\n", i+1, about))
	}
	all[n-1] = strings.TrimSpace(all[n-1])
	return all
}

// slowAnswer: what the screen shows is passed on as it appears.
func slowAnswer(t *testing.T, r *rig) {
	r.model.teach("slow", spread(6*time.Second, lines(12, "a slow answer")...))
	u := r.ask(t, "", "SAY:slow please")
	last := r.model.request(t, "SAY:slow please").ended
	var early []time.Duration
	for _, c := range u.chunks {
		if c.text != "" && c.at.Before(last) {
			early = append(early, c.at.Sub(u.sent).Round(10*time.Millisecond))
		}
	}
	t.Logf("%d chunks, those before the model's end after %v", len(u.chunks), early)
	u.answered(t, r.speech("slow"))
	if len(early) < 5 || early[len(early)-1]-early[0] < 2*time.Second {
		t.Errorf("the answer was not streamed: the model took 6 s for 12 lines, chunks came after %v", early)
	}
}

func (r *rig) speech(name string) string {
	r.model.mu.Lock()
	defer r.model.mu.Unlock()
	return r.model.speeches[name].text()
}

// pause: an agent whose model is silent for long has not ended its turn.
func pause(t *testing.T, r *rig) {
	r.model.teach("pause", speech{{text: "Before the pause.\n\n"}, {wait: 10 * time.Second, text: "After the pause."}})
	r.ask(t, "", "SAY:pause please").answered(t, "Before the pause.\n\nAfter the pause.")
}

// twoTurns: the second goes on where the first ended.
func twoTurns(t *testing.T, r *rig) {
	first := r.ask(t, "", "the magic word is abracadabra")
	first.answered(t, "ECHO: the magic word is abracadabra")
	second := r.ask(t, first.contextID, "what was the word?")
	second.answered(t, "ECHO: what was the word?")
	if first.contextID != second.contextID {
		t.Errorf("two contexts: %s and %s", first.contextID, second.contextID)
	}
	if !strings.Contains(r.model.request(t, "what was the word?").body, "abracadabra") {
		t.Error("the agent has forgotten the first turn")
	}
}

// shell asks the agent to make a file in a way that it must ask for, and
// returns the turn with the question.
func (r *rig) shell(t *testing.T, file string) (*turn, *question) {
	t.Helper()
	u := r.ask(t, "", "TOOL:shell touch "+file+r.asks)
	if u.state != a2a.StateAuthRequired {
		t.Fatalf("the task is %s, not auth-required: %q (%s), answer %q; the screen is:\n%s", u.state, u.says(), encode(u.meta), u.text, r.screen())
	}
	if r.exists(file) {
		t.Fatal("the command ran before anybody was asked")
	}
	q := u.question(t)
	t.Logf("it asks %q, %q, %+v", u.says(), q.Detail, q.Options)
	if !strings.Contains(q.Question+q.Detail+u.says(), file) {
		t.Errorf("the question does not say what it is about: %q, %q", q.Question, q.Detail)
	}
	return u, q
}

func (r *rig) exists(file string) bool {
	_, err := os.Stat(filepath.Join(r.work, file))
	return err == nil
}

func allow(t *testing.T, r *rig) {
	u, q := r.shell(t, "allowed.txt")
	u.deliver(t, q.option("allow_once"))
	u.wait(t)
	if u.state != a2a.StateCompleted {
		t.Fatalf("the task is %s: %q (%s); the screen is:\n%s", u.state, u.says(), encode(u.meta), r.screen())
	}
	if !r.exists("allowed.txt") {
		t.Error("the command was allowed and did not run")
	}
	if !strings.Contains(u.text, "TOOLRESULT:") {
		t.Errorf("the answer is %q", u.text)
	}
}

// deny: how the task ends is the agent's business, some stop and some go on.
func deny(t *testing.T, r *rig) {
	u, q := r.shell(t, "denied.txt")
	u.deliver(t, q.option("reject_once"))
	u.wait(t)
	t.Logf("the task is %s: %q, answer %q", u.state, u.says(), u.text)
	if !u.state.Terminal() {
		t.Errorf("the task is %s", u.state)
	}
	if r.exists("denied.txt") {
		t.Error("the command was denied and ran")
	}
	r.ask(t, "", "after the denial").answered(t, "ECHO: after the denial")
}

func cancel(t *testing.T, r *rig) {
	r.model.teach("long", spread(time.Minute, lines(60, "a long answer")...))
	u := r.begin(t, "", "SAY:long please")
	u.until(t, func() bool { return strings.Contains(u.text, "Line 2 ") })
	if u.state.Terminal() {
		t.Fatalf("the task is %s: %q", u.state, u.says())
	}
	asked := time.Now()
	ctx, stop := context.WithTimeout(context.Background(), deadline)
	defer stop()
	task, err := r.client.Cancel(ctx, &a2a.CancelRequest{ID: u.task})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(asked)
	t.Logf("canceled after %v", took.Round(time.Millisecond))
	if task.Status.State != a2a.StateCanceled || took > 6*time.Second {
		t.Errorf("the task is %s after %v (%s)", task.Status.State, took, encode(task.Metadata))
	}
	if !r.model.request(t, "SAY:long please").broken {
		t.Error("the agent listens to the model still")
	}
	r.ask(t, "", "after the cancel").answered(t, "ECHO: after the cancel")
}

// modelError: the agent's own error is no answer that goes missing, and no end.
func modelError(t *testing.T, r *rig) {
	u := r.ask(t, "", "FAIL:400")
	if u.state != a2a.StateFailed || u.says() == "" {
		t.Errorf("the task is %s: %q, answer %q", u.state, u.says(), u.text)
	}
	r.ask(t, "", "after the error").answered(t, "ECHO: after the error")
}
