package tool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// sub is a task of another agent.
type sub struct {
	mu       sync.Mutex
	status   tool.SubStatus
	text     string
	changed  chan struct{}
	canceled bool
}

func newSub(st tool.SubStatus, text string) *sub {
	st.ID, st.Agent = "t1", "helper"
	return &sub{status: st, text: text, changed: make(chan struct{})}
}

func (s *sub) Status() tool.SubStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

func (s *sub) Text(from int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text[from:]
}

func (s *sub) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// goes on with more text, and another status.
func (s *sub) goes(text string, st tool.SubStatus) {
	s.mu.Lock()
	defer s.mu.Unlock()
	st.ID, st.Agent = "t1", "helper"
	s.text, s.status = s.text+text, st
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *sub) Cancel(context.Context) {
	s.mu.Lock()
	s.canceled = true
	s.mu.Unlock()
	s.goes("", tool.SubStatus{State: tool.SubCanceled, Ended: true, Fault: "it was canceled"})
}

// helpers are agents of which there is one task.
type helpers struct {
	sub   *sub
	given *tool.SubWork
}

func (h helpers) Start(_ context.Context, w tool.SubWork) (tool.SubTask, error) {
	if w.Agent != "helper" {
		return nil, fmt.Errorf("there is no agent %q; there are helper", w.Agent)
	}
	*h.given = w
	return h.sub, nil
}

func (h helpers) Find(id string) (tool.SubTask, error) {
	if id != "t1" {
		return nil, errors.New("no task with this id")
	}
	return h.sub, nil
}

func TestTask(t *testing.T) {
	completed := tool.SubStatus{State: tool.SubCompleted, Ended: true, ContextID: "c1"}
	working := tool.SubStatus{State: tool.SubWorking, Said: "reads"}
	for _, c := range []struct {
		name, args string
		status     tool.SubStatus
		text       string
		want       string // what it says, or its error after "error: "
	}{
		{"sync", `{"agent":"helper","prompt":"x"}`, completed, "an ünswer\r\n", "an ünswer\r\n\n\n[task t1 of the agent helper: completed; context c1]"},
		{"failed", `{"agent":"helper","prompt":"x"}`, tool.SubStatus{State: tool.SubFailed, Ended: true, Fault: "no money"}, "half", "error: task t1 of the agent helper: failed: no money"},
		{"rejected", `{"agent":"helper","prompt":"x"}`, tool.SubStatus{State: tool.SubRejected, Ended: true}, "", "error: task t1 of the agent helper: rejected"},
		{"unheld", `{"agent":"helper","prompt":"x"}`, tool.SubStatus{State: tool.SubCompleted, Ended: true, Unheld: true}, "a",
			"a\n\n[task t1 of the agent helper: completed; this agent does not know of the rules and the budget of your task, so they did not hold there]"},
		{"background", `{"agent":"helper","prompt":"x","background":true,"description":"d","context":"c"}`, working, "",
			`The agent helper works on task t1. Read it with {"task":"t1"}, wait for it with {"task":"t1","wait":60}, stop it with {"task":"t1","cancel":true}.`},
		{"read", `{"task":"t1"}`, working, "so far", "[task t1 of the agent helper: working]\nso far"},
		{"asks", `{"task":"t1"}`, tool.SubStatus{State: tool.SubAsking, Question: "why?"}, "", "[task t1 of the agent helper: waits for a person's answer: why?]\n"},
		{"wait, ended", `{"task":"t1","wait":5}`, completed, "all", "[task t1 of the agent helper: completed; context c1]\nall"},
		{"wait in vain", `{"task":"t1","wait":1}`, working, "half", "[task t1 of the agent helper: working]\nhalf"},
		{"cancel", `{"task":"t1","cancel":true}`, working, "half", "[task t1 of the agent helper: canceled: it was canceled]\nhalf"},
		{"unknown task", `{"task":"t2"}`, working, "", "error: no task with this id"},
		{"unknown agent", `{"agent":"x","prompt":"x"}`, working, "", `error: there is no agent "x"; there are helper`},
		{"both", `{"task":"t1","agent":"helper"}`, working, "", "error: give agent and prompt to begin a task, or task to ask about one that was begun, not both"},
		{"cancel of nothing", `{"cancel":true}`, working, "", "error: cancel and wait are about a task that was begun before: name it with task"},
		{"wait and cancel", `{"task":"t1","wait":1,"cancel":true}`, working, "", "error: give cancel or wait, not both: a task that is canceled is waited for"},
		{"nothing", `{}`, working, "", "error: agent is missing: name one of those in the tool's description, or task to ask about one that was begun"},
		{"no prompt", `{"agent":"helper","prompt":" \n"}`, working, "", "error: prompt is missing: say all that the agent needs to know, because it sees nothing of this conversation"},
		{"unknown argument", `{"agent":"helper","prompt":"x","subagent_type":"y"}`, working, "", "error: invalid arguments: "},
		{"wait too long", `{"task":"t1","wait":601}`, working, "", "error: invalid arguments: /wait"},
		{"huge", `{"agent":"helper","prompt":"` + strings.Repeat("x", 200_001) + `"}`, working, "", "error: invalid arguments: /prompt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				one := newSub(c.status, c.text)
				_, err := called(t, "task", c.args, &tool.Call{Out: &out, Agents: helpers{one, new(tool.SubWork)}})
				got := out.String()
				if err != nil {
					got = "error: " + err.Error()
				}
				if invalid := strings.HasPrefix(c.want, "error: invalid"); got != c.want && !(invalid && strings.HasPrefix(got, c.want)) {
					t.Errorf("%.300s\nwant %s", got, c.want)
				}
			})
		})
	}
	if _, err := called(t, "task", `{"agent":"a","prompt":"x"}`, &tool.Call{}); err == nil || err.Error() != "there are no agents here to give work to: do it yourself" {
		t.Error(err)
	}
}

// A task's words come as it says them, what it does is told, and the end of the call cancels it.
func TestTaskIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := newSub(tool.SubStatus{State: tool.SubWorking}, "a")
		var out strings.Builder
		var said []string
		task, _ := offered(t, "task")
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error)
		go func() {
			_, err := task.Run(ctx, &tool.Call{Args: []byte(`{"agent":"helper","prompt":"x"}`), Out: &out, Agents: helpers{one, new(tool.SubWork)}, Say: func(s string) { said = append(said, s) }})
			ended <- err
		}()
		synctest.Wait()
		one.goes("b", tool.SubStatus{State: tool.SubWorking, Said: "reads"})
		synctest.Wait()
		one.goes("c", tool.SubStatus{State: tool.SubWorking, Said: "reads"})
		synctest.Wait()
		if out.String() != "abc" || strings.Join(said, ";") != "helper: reads" {
			t.Errorf("%q %q", out.String(), said)
		}
		why := errors.New("stopped")
		cancel(why)
		if err := <-ended; !errors.Is(err, why) || !one.canceled {
			t.Errorf("%v, canceled %t", err, one.canceled)
		}
	})
}

// The definition names the agents that there are, and without any there is no such tool.
func TestTaskNamesItsAgents(t *testing.T) {
	s, err := tool.NewSet([]string{"task", "todo"})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.SnapshotFor(nil).Tools()); n != 1 {
		t.Errorf("%d tools without an agent", n)
	}
	snap := s.SnapshotFor([]tool.AgentName{{Name: "a", Description: "does a"}, {Name: "b"}})
	one, ok := snap.Lookup("core.task")
	if !ok || !strings.HasSuffix(one.Description, "The agents:\n- a: does a\n- b") || len(snap.Tools()) != 2 {
		t.Fatalf("%+v", one)
	}
	for args, want := range map[string]bool{`{"agent":"a","prompt":"x"}`: true, `{"agent":"c","prompt":"x"}`: false} {
		if _, err := snap.Validate(t.Context(), "core.task", []byte(args)); (err == nil) != want {
			t.Errorf("%s: %v", args, err)
		}
	}
}
