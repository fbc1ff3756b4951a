package delegation_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/delegation"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
)

func message(order string) *a2a.Message {
	m := &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}}
	if order != "" {
		m.Metadata = a2a.Metadata{delegation.URI: json.RawMessage(order)}
	}
	return m
}

// begin makes a task of a message with an order, "" for none.
func begin(t *testing.T, o delegation.Options, order string) *delegation.Work {
	t.Helper()
	r := delegation.New(o)
	m := message(order)
	start, err := r.Accept(m)
	if err != nil {
		t.Fatal(err)
	}
	one := task.NewRegistry(task.Options{}).Create("", "", m, nil)
	start(one)
	return r.Of(one)
}

func TestOrdersThatCannotBeRead(t *testing.T) {
	for order, want := range map[string]string{
		`7`:                                   "json: cannot unmarshal number",
		`{}`:                                  "depth is from 1 to 100, and maxDepth from 0 to 100",
		`{"depth":1,"maxDepth":101}`:          "depth is from 1 to 100",
		`{"depth":-1,"maxDepth":1}`:           "depth is from 1 to 100",
		`{"depth":1,"maxDepth":1,"allow":[]}`: `json: unknown field "allow"`,
		`{"depth":1,"maxDepth":1,"budget":{"calls":-1}}`:                                          "a budget is not below 0",
		`{"depth":1,"maxDepth":1,"budget":{"timeMs":9223372036854775807}}`:                        "timeMs is more than 292 years",
		`{"depth":1,"maxDepth":1,"deny":[{"rules":[{"permission":"Bad Name","action":"deny"}]}]}`: "is no permission",
		`{"depth":1,"maxDepth":1,"deny":[7]}`:                                                     "deny/0",
		`{"depth":1,"maxDepth":1} 2`:                                                              "there is something after it",
		`{"depth":1,"maxDepth":1,"parent":{"task":"` + strings.Repeat("x", 300<<10) + `"}}`:       "it is longer than 272KiB",
	} {
		_, err := delegation.New(delegation.Options{}).Accept(message(order))
		var wire *a2a.Error
		if !errors.As(err, &wire) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), delegation.URI) {
			t.Errorf("%.80s: %v, want %s", order, err, want)
		}
	}
}

func TestDepth(t *testing.T) {
	for _, c := range []struct {
		own   int
		order string
		want  string
	}{
		{2, "", "1 of 2"},
		{0, "", "this task was given on 0 times, which is as deep as it goes: do the work yourself"},
		{3, `{"depth":2,"maxDepth":3}`, "3 of 3"},
		{3, `{"depth":1,"maxDepth":2}`, "2 of 2"}, // the sender's is the smaller one
		{3, `{"depth":3,"maxDepth":9}`, "this task was given on 3 times, which is as deep as it goes: do the work yourself"},
		{3, `{"depth":1,"maxDepth":1}`, "this task was given on 1 time, which is as deep as it goes: do the work yourself"},
	} {
		o, _, err := begin(t, delegation.Options{Depth: c.own, Children: 1}, c.order).Give(nil)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = fmt.Sprintf("%d of %d", o.Depth, o.MaxDepth)
		}
		if got != c.want {
			t.Errorf("%d, %s: %s, want %s", c.own, c.order, got, c.want)
		}
	}
}

// The smaller limit of the settings' and of the order's holds, what was used counts, and so does what children report.
func TestBudget(t *testing.T) {
	w := begin(t, delegation.Options{Budget: delegation.NewBudget(9, 1, 0), Depth: 9, Children: 2}, `{"depth":1,"maxDepth":9,"budget":{"calls":4}}`)
	for range 2 {
		if err := w.Take(); err != nil {
			t.Fatal(err)
		}
	}
	o, end, err := w.Give(nil)
	if err != nil || *o.Budget.Calls != 1 || *o.Budget.CostUSD != 0.5 || o.Budget.TimeMS != nil {
		t.Fatalf("%+v, %v goes down", o, err)
	}
	end(&delegation.Used{Calls: 1, CostUSD: 0.5})
	if err := w.Take(); err != nil {
		t.Error(err)
	}
	const used = "the task's budget of 4 tool calls is used up: go on without tools, and say what is left to do"
	if err := w.Take(); err == nil || err.Error() != used || w.Spent() == nil {
		t.Errorf("%v, want %s", err, used)
	}
	if n, ok := delegation.ReadNote(w.Task().Snapshot(nil, false).Metadata); !ok || n.Calls != 4 || n.CostUSD != 0.5 {
		t.Errorf("the task says %+v", n)
	}
	w = begin(t, delegation.Options{Budget: delegation.NewBudget(0, 0.25, 0)}, "")
	w.Task().SetMetadata("sv.cost.usd", json.RawMessage("0.25"))
	const cost = "the task's budget of 0.25 USD is used up: go on without tools, and say what is left to do"
	if err := w.Take(); err == nil || err.Error() != cost {
		t.Errorf("%v, want %s", err, cost)
	}
}

// Children that say that they have used more than a number holds do not give their parent its budget back.
func TestBudgetOfLiars(t *testing.T) {
	w := begin(t, delegation.Options{Budget: delegation.NewBudget(9, 1, 0), Depth: 9, Children: 3}, "")
	var ends []func(*delegation.Used)
	for range 3 {
		_, end, err := w.Give(nil)
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, end)
	}
	for i, end := range ends {
		end(&delegation.Used{Calls: math.MaxInt64, CostUSD: math.MaxFloat64})
		n, ok := delegation.ReadNote(w.Task().Snapshot(nil, false).Metadata)
		if !ok || n.Calls < math.MaxInt64/4 || n.CostUSD < math.MaxFloat64/4 || w.Take() == nil || w.Spent() == nil {
			t.Errorf("after %d: %+v, %v", i+1, n, w.Spent())
		}
	}
	if left := w.Left(); *left.Calls != 0 || *left.CostUSD != 0 {
		t.Errorf("%d calls, %v USD are left", *left.Calls, *left.CostUSD)
	}
}

// Children that run at once, and their parent, never have more together than the budget, however they begin and end. What a child has not
// used comes back; of one that cannot be asked all counts.
func TestChildrenAtOnceShareTheBudget(t *testing.T) {
	const calls, cost = 20, 1.0
	w := begin(t, delegation.Options{Budget: delegation.NewBudget(calls, cost, 0), Depth: 1, Children: 100}, "")
	var mu sync.Mutex
	var given delegation.Used
	var ends []func(*delegation.Used)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			o, end, err := w.Give(nil)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			given.Calls += *o.Budget.Calls
			given.CostUSD += *o.Budget.CostUSD
			ends = append(ends, end)
		})
	}
	all.Wait()
	if given.Calls != calls || given.CostUSD > cost || len(ends) != 5 {
		t.Errorf("%d children have %d calls and %v USD of %d and %v", len(ends), given.Calls, given.CostUSD, calls, cost)
	}
	const gone = "the rest of the task's budget was given to sub-agents that run: wait for one to end, or go on without tools"
	if _, _, err := w.Give(nil); err == nil || err.Error() != gone {
		t.Errorf("%v, want %s", err, gone)
	}
	if err := w.Take(); err == nil || err.Error() != gone || w.Used() != (delegation.Used{}) {
		t.Errorf("%v, want %s; %+v is used", err, gone, w.Used())
	}
	for _, end := range ends {
		end(&delegation.Used{Calls: 1})
	}
	if left := w.Left(); *left.Calls != calls-5 || *left.CostUSD != cost {
		t.Errorf("%d calls, %v USD are left", *left.Calls, *left.CostUSD)
	}
	_, end, err := w.Give(nil)
	if err != nil {
		t.Fatal(err)
	}
	end(nil)
	if left := w.Left(); *left.Calls != 7 || *left.CostUSD != cost/2 {
		t.Errorf("after one that cannot be asked: %d calls, %v USD are left", *left.Calls, *left.CostUSD)
	}
}

func TestNumber(t *testing.T) {
	w := begin(t, delegation.Options{Depth: 1, Children: 2}, "")
	ends := make([]func(*delegation.Used), 2)
	for i := range ends {
		var err error
		if _, ends[i], err = w.Give(nil); err != nil {
			t.Fatal(err)
		}
	}
	const full = "2 sub-agents of this task run already, which is the limit: wait for one to end, or cancel one"
	if _, _, err := w.Give(nil); err == nil || err.Error() != full {
		t.Errorf("%v, want %s", err, full)
	}
	ends[0](&delegation.Used{})
	if _, _, err := w.Give(nil); err != nil {
		t.Error(err)
	}
}

// At the end of its time the work is stopped, by the shorter of two limits.
func TestTimeEndsTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		w := begin(t, delegation.Options{Budget: delegation.NewBudget(0, 0, time.Hour)}, `{"depth":1,"maxDepth":1,"budget":{"timeMs":60000}}`)
		<-w.Task().Context().Done()
		cause := context.Cause(w.Task().Context())
		if took := time.Since(began); took != time.Minute || !errors.Is(cause, task.ErrDeadline) || cause.Error() != "the task's budget of 1m0s is used up" {
			t.Errorf("stopped after %s: %v", took, cause)
		}
	})
}

// A task's metadata lists its children, and those that have ended make room.
func TestChildrenAreListed(t *testing.T) {
	w := begin(t, delegation.Options{}, "")
	for i := range 60 {
		state := a2a.StateCompleted
		if i == 0 {
			state = a2a.StateWorking
		}
		w.Tell(delegation.Child{ID: fmt.Sprint(i), Agent: "a", State: state})
	}
	w.Tell(delegation.Child{ID: "59", Agent: "a", State: a2a.StateFailed})
	n, _ := delegation.ReadNote(w.Task().Snapshot(nil, false).Metadata)
	if len(n.Children) != 50 || n.Children[0].ID != "0" || n.Children[49].State != a2a.StateFailed {
		t.Errorf("%d children, %+v", len(n.Children), n.Children)
	}
}
