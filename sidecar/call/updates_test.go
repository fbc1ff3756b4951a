package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/policy"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/driver"
)

var errCanceled = task.ErrCanceled

func TestUpdatesOfACall(t *testing.T) {
	r := newRig(t, execTool("acme.say", "", "tool:say", "hällo"), nil, withHost(t))
	inv, f := r.follow(call.Request{ID: "c-7", Tool: "acme.say", Arguments: json.RawMessage(`{"a": [1]}`)})
	events := f.all()
	if events[0].Task == nil || events[0].Task.Status.State != a2a.StateSubmitted {
		t.Fatalf("the first event is the submitted task, not %+v", events[0])
	}
	var words, live []string
	for _, e := range events[1:] {
		if u := toolCall(t, e); u != nil {
			words = append(words, u.Status)
			live = append(live, u.Live)
			if u.ID != "c-7" || u.Tool != "acme.say" || string(u.Input) != `{"a":[1]}` {
				t.Errorf("toolCall object %+v", u)
			}
		}
	}
	if got := strings.Join(words, " "); got != "EXECUTING EXECUTING SUCCEEDED" || strings.Join(live, "") != "hällo" {
		t.Errorf("updates %s, live %q", got, live)
	}
	last := events[len(events)-1]
	if last.State() != a2a.StateCompleted {
		t.Errorf("the last event is %+v", last)
	}
	a := events[len(events)-2].Artifact
	if a == nil || a.Artifact.ID != "result" || a.Artifact.Name != "result" || a.Artifact.Parts[0].Kind != a2a.PartData ||
		string(a.Artifact.Parts[0].Data) != string(inv.Envelope()) || a.Artifact.Extensions[0] != call.ExtensionURI {
		t.Errorf("before it the result: %+v", a)
	}
}

func TestUpdatesEndWithTheOutcome(t *testing.T) {
	r := newRig(t, execTool("acme.fail", "", "tool:fail")+","+execTool("acme.silent", "", "tool:silent"), nil, withHost(t))
	_, f := r.follow(call.Request{Tool: "acme.fail"})
	events := f.all()
	if u := toolCall(t, events[len(events)-1]); u == nil || u.Status != "FAILED" {
		t.Errorf("last update %+v", u)
	}
	if m := events[len(events)-1].Status.Status.Message; m == nil || !strings.Contains(m.Parts[0].Text, "exit status 3") {
		t.Errorf("a failure is explained: %+v", m)
	}
	inv, f := r.follow(call.Request{Tool: "acme.silent"})
	f.next(status(t, "EXECUTING"))
	inv.Task().Cancel(task.ErrCanceled)
	events = f.all()
	if u := toolCall(t, events[len(events)-1]); u == nil || u.Status != "CANCELLED" {
		t.Errorf("last update %+v", u)
	}
}

// A large input is not repeated in each update, and live content comes in
// pieces that leave runes whole.
func TestUpdatesAreBounded(t *testing.T) {
	reg := manifest.NewRegistry()
	r := newRig(t, tool("acme.agent", `{}`), reg, withAgent(func(_ context.Context, c driver.Call) (driver.CallResult, error) {
		all := []byte(strings.Repeat("ü\x01", 20_000)) // 60,000 bytes
		for len(all) > 0 {
			n := min(len(all), 4095)
			c.Output(all[:n])
			all = all[n:]
		}
		return driver.CallResult{}, nil
	}))
	args := fmt.Sprintf(`{"a":%q}`, strings.Repeat("x", 100_000))
	_, f := r.follow(call.Request{Tool: "acme.agent", Arguments: json.RawMessage(args)})
	var live strings.Builder
	for _, e := range f.all() {
		u := toolCall(t, e)
		if u == nil {
			continue
		}
		if n := len(e.Status.Metadata[call.ExtensionURI]); n > 64<<10 {
			t.Errorf("an update of %d bytes", n)
		}
		if string(u.Input) != fmt.Sprintf(`{"truncated":true,"bytes":%d}`, len(args)) {
			t.Fatalf("input parameters %.80s", u.Input)
		}
		live.WriteString(u.Live)
	}
	if live.String() != strings.Repeat("ü\x01", 20_000) {
		t.Errorf("live content is not the output: %d bytes", live.Len())
	}
}

// What the agent does to its arguments changes nothing for others.
func TestInputsAreKeptApart(t *testing.T) {
	const sent = ` { "b" : 1,  "a":"x" } `
	var seen, judged string
	r := newRig(t, tool("acme.agent", `{}`), nil, withAgent(func(_ context.Context, c driver.Call) (driver.CallResult, error) {
		seen = string(c.Arguments)
		for i := range c.Arguments {
			c.Arguments[i] = '#'
		}
		return driver.CallResult{}, nil
	}), func(o *call.Options) {
		o.Decider = deciderFunc(func(q policy.Request) policy.Decision {
			judged = q.Arguments
			return policy.Decision{Verdict: policy.Allow}
		})
	})
	model := []byte(sent)
	_, f := r.follow(call.Request{Tool: "acme.agent", Arguments: model})
	for _, e := range f.all() {
		if u := toolCall(t, e); u != nil && string(u.Input) != `{"b":1,"a":"x"}` {
			t.Errorf("observable input %s", u.Input)
		}
	}
	if judged != `{"b":1,"a":"x"}` || seen != `{"b":1,"a":"x"}` || string(model) != sent {
		t.Errorf("permission %s, final %s, model %s", judged, seen, model)
	}
}

func TestDoorsWithoutAMessageLeaveOneInTheHistory(t *testing.T) {
	r := newRig(t, tool("acme.agent", `{}`), nil)
	for args, want := range map[string]string{
		`{ "a":1 }`: `{"toolCall":{"id":"c","name":"acme.agent","arguments":{"a":1}}}`,
		" \n":       `{"toolCall":{"id":"c","name":"acme.agent","arguments":{}}}`,
		`{"a`:       `{"toolCall":{"id":"c","name":"acme.agent","arguments":"{\"a"}}`,
	} {
		e := r.ended(r.p.Start(call.Request{ID: "c", Tool: "acme.agent", ContextID: "ctx", Arguments: json.RawMessage(args)}))
		if m := e.task.History[0]; string(m.Parts[0].Data) != want || m.ContextID != "ctx" || e.task.ContextID != "ctx" {
			t.Errorf("history %s in context %s", m.Parts[0].Data, m.ContextID)
		}
	}
}
