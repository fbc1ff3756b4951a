package face_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/face"
)

// A Backend that has the search tool itself has the only one, by both of its names: what it loads is
// listed from then on.
func TestTheBackendsOwnSearch(t *testing.T) {
	b := newToolset("tool_search")
	b.searches, b.hidden = true, []face.Tool{tool("acme.paint"), tool("acme.draw")}
	var called []string
	b.call = func(_ context.Context, c *face.Call) (*face.Result, error) {
		called = append(called, c.Name)
		return output(`{"loaded":[{"name":"acme.paint"}]}`), nil
	}
	c := connect(t, b, "2025-11-25", face.Options{}, nil)
	listed := func() (names []string) {
		l, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range l.Tools {
			names = append(names, one.Name)
		}
		return names
	}
	if got := listed(); !slices.Equal(got, []string{"tool_search"}) {
		t.Errorf("listed %q", got)
	}
	for _, name := range []string{"tool_search", "core.tool_search"} {
		if res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{"load": []string{"acme.paint"}}}); err != nil || res.IsError {
			t.Fatal(res, err)
		}
	}
	if got := listed(); !slices.Equal(got, []string{"tool_search", "acme.paint"}) || len(called) != 2 {
		t.Errorf("listed %q after %q", got, called)
	}
	// Where the Backend offers none, and lists none, because it is denied: there is no other one.
	b.change(func() { b.always = nil })
	if got := listed(); !slices.Equal(got, []string{"acme.paint"}) {
		t.Errorf("listed %q", got)
	}
}

// asks makes a call ask a question of the tool question, and returns what was answered.
func asks(b *toolset, data string) (answered chan string) {
	answered = make(chan string, 1)
	b.call = func(_ context.Context, c *face.Call) (*face.Result, error) {
		var track face.Tracker
		state := track.See(&a2a.Event{Status: &a2a.StatusUpdate{Status: a2a.Status{State: a2a.StateInputRequired, Message: &a2a.Message{
			ID: "m", Parts: []a2a.Part{a2a.TextPart("Well?"), a2a.DataPart([]byte(data))},
		}}}})
		said := make(chan string, 1)
		state.Question = state.ToolQuestion(func(_ context.Context, _, answer string) error {
			said <- answer
			return nil
		})
		c.Heed(state)
		answered <- <-said
		return output(`{}`), nil
	}
	return answered
}

// Several questions are one form; what comes back is one answer for all, and a no is one too.
func TestQuestionsAreAForm(t *testing.T) {
	const two = `{"questions":[{"question":"Color?","header":"Paint","options":[{"label":"Red"},{"label":"Blue"}]},{"question":"Sizes?","options":[{"label":"S"},{"label":"L"}],"multi_select":true},{"question":"Why?"}]}`
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		for _, one := range []struct {
			data, action string
			content      map[string]any
			properties   string
			want         string
		}{
			{two, "accept", map[string]any{"answer_01": "Blue", "answer_02": "S, L", "answer_03": "so"}, `"answer_01":{"description":"Color?","enum":["Red","Blue"],"enumNames":["Red","Blue"],"title":"Paint","type":"string"},` +
				`"answer_02":{"description":"Sizes? (any number of these, with commas: S, L)","title":"Sizes?","type":"string"},"answer_03":{"description":"Why?","title":"Why?","type":"string"}`,
				`{"answers":[["Blue"],["S, L"],["so"]]}`},
			{two, "decline", nil, "answer_03", `{"action":"decline"}`},
			{`{"questions":[{"question":"Why?"}]}`, "accept", map[string]any{"answer": "so"}, `"answer":{"title":"Answer","type":"string"}`, "so"},
			{`{"questions":[{"question":"Color?","options":[{"label":"Red"}]}],"options":[{"id":"Red","label":"Red: warm"}]}`, "accept", map[string]any{"answer": "Red"}, `"enumNames":["Red: warm"]`, "Red"},
			{`{"questions":[{"question":"Color?","options":[{"label":"Red"}]}],"options":[{"id":"Red","label":"Red: warm"}]}`, "decline", nil, "", `{"action":"decline"}`},
		} {
			b := newToolset("question")
			answered := asks(b, one.data)
			var shown string
			c := connect(t, b, revision, face.Options{}, &mcp.ClientOptions{ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				schema, err := json.Marshal(r.Params.RequestedSchema)
				shown = string(schema)
				return &mcp.ElicitResult{Action: one.action, Content: one.content}, err
			}})
			if res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "question"}); err != nil || res.IsError {
				t.Fatalf("%s: %+v, %v", revision, res, err)
			}
			if diff := cmp.Diff(one.want, <-answered); diff != "" || !strings.Contains(sortedJSON(t, shown), one.properties) {
				t.Errorf("%s %s %s: %s\n%s", revision, one.action, one.data, diff, shown)
			}
		}
	}
}

// sortedJSON returns a value with its keys in their order.
func sortedJSON(t *testing.T, s string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
