package turn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/await"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

func TestSessionSharesItsConversation(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := session(t, "python3", "-q")
	r.ask("x = 5")
	got := r.end(r.sendTo("other", "x"))
	want(t, got, a2a.StateCompleted, "5")
	if meta(got.Metadata, "sharedSession") != "true" {
		t.Errorf("metadata %v, want sharedSession", got.Metadata)
	}
	if got := r.ask("x"); meta(got.Metadata, "sharedSession") != "" {
		t.Errorf("metadata %v of the session's own context", got.Metadata)
	}
}

func TestSessionEnds(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := session(t, "python3", "-q")
	k := r.send("print('last words'); import os; os._exit(3)")
	got := r.end(k)
	want(t, got, a2a.StateFailed, "last words")
	if !strings.Contains(status(got), "exit status 3") {
		t.Errorf("status says %q", status(got))
	}
	within(t, r.Exited(), "the agent's end")
	if r.Exit().Status() != 3 {
		t.Errorf("exit %s", r.Exit())
	}
	if r.Ready() == nil {
		t.Error("ready without an agent")
	}
}

func TestSessionHintsAtOneshot(t *testing.T) {
	t.Parallel()
	r := silent(t, sh(`read x; echo "answer to $x"`)...)
	got := r.ask("it")
	want(t, got, a2a.StateFailed, "answer to it")
	if !strings.Contains(status(got), "--mode oneshot") {
		t.Errorf("status says %q", status(got))
	}
}

func TestSessionRestarts(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.Restart = turn.ModePTY, []string{"python3", "-q"}, turn.RestartOnFailure
	})
	r.ask("x = 1")
	if got := r.ask("import os; os._exit(1)"); got.Status.State != a2a.StateFailed {
		t.Errorf("task is %s", got.Status.State)
	}
	got := r.ask("'x' in dir()")
	want(t, got, a2a.StateCompleted, "False")
	if meta(got.Metadata, "newSession") != "true" {
		t.Errorf("metadata %v, want newSession", got.Metadata)
	}
	if got := r.ask("1"); meta(got.Metadata, "newSession") != "" {
		t.Errorf("metadata %v of the second turn", got.Metadata)
	}
	r.ask("exit()")
	within(t, r.Exited(), "the end after success")
}

// TestRestartGivenUpTellsTheLastEnd: a drain between two processes ends with
// the code of the one that was.
func TestRestartGivenUpTellsTheLastEnd(t *testing.T) {
	t.Parallel()
	ended := make(chan string, 8)
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.Restart = turn.ModePTY, sh("exit 3"), turn.RestartAlways
		o.SessionEnded = func(contextID string) { ended <- contextID }
	})
	if got := await.One(t, ended, "what has ended"); got != "" {
		t.Errorf("the session of %q is told to have ended, of one that all contexts share", got)
	}
	eventually(t, "the pause", func() bool { return strings.Contains(r.log.String(), "restarted") })
	r.Drain(t.Context(), 0)
	if got := r.Exit().Status(); got != 3 {
		t.Errorf("exit %d, want 3", got)
	}
}

func TestSessionsPerContext(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.Sessions = turn.ModePTY, []string{"python3", "-q"}, 2
	})
	for _, id := range []string{"a", "b"} {
		want(t, r.end(r.sendTo(id, "x = '"+id+"'")), a2a.StateCompleted, "")
	}
	want(t, r.end(r.sendTo("b", "x")), a2a.StateCompleted, "'b'")
	got := r.end(r.sendTo("a", "x"))
	want(t, got, a2a.StateCompleted, "'a'")
	if meta(got.Metadata, "newSession")+meta(got.Metadata, "sharedSession") != "" {
		t.Errorf("metadata %v", got.Metadata)
	}
	// A third context takes the place of the longest idle, b.
	want(t, r.end(r.sendTo("c", "'x' in dir()")), a2a.StateCompleted, "False")
	want(t, r.end(r.sendTo("a", "x")), a2a.StateCompleted, "'a'")
	got = r.end(r.sendTo("b", "'x' in dir()"))
	want(t, got, a2a.StateCompleted, "False")
	if meta(got.Metadata, "newSession") != "true" {
		t.Errorf("metadata %v, want newSession", got.Metadata)
	}
}

func TestSessionIdleCloses(t *testing.T) {
	t.Parallel()
	needs(t, "python3")
	ended := make(chan string, 8)
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command, o.Sessions, o.SessionIdle = turn.ModePTY, []string{"python3", "-q"}, 2, 50*time.Millisecond
		o.SessionEnded = func(contextID string) { ended <- contextID }
	})
	r.end(r.sendTo("a", "x = 1"))
	if got := await.One(t, ended, "what has ended"); got != "a" {
		t.Errorf("the session of %q is told to have ended", got)
	}
	eventually(t, "the session to be closed", func() bool { return strings.Contains(r.log.String(), "the agent ended") })
	if got := r.end(r.sendTo("a", "'x' in dir()")); meta(got.Metadata, "newSession") != "true" {
		t.Errorf("metadata %v, want newSession", got.Metadata)
	}
}

func TestSessionSpeaksOverTheChannel(t *testing.T) {
	t.Parallel()
	// A line-reading agent that says by itself when it is done: neither the
	// silence before nor a prompt ends its turn.
	self, _ := os.Executable()
	r := newRig(t, func(o *turn.Options) {
		withChannel(t, o)
		o.Mode, o.StartQuiet = turn.ModePTY, 200*time.Millisecond
		o.Command = sh(`while read -r l; do `+Program+`=1 "$1" agent say; echo "got $l"; `+Program+`=1 "$1" agent done "" "over" "" 0; done`, self)
	})
	got := r.ask("it")
	want(t, got, a2a.StateCompleted, "got it")
	if status(got) != "over" || artifact(got, "report") == nil || meta(got.Metadata, "inferred") != "" {
		t.Errorf("status %q, artifacts %v, metadata %v", status(got), got.Artifacts, got.Metadata)
	}
}

func TestSessionEnvironmentAndOutbox(t *testing.T) {
	t.Parallel()
	r := session(t, sh(`printf '> '; while read -r l; do echo "$TERM ${LINES-no} $SIDECAR_TASK_ID"; echo "$l" > "$SIDECAR_OUTBOX/note.txt"; printf '> '; done`)...)
	for _, text := range []string{"one", "two"} {
		got := r.ask(text)
		want(t, got, a2a.StateCompleted, "xterm-256color no ")
		if a := artifact(got, "note.txt"); a == nil || partsText(a.Parts) != text+"\n" {
			t.Errorf("artifacts %v", got.Artifacts)
		}
	}
}

func TestSessionDrainStopsTheAgent(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pid")
	r := newRig(t, func(o *turn.Options) {
		o.Mode, o.Command = turn.ModePTY, sh(`trap "" TERM HUP; echo $$ > "$1"; printf '> '; read l; echo started; while :; do sleep 0.1; done`, pidFile)
		o.CancelGrace = 200 * time.Millisecond
	})
	k := r.send("go")
	r.said(k, "started")
	drained := make(chan struct{})
	go func() { r.Drain(t.Context(), 100*time.Millisecond); close(drained) }()
	within(t, drained, "the drain")
	got := k.Snapshot(nil, true)
	want(t, got, a2a.StateFailed, "started")
	if status(got) != "shutting down" || alive(readPID(t, pidFile)) {
		t.Errorf("status %q", status(got))
	}
}
