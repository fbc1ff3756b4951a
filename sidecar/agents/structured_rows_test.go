package agents_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// promptRow: a message is answered.
func promptRow(t *testing.T, r *rig, s *subject) {
	s.said(t, r.ask(t, "", "hello there"), "ECHO: hello there")
}

// streamRow: the answer comes while the model says it.
func streamRow(t *testing.T, r *rig, s *subject) {
	r.model.teach("slow", spread(2*time.Second, lines(8, "a slow answer")...))
	u := r.ask(t, "", "SAY:slow please")
	last, early := r.model.request(t, "SAY:slow please").ended, 0
	for _, c := range u.chunks {
		if c.text != "" && c.at.Before(last) {
			early++
		}
	}
	s.said(t, u, r.speech("slow"))
	if early < 4 {
		t.Errorf("%d of %d chunks came before the model's end", early, len(u.chunks))
	}
}

// asksFor has the agent ask for a command, and returns the turn with the question.
func (r *rig) asksFor(t *testing.T, file string) (*turn, *question) {
	t.Helper()
	u := r.ask(t, "", "TOOL:shell touch "+file+r.asks)
	if u.state != a2a.StateAuthRequired {
		t.Fatalf("the task is %s, not auth-required: %q (%s), answer %q", u.state, u.says(), encode(u.meta), u.text)
	}
	q := u.question(t)
	if r.exists(file) {
		t.Error("the command ran before anybody was asked")
	}
	if !strings.Contains(encode(u.said.Parts)+u.says(), file) {
		t.Errorf("the question does not say what it is about: %q, %s", u.says(), encode(u.said.Parts))
	}
	return u, q
}

func allowRow(t *testing.T, r *rig, s *subject) {
	u, q := r.asksFor(t, "allowed.txt")
	u.deliver(t, q.option("allow_once"))
	u.wait(t)
	if u.state != a2a.StateCompleted || !strings.Contains(u.text, "TOOLRESULT:") || !r.exists("allowed.txt") {
		t.Errorf("the task is %s: %q, answer %q; the command ran: %v", u.state, u.says(), u.text, r.exists("allowed.txt"))
	}
}

// rejectRow: how the task ends is the agent's business.
func rejectRow(t *testing.T, r *rig, s *subject) {
	u, q := r.asksFor(t, "rejected.txt")
	u.deliver(t, q.option("reject_once"))
	u.wait(t)
	t.Logf("the task is %s: %q, answer %q", u.state, u.says(), u.text)
	if !u.state.Terminal() || r.exists("rejected.txt") {
		t.Errorf("the task is %s; the command ran: %v", u.state, r.exists("rejected.txt"))
	}
	s.said(t, r.ask(t, "", "after the rejection"), "ECHO: after the rejection")
}

// ruleRow: a rule answers, and nobody is asked.
func ruleRow(t *testing.T, r *rig, s *subject) {
	u := r.ask(t, "", "TOOL:shell touch ruled-yes.txt"+r.asks)
	if u.state != a2a.StateCompleted || !r.exists("ruled-yes.txt") {
		t.Errorf("the task is %s: %q, answer %q; the allowed command ran: %v", u.state, u.says(), u.text, r.exists("ruled-yes.txt"))
	}
	u = r.ask(t, "", "TOOL:shell touch ruled-no.txt"+r.asks)
	if !u.state.Terminal() || r.exists("ruled-no.txt") {
		t.Errorf("the task is %s: %q, answer %q; the denied command ran: %v", u.state, u.says(), u.text, r.exists("ruled-no.txt"))
	}
}

// canceled cancels a task and expects that soon.
func (u *turn) canceled(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithTimeout(context.Background(), deadline)
	defer stop()
	asked := time.Now()
	task, err := u.r.client.Cancel(ctx, &a2a.CancelRequest{ID: u.task})
	if err != nil {
		t.Fatal(err)
	}
	took := time.Since(asked)
	t.Logf("canceled after %v", took.Round(time.Millisecond))
	if task.Status.State != a2a.StateCanceled || took > 6*time.Second {
		t.Errorf("the task is %s after %v (%s)", task.Status.State, took, encode(task.Metadata))
	}
}

func cancelRow(t *testing.T, r *rig, s *subject) {
	r.model.teach("long", spread(time.Minute, lines(60, "a long answer")...))
	u := r.begin(t, "", "SAY:long please")
	u.until(t, func() bool { return strings.Contains(u.text, "Line 2 ") })
	if u.state.Terminal() {
		t.Fatalf("the task is %s: %q", u.state, u.says())
	}
	u.canceled(t)
	if !r.model.request(t, "SAY:long please").broken {
		t.Error("the agent listens to the model still")
	}
	s.said(t, r.ask(t, u.contextID, "after the cancel"), "ECHO: after the cancel")
}

func cancelAskedRow(t *testing.T, r *rig, s *subject) {
	u, _ := r.asksFor(t, "canceled.txt")
	u.canceled(t)
	s.said(t, r.ask(t, u.contextID, "after the canceled question"), "ECHO: after the canceled question")
	if r.exists("canceled.txt") {
		t.Error("the command ran all the same")
	}
}

// contextsRow: what one context says never reaches another, and each goes on where it was.
func contextsRow(t *testing.T, r *rig, s *subject) {
	for i := range 2 {
		for _, name := range []string{"ours", "theirs"} {
			text := fmt.Sprintf("secret of %s, number %d", name, i)
			s.said(t, r.ask(t, "context-"+name, text), "ECHO: "+text)
			body := r.model.request(t, text).body
			if other := map[string]string{"ours": "theirs", "theirs": "ours"}[name]; strings.Contains(body, "secret of "+other) {
				t.Errorf("the model of %s got what %s said", name, other)
			}
			if i > 0 && !strings.Contains(body, "secret of "+name+", number 0") {
				t.Errorf("%s has forgotten its first turn", name)
			}
		}
	}
}

// resumeRow: a sidecar that was killed and started again goes on with the conversation.
func resumeRow(t *testing.T, r *rig, s *subject) {
	s.said(t, r.ask(t, "context-kept", "the magic word is abracadabra"), "ECHO: the magic word is abracadabra")
	r.relaunch(t)
	s.said(t, r.ask(t, "context-kept", "what was the word?"), "ECHO: what was the word?")
	if !strings.Contains(r.model.request(t, "what was the word?").body, "abracadabra") {
		t.Error("the agent has forgotten the turn before the restart")
	}
}

// relaunch kills the sidecar and starts another one.
func (r *rig) relaunch(t *testing.T) {
	t.Helper()
	before := r.before
	agent := descendants(r.cmd.Process.Pid)
	if err := r.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-r.done
	for _, pid := range agent { // an agent that lives on without its sidecar is not ours to judge here
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	r.excuse("")
	r.launch(t)
	r.before = before
}

func modelErrorRow(t *testing.T, r *rig, s *subject) {
	u := r.ask(t, "", "FAIL:400")
	t.Logf("the task is %s: %q", u.state, u.says())
	if u.state != a2a.StateFailed || u.says() == "" {
		t.Errorf("the task is %s: %q, answer %q", u.state, u.says(), u.text)
	}
	s.said(t, r.ask(t, "", "after the error"), "ECHO: after the error")
}

// killRow: an agent that is gone in mid-turn has failed, and another one takes the next message.
func killRow(t *testing.T, r *rig, s *subject) {
	r.model.teach("long", spread(time.Minute, lines(60, "a long answer")...))
	u := r.begin(t, "", "SAY:long please")
	u.until(t, func() bool { return strings.Contains(u.text, "Line 2 ") })
	r.killAgent(t)
	u.wait(t)
	r.excuse("sidecar-")
	t.Logf("the task is %s: %q", u.state, u.says())
	if u.state != a2a.StateFailed || u.says() == "" {
		t.Errorf("the task is %s: %q", u.state, u.says())
	}
	s.said(t, r.ask(t, "", "after the kill"), "ECHO: after the kill")
}

// mixedCount is how many messages mixedRow sends.
const mixedCount = 20

// mixedRow: messages of every length and kind get exactly their answers, and the model gets each once.
func mixedRow(t *testing.T, r *rig, s *subject) {
	w := newWriter(7)
	w.n = 500
	_ = os.WriteFile(r.work+"/x", nil, 0o600) // for what names a file
	for range mixedCount {
		text := w.message()
		u := r.ask(t, "", text)
		if s.commands && strings.HasPrefix(text, "/") && (u.state == a2a.StateCompleted && u.text != "" || strings.Contains(u.says(), "begins with a slash")) {
			continue // taken for a command: it is not lost in silence
		}
		if want := "ECHO: " + strings.TrimSpace(text); u.state != a2a.StateCompleted || u.text != want {
			t.Errorf("%.60q: the task is %s: %q (%s); the answer is\n%.300q and not\n%.300q", text, u.state, u.says(), encode(u.meta), u.text, want)
		} else if n := r.model.turns(strings.TrimSpace(text)); n != 1 {
			t.Errorf("the model got %.60q %d times", text, n)
		}
	}
}
