package agents_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
)

// TestOneshot: the same agents, a process for each message.
func TestOneshot(t *testing.T) {
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) {
			r := startWith(t, a, a.oneshot, "--mode", "oneshot")
			const text = "the first line\n\nthe third: wörld 日本語"
			u := r.ask(t, "", text)
			if u.state != a2a.StateCompleted || strings.TrimSpace(u.text) != "ECHO: "+text {
				t.Errorf("the task is %s: %q; the answer is %q", u.state, u.says(), u.text)
			}
			r.tmp = "" // what a process that is the operator's own choice leaves there is the operator's
		})
	}
}

// TestTwoContexts: what one context says never reaches the other.
func TestTwoContexts(t *testing.T) {
	r := start(t, agentNamed(t, "claude-2.1.328"), "--sessions", "2")
	t.Run("both", func(t *testing.T) {
		for name, other := range map[string]string{"ours": "theirs", "theirs": "ours"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for i := range 5 {
					text := fmt.Sprintf("secret of %s, number %d", name, i)
					r.ask(t, "context-"+name, text).answered(t, "ECHO: "+text)
					if body := r.model.request(t, text).body; strings.Contains(body, "secret of "+other) {
						t.Errorf("the model of %s got what %s said", name, other)
					} else if i > 0 && !strings.Contains(body, "secret of "+name+", number 0") {
						t.Errorf("%s has forgotten its first turn", name)
					}
				}
			})
		}
	})
}

// TestHundredTurns: none is lost, none doubled, and the sidecar does not grow.
func TestHundredTurns(t *testing.T) {
	const turns = 100
	r := start(t, agentNamed(t, "claude-2.1.328"), "--keep-bytes", "640KiB") // those that are kept take memory
	var sizes []int
	began := time.Now()
	for i := range turns {
		text := fmt.Sprintf("turn number %d of many", i)
		r.ask(t, "", text).answered(t, "ECHO: "+text)
		sizes = append(sizes, resident(t, r.cmd.Process.Pid))
	}
	for i := range turns {
		if n := r.model.turns(fmt.Sprintf("turn number %d of many", i)); n != 1 {
			t.Errorf("the model got turn %d %d times", i, n)
		}
	}
	early, late := slices.Max(sizes[10:30]), slices.Max(sizes[turns-20:])
	t.Logf("%d turns in %v; the sidecar takes %d KiB after 10, %d KiB after 30 and %d KiB after %d turns",
		turns, time.Since(began).Round(time.Millisecond), sizes[10], sizes[29], sizes[turns-1], turns)
	if late > early+2<<10 {
		t.Errorf("the sidecar has grown from %d to %d KiB", early, late)
	}
}

// TestOverhead prints how long a turn takes beyond its agent's own time: from
// the last thing by which the agent tells that it has ended, as the sidecar's
// log has it, to the end of the task. What a client sees is printed beside it.
func TestOverhead(t *testing.T) {
	for _, a := range agents() {
		t.Run(a.name, func(t *testing.T) { overhead(t, a, 50*time.Millisecond) })
	}
	t.Run("screen alone", func(t *testing.T) {
		overhead(t, agentNamed(t, "claude-2.1.197"), 1500*time.Millisecond, "--no-hooks")
	})
}

func overhead(t *testing.T, a agent, budget time.Duration, flags ...string) {
	r := start(t, a, flags...)
	var seen, took []time.Duration
	var meta string
	for i := range 8 {
		// An answer of some length, so that no agent ends before it is seen at work.
		name := fmt.Sprintf("speech-%d", i)
		r.model.teach(name, spread(time.Second, lines(5, name)...))
		prompt := "SAY:" + name + " please"
		u := r.ask(t, "", prompt)
		u.answered(t, r.speech(name))
		seen, meta = append(seen, u.ended.Sub(r.model.request(t, prompt).ended)), encode(u.meta)
		took = append(took, r.log.overhead(t, u.task))
	}
	slices.Sort(seen)
	slices.Sort(took)
	median := took[len(took)/2]
	t.Logf("agent's end → task completed: median %v, %v … %v, budget %v; model's last byte → client: median %v, %v … %v; %s",
		median, took[0], took[len(took)-1], budget, seen[len(seen)/2].Round(time.Millisecond), seen[0].Round(time.Millisecond), seen[len(seen)-1].Round(time.Millisecond), meta)
	if median > budget {
		t.Error("that is over the budget")
	}
	if seen[0] < 0 {
		t.Error("a turn ended before the model did")
	}
}

// overhead is the time from the last mark of an agent to the end of a task. The
// log may tell of that a moment after the client was told.
func (j *journal) overhead(t *testing.T, task string) time.Duration {
	t.Helper()
	late := time.After(deadline)
	for {
		j.mu.Lock()
		text, more := j.text.String(), j.more
		j.mu.Unlock()
		if took, ok := sinceMark(t, text, task); ok {
			return took
		}
		select {
		case <-more:
		case <-late:
			t.Fatalf("the log has no mark of the agent's before an end of task %s", task)
		}
	}
}

// entry is a line of the sidecar's log.
type entry struct {
	Time                    time.Time
	Msg, Event, State, Task string
	Final                   bool
}

func entries(t *testing.T, log string) []entry {
	t.Helper()
	var all []entry
	for line := range strings.Lines(log) {
		var e entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, e)
	}
	return all
}

func sinceMark(t *testing.T, log, task string) (time.Duration, bool) {
	t.Helper()
	var mark time.Time
	for _, e := range entries(t, log) {
		switch {
		case e.Msg == "a hook reports" && e.Final, e.Msg == "the agent's terminal tells" && (e.Event == "title" || e.Event == "status done"):
			mark = e.Time
		case e.Msg == "task ended" && e.Task == task:
			return e.Time.Sub(mark).Round(100 * time.Microsecond), !mark.IsZero()
		}
	}
	return 0, false
}

// ready is when the agent was seen to be ready for the first time.
func (j *journal) ready(t *testing.T) time.Time {
	t.Helper()
	for _, e := range entries(t, j.String()) {
		if e.Msg == "the agent's state" && e.State == "ready" {
			return e.Time
		}
	}
	t.Errorf("the agent was never ready:\n%s", j)
	return time.Time{}
}
