package turn_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

func TestBurstIsBounded(t *testing.T) {
	t.Parallel()
	// Each process notes how many run beside it.
	dir := t.TempDir()
	r := newRig(t, func(o *turn.Options) {
		o.Command = sh(`mkdir "$1/$$"; ls "$1" | wc -l; rmdir "$1/$$"`, dir)
		o.MaxConcurrency, o.Queue = 3, 50
	})
	var taken []*task.Task
	busy := 0
	for i := range 200 {
		k, err := r.post(fmt.Sprintf("ctx-%d", i), a2a.TextPart("x"))
		switch {
		case err == nil:
			taken = append(taken, k)
		case errors.Is(err, a2a.ErrBusy):
			busy++
		default:
			t.Fatal(err)
		}
	}
	if len(taken) < 53 || busy == 0 {
		t.Errorf("%d taken, %d busy", len(taken), busy)
	}
	for _, k := range taken {
		got := r.end(k)
		if got.Status.State != a2a.StateCompleted {
			t.Fatalf("task is %s: %s", got.Status.State, status(got))
		}
		if n := strings.TrimSpace(answer(got)); n > "3" {
			t.Errorf("%s processes at once", n)
		}
	}
}

func TestTurnsOfOneContextComeInOrder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "order")
	r := command(t, sh(`cat >> "$1"`, file)...)
	var all []*task.Task
	var wanted strings.Builder
	for i := range 20 {
		all = append(all, r.sendTo("same", fmt.Sprintf("%d ", i)))
		fmt.Fprintf(&wanted, "%d ", i)
	}
	for _, k := range all {
		r.end(k)
	}
	if got, _ := os.ReadFile(file); string(got) != wanted.String() {
		t.Errorf("order %q", got)
	}
}

func TestOtherContextsDoNotWait(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	r := command(t, sh(`read what; case $what in wait) read x < "$1";; esac; echo "$what"`, string(g))...)
	first := r.sendTo("a", "wait\n")
	second := r.sendTo("a", "two\n")
	want(t, r.end(r.sendTo("b", "other\n")), a2a.StateCompleted, "other\n")
	if s := second.State(); s != a2a.StateSubmitted {
		t.Errorf("the second turn of the context is %s", s)
	}
	g.open(t)
	want(t, r.end(first), a2a.StateCompleted, "wait\n")
	want(t, r.end(second), a2a.StateCompleted, "two\n")
}

func TestBusyLeavesAContinuedTaskWaiting(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	r := newRig(t, func(o *turn.Options) {
		withChannel(t, o)
		self, _ := os.Executable()
		o.Command = sh(`read what; case $what in wait) read x < "$2";; *) `+Program+`=1 "$1" agent done TASK_STATE_INPUT_REQUIRED "and?" "" 0;; esac`, self, string(g))
		o.MaxConcurrency, o.Queue = 1, 1
	})
	k := r.send("ask\n")
	r.until(k, a2a.TaskState.Interrupted)
	blocker := r.send("wait\n")
	r.until(blocker, func(s a2a.TaskState) bool { return s == a2a.StateWorking })
	filler := r.send("ask\n")
	more := &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("more\n")}}
	if err := r.Submit(k, turn.Request{Next: more}); !errors.Is(err, a2a.ErrBusy) {
		t.Errorf("busy: %v", err)
	}
	if got := k.Snapshot(nil, true); got.Status.State != a2a.StateInputRequired || status(got) != "and?" || len(got.History) != 2 {
		t.Errorf("the task is %s, says %q and has %d messages", got.Status.State, status(got), len(got.History))
	}
	filler.Cancel(task.ErrCanceled)
	g.open(t)
	r.end(blocker)
}

func TestQueuedTaskIsCanceledAtOnce(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	r := command(t, sh(`read x < "$1"`, string(g))...)
	first := r.sendTo("a", "x")
	second := r.sendTo("a", "x")
	second.Cancel(task.ErrCanceled)
	want(t, r.end(second), a2a.StateCanceled, "")
	g.open(t)
	want(t, r.end(first), a2a.StateCompleted, "")
}

func TestDrain(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(o *turn.Options) {
		o.Command = sh(`trap "" TERM; echo started; while :; do sleep 0.1; done`)
		o.CancelGrace = 200 * time.Millisecond
	})
	running := r.sendTo("a", "x")
	queued := r.sendTo("a", "x")
	r.said(running, "started")
	drained := make(chan struct{})
	go func() { r.Drain(t.Context(), 100*time.Millisecond); close(drained) }()
	within(t, drained, "the drain")
	got := queued.Snapshot(nil, false)
	if got.Status.State != a2a.StateRejected || !strings.Contains(status(got), "not started") {
		t.Errorf("the queued task is %s (%q)", got.Status.State, status(got))
	}
	got = running.Snapshot(nil, true)
	want(t, got, a2a.StateFailed, "started\n")
	if status(got) != "shutting down" {
		t.Errorf("status says %q", status(got))
	}
	if _, err := r.post("b", a2a.TextPart("x")); !errors.Is(err, a2a.ErrUnavailable) {
		t.Errorf("after the drain: %v", err)
	}
	if r.Ready() == nil {
		t.Error("ready after the drain")
	}
}

func TestDrainLetsShortWorkEnd(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	r := command(t, sh(`echo started; read x < "$1"; echo ended`, string(g))...)
	k := r.send("x")
	r.said(k, "started")
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		r.Drain(t.Context(), patience)
	}()
	eventually(t, "the drain to begin", func() bool { return r.Ready() != nil })
	g.open(t)
	within(t, drained, "the drain")
	want(t, k.Snapshot(nil, true), a2a.StateCompleted, "started\nended\n")
}

func TestSignalReachesRunningProcesses(t *testing.T) {
	t.Parallel()
	r := command(t, sh(`trap 'echo usr1; exit 0' USR1; echo started; while :; do sleep 0.05; done`)...)
	k := r.send("x")
	r.said(k, "started")
	r.Signal(usr1)
	want(t, r.end(k), a2a.StateCompleted, "started\nusr1\n")
}

func TestOneshotCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script, out string
		isError     bool
	}{
		{`cat; printf " %s %s" "$SIDECAR_TOOL" "$SIDECAR_CALL_ID"`, `{"a":1} acme.echo call-1`, false},
		{`echo before; echo '{"toolResult":{"id":"call-1","content":"hi"}}'`, "hi", false},
		{`echo '{"toolResult":{"id":"other","content":"hi"}}'`, `{"toolResult":{"id":"other","content":"hi"}}` + "\n", false},
		{`echo out; echo why >&2; exit 4`, "out\n", true},
	} {
		got, err := command(t, sh(c.script)...).call("acme.echo", `{"a":1}`)
		if err != nil || string(got.Output) != c.out || got.IsError != c.isError {
			t.Errorf("%s: %q %v %v", c.script, got.Output, got.IsError, err)
		}
		if c.isError && (got.Exit.Code != 4 || got.Stderr.Text() != "why\n") {
			t.Errorf("exit %v, stderr %q", got.Exit, got.Stderr.Text())
		}
	}
}
