package call_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/call"
	"github.com/a2a-sidecar/sidecar/sidecar/task"
	core "github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// offering serves tools of the sidecar's own.
func offering(t testing.TB, names ...string) func(*call.Options) {
	t.Helper()
	set, err := core.NewSet(names)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *call.Options) {
		o.Tools = set
		o.Surface = func(*call.Request) *manifest.Snapshot { return set.Snapshot() }
	}
}

const twoQuestions = `{"questions":[{"question":"Which?","header":"Color","options":[{"label":"Red","description":"warm"},{"label":"Blue"}]},{"question":"Why?"}]}`

// answered answers a task's question and says how that was taken.
func answered(t *task.Task, parts ...a2a.Part) string {
	if err := t.Answer(&a2a.Message{Role: a2a.RoleUser, Parts: parts}); err != nil {
		return err.Error()
	}
	return ""
}

// A question asks in its own task with all that there is to read; an answer that does not fit is an error
// of its sender's, and the question stays.
func TestQuestionAsksInItsTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "", nil, offering(t, "question"))
		inv := r.p.Start(call.Request{Tool: "question", Arguments: json.RawMessage(twoQuestions)})
		synctest.Wait()
		reply := inv.Reply()
		if reply.Status != 202 || !strings.Contains(string(reply.Envelope), `"tool":"core.question"`) {
			t.Fatalf("%d %s", reply.Status, reply.Envelope)
		}
		shown := inv.Task().Snapshot(nil, false)
		if shown.Status.State != a2a.StateInputRequired {
			t.Fatalf("the task is %s", shown.Status.State)
		}
		parts := shown.Status.Message.Parts
		if len(parts) != 2 || parts[0].Text != "1. Color: Which?\n  - Red: warm\n  - Blue\n\n2. Why?" ||
			string(parts[1].Data) != `{"questions":[{"question":"Which?","header":"Color","options":[{"label":"Red","description":"warm"},{"label":"Blue"}]},{"question":"Why?"}]}` {
			t.Errorf("%q %s", parts[0].Text, parts[1].Data)
		}
		for words, want := range map[string]string{
			"Red":                            "there are 2 questions",
			`{"answers":[["Green"],["x"]]}`:  `/answers/0: "Green" is none of the options: "Red" or "Blue"`,
			`{"answers":[["Red"],["x"],[]]}`: "/answers has 3 of 2 lists",
		} {
			err := inv.Task().Answer(&a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(words)}})
			if !errors.Is(err, a2a.ErrInvalidParams) || !strings.Contains(err.Error(), want) || !inv.Task().Asking() {
				t.Errorf("%s: %v", words, err)
			}
		}
		if err := answered(inv.Task(), a2a.DataPart([]byte(`{"answers":[["red"],["because"]]}`))); err != "" {
			t.Fatal(err)
		}
		e := r.ended(inv).is("final", a2a.StateCompleted, 200)
		if string(e.env.Data) != `{"answers":[["Red"],["because"]]}` {
			t.Errorf("%s", e.env.Data)
		}
	})
}

// One question is one that every client knows: it has options, and is answered by a label.
func TestOneQuestionHasOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "", nil, offering(t, "question"))
		inv := r.p.Start(call.Request{Tool: "question", Arguments: json.RawMessage(`{"questions":[{"question":"Which?","options":[{"label":"Red","description":"warm"},{"label":"Blue"}]}]}`)})
		synctest.Wait()
		parts := inv.Task().Snapshot(nil, false).Status.Message.Parts
		if !strings.HasSuffix(string(parts[1].Data), `"options":[{"id":"Red","label":"Red: warm"},{"id":"Blue","label":"Blue"}]}`) {
			t.Errorf("%s", parts[1].Data)
		}
		asked := inv.Task().Snapshot(nil, false).Status.Message.ID
		if err := inv.Task().AnswerQuestion(asked, &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("Blue")}}); err != nil {
			t.Fatalf("it grants nothing: %v", err)
		}
		if e := r.ended(inv); string(e.env.Data) != `{"answers":[["Blue"]]}` {
			t.Errorf("%s", inv.Envelope())
		}
	})
}

// A call of the agent's asks the client of its turn, after what is asked there already.
func TestQuestionOfTheAgentAsksInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, "", nil, offering(t, "question"))
		work := r.tasks.Create("ann", "x", &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("go")}}, nil)
		ask := func(question string) *call.Invocation {
			inv := r.p.Start(call.Request{Tool: "question", Agent: true, Within: work, Caller: "ann", ContextID: "x", Arguments: json.RawMessage(`{"questions":[{"question":"` + question + `"}]}`)})
			synctest.Wait()
			return inv
		}
		first, second := ask("First?"), ask("Second?")
		for i, inv := range []*call.Invocation{first, second} {
			if s := inv.Task().State(); s.Interrupted() || s.Terminal() {
				t.Errorf("the call's own task is %s", s)
			}
			if says := inv.Task().Snapshot(nil, false).Status.Message; says == nil || says.Parts[0].Text != "waiting for an answer in task "+work.ID() {
				t.Errorf("the call's own task says %+v", says)
			}
			if err := answered(work, a2a.TextPart([]string{"one", "two"}[i])); err != "" {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		for i, inv := range []*call.Invocation{first, second} {
			if want := `{"answers":[["` + []string{"one", "two"}[i] + `"]]}`; string(r.ended(inv).env.Data) != want {
				t.Errorf("%s, want %s", inv.Envelope(), want)
			}
		}
		if work.Asking() {
			t.Error("the turn asks still")
		}
	})
}

// How a question ends that nobody answers.
func TestQuestionWithoutAnAnswer(t *testing.T) {
	for _, c := range []struct {
		name    string
		tweak   func(*call.Options)
		request call.Request
		then    func(inv *call.Invocation)
		outcome string
		state   a2a.TaskState
		text    string
	}{
		{"headless", func(o *call.Options) { o.Headless = true }, call.Request{}, nil, "failed", a2a.StateFailed, core.ErrAskNobody.Error()},
		{"an agent without a turn", nil, call.Request{Agent: true}, nil, "failed", a2a.StateFailed, core.ErrAskNobody.Error()},
		{"in time", func(o *call.Options) { o.AskTimeout = time.Minute }, call.Request{}, func(*call.Invocation) { time.Sleep(time.Minute) }, "failed", a2a.StateFailed, core.ErrAskTimeout.Error()},
		{"declined", nil, call.Request{}, func(inv *call.Invocation) { answered(inv.Task(), a2a.DataPart([]byte(`{"action":"decline"}`))) }, "failed", a2a.StateFailed, core.ErrAskDeclined.Error()},
		{"canceled", nil, call.Request{}, func(inv *call.Invocation) { inv.Task().Cancel(task.ErrCanceled) }, "canceled", a2a.StateCanceled, "canceled"},
		{"out of the call's time", nil, call.Request{Timeout: time.Second}, func(*call.Invocation) { time.Sleep(time.Second) }, "timed_out", a2a.StateFailed, "the time limit of 1s was reached"},
	} {
		synctest.Test(t, func(t *testing.T) {
			tweak := c.tweak
			if tweak == nil {
				tweak = func(*call.Options) {}
			}
			r := newRig(t, "", nil, offering(t, "question"), tweak)
			c.request.Tool, c.request.Arguments = "core.question", json.RawMessage(twoQuestions)
			inv := r.p.Start(c.request)
			synctest.Wait()
			if c.then != nil {
				if !inv.Task().Asking() {
					t.Fatalf("%s: it asks nothing: %s", c.name, inv.Envelope())
				}
				c.then(inv)
			}
			e := r.ended(inv)
			if inv.Outcome().String() != c.outcome || e.task.Status.State != c.state || !strings.Contains(e.text(), c.text) || inv.Task().Asking() {
				t.Errorf("%s: %s, %s", c.name, e.task.Status.State, inv.Envelope())
			}
		})
	}
}

// finder finds tools and remembers for whom.
type finder struct{ caller string }

func (f finder) Search(_ context.Context, query string, _ int) ([]core.Found, error) {
	return []core.Found{{Name: "acme." + query, Description: f.caller}}, nil
}
func (f finder) Load(context.Context, []string) ([]core.Definition, error) { return nil, nil }

// The search is that of the one who calls.
func TestToolSearchIsTheCallers(t *testing.T) {
	r := newRig(t, "", nil, offering(t, "tool_search"), func(o *call.Options) {
		o.Finder = func(r *call.Request) core.Finder { return finder{r.Caller} }
	})
	e := r.ended(r.p.Start(call.Request{Tool: "tool_search", Caller: "ann", Arguments: json.RawMessage(`{"query":"x"}`)}))
	if string(e.env.Data) != `{"tools":[{"name":"acme.x","description":"ann"}]}` || e.env.Metadata.Tool != "core.tool_search" {
		t.Errorf("%s", e.inv.Envelope())
	}
}
