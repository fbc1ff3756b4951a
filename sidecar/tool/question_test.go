package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/a2a-sidecar/sidecar/manifest"
	"github.com/a2a-sidecar/sidecar/sidecar/tool"
)

// offered returns one of the sidecar's tools, and what checks its arguments.
func offered(t *testing.T, id string) (*tool.Tool, *manifest.Snapshot) {
	t.Helper()
	s, err := tool.NewSet([]string{id})
	if err != nil {
		t.Fatal(err)
	}
	return s.Lookup(tool.Prefix + id), s.Snapshot()
}

// called runs a tool as the pipeline does: after its arguments were checked.
func called(t *testing.T, id, args string, c *tool.Call) (*tool.Result, error) {
	t.Helper()
	one, snap := offered(t, id)
	if _, err := snap.Validate(t.Context(), one.Definition.Name, json.RawMessage(args)); err != nil {
		return nil, err
	}
	c.Args = json.RawMessage(args)
	return one.Run(t.Context(), c)
}

// person answers every question by a text, as ReadAnswers reads it.
type person struct {
	says  string
	err   error
	asked *[]tool.Question
}

func (p person) Ask(_ context.Context, all []tool.Question) ([][]string, error) {
	if p.asked != nil {
		*p.asked = all
	}
	if p.err != nil {
		return nil, p.err
	}
	return tool.ReadAnswers(all, nil, p.says)
}

func TestQuestion(t *testing.T) {
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	var labels []string
	for i := range tool.MaxOptions + 1 {
		labels = append(labels, fmt.Sprintf(`{"label":"l%d"}`, i))
	}
	const which = `{"questions":[{"question":"Which?","options":[{"label":"Red","description":"warm"},{"label":"Blau, hell"}]}]}`
	for _, c := range []struct {
		name, args string
		by         tool.Asker
		want, err  string
	}{
		{"in words", `{"questions":[{"question":"Name?"}]}`, person{says: " Zoë <b> \n"}, `{"answers":[["Zoë <b>"]]}`, ""},
		{"a label", which, person{says: "Red"}, `{"answers":[["Red"]]}`, ""},
		{"a label in another case", which, person{says: "blau, HELL"}, `{"answers":[["Blau, hell"]]}`, ""},
		{"the number of a label", which, person{says: "2"}, `{"answers":[["Blau, hell"]]}`, ""},
		{"several at once", `{"questions":[{"question":"A?"},{"question":"B?","options":[{"label":"x"},{"label":"y"}],"multi_select":true}]}`,
			person{says: `{"answers":[["1"],["y","x"]]}`}, `{"answers":[["1"],["y","x"]]}`, ""},
		{"none of many", `{"questions":[{"question":"B?","options":[{"label":"x"}],"multi_select":true}]}`, person{says: `{"answers":[[]]}`}, `{"answers":[[]]}`, ""},
		{"many in one line", `{"questions":[{"question":"B?","options":[{"label":"x"},{"label":"y"}],"multi_select":true}]}`, person{says: "y, x,y"}, `{"answers":[["y","x"]]}`, ""},
		{"controls are taken out", `{"questions":[{"question":"\u001b[2JReally?\u202e","header":"a\nb"}]}`, person{says: "no\u001b"}, `{"answers":[["no"]]}`, ""},
		{"nobody", which, nil, "", "nobody can be asked: go on with your best guess, and say what you have assumed"},
		{"nobody in time", which, person{err: tool.ErrAskTimeout}, "", "nobody has answered in time: go on with your best guess, and say what you have assumed"},
		{"declined", which, person{says: "decline"}, "", "the person does not want to answer: go on without it, or end here"},
		{"stopped", which, person{err: context.Canceled}, "", "context canceled"},
		{"no question", `{"questions":[]}`, person{}, "", "/questions"},
		{"too many questions", `{"questions":[` + many(tool.MaxQuestions+1, `{"question":"?"}`) + `]}`, person{}, "", "/questions"},
		{"the most questions", `{"questions":[` + many(tool.MaxQuestions, `{"question":"?"}`) + `]}`, person{says: `{"answers":[` + many(tool.MaxQuestions, `["a"]`) + `]}`},
			`{"answers":[` + many(tool.MaxQuestions, `["a"]`) + `]}`, ""},
		{"too many options", `{"questions":[{"question":"?","options":[` + strings.Join(labels, ",") + `]}]}`, person{}, "", "/questions/0/options"},
		{"too long", `{"questions":[{"question":"` + strings.Repeat("ü", 2001) + `"}]}`, person{}, "", "/questions/0/question"},
		{"as long as may be", `{"questions":[{"question":"` + strings.Repeat("ü", 2000) + `"}]}`, person{says: "a"}, `{"answers":[["a"]]}`, ""},
		{"empty", `{"questions":[{"question":"ok?"},{"question":" \u0007 "}]}`, person{}, "", "/questions/1: question is empty: write what you want to know"},
		{"the same label twice", `{"questions":[{"question":"?","options":[{"label":"a"},{"label":"A "}]}]}`, person{}, "",
			`/questions/0: /options/1: the label "A" is there twice: two options must have two labels`},
		{"many of nothing", `{"questions":[{"question":"?","multi_select":true}]}`, person{}, "",
			"/questions/0: multi_select is about options, and there are none: add options, or leave multi_select out"},
		{"a property that nobody knows", `{"questions":[{"question":"?","preview":"x"}]}`, person{}, "", "preview"},
	} {
		res, err := called(t, "question", c.args, &tool.Call{Asker: c.by})
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %s", c.name, err, c.err)
			}
		case err != nil || string(res.Data) != c.want:
			t.Errorf("%s: %v, %+v, want %s", c.name, err, res, c.want)
		}
	}
	var asked []tool.Question
	if _, err := called(t, "question", `{"questions":[{"question":"\u001b[2JReally?\u202e","header":"a\nb"}]}`, &tool.Call{Asker: person{says: "y", asked: &asked}}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(asked[0].Question+asked[0].Header, "\x1b\u202e\n") {
		t.Errorf("what is shown has controls: %+q", asked[0].Question+asked[0].Header)
	}
}

// A person's answer counts if it fits; else the error says what does.
func TestReadAnswers(t *testing.T) {
	color := tool.Question{Question: "Color?", Options: []tool.QuestionOption{{Label: "Red"}, {Label: "2"}, {Label: "decline"}}}
	sizes := tool.Question{Question: "Sizes?", MultiSelect: true, Options: []tool.QuestionOption{{Label: "S"}, {Label: "M, L"}}}
	words := tool.Question{Question: "Why?"}
	for _, c := range []struct {
		all         []tool.Question
		data, words string
		want        [][]string
		err         string
	}{
		{[]tool.Question{words}, "", "because", [][]string{{"because"}}, ""},
		{[]tool.Question{words}, "", `{"a":1}`, [][]string{{`{"a":1}`}}, ""},
		{[]tool.Question{words}, `{"answers":[["because"]]}`, "not this", [][]string{{"because"}}, ""},
		{[]tool.Question{words}, "", "decline", [][]string{{"decline"}}, ""},
		{[]tool.Question{words}, "", strings.Repeat("a", 17<<10), nil, "the text has 17408 bytes, and 16384 are the most"},
		{[]tool.Question{words}, "", " \n", nil, `there is no answer: answer in words, or with {"answers":[["…"]]} as a data part or a text`},
		{[]tool.Question{words}, `{"answers":[[]]}`, "", nil, "/answers/0: one text is wanted"},
		{[]tool.Question{words}, `{"answers":["because"]}`, "", nil, "the answer cannot be read"},
		{[]tool.Question{words}, `[]`, "", nil, "the answer cannot be read"},
		{[]tool.Question{words}, `{"action":"cancel"}`, "", nil, tool.ErrAskDeclined.Error()},
		{[]tool.Question{words}, `{"action":"explode"}`, "", nil, "/answers has 0 of 1 lists"},
		{[]tool.Question{color}, "", "2", [][]string{{"2"}}, ""}, // a label is before a number
		{[]tool.Question{color}, "", "decline", [][]string{{"decline"}}, ""},
		{[]tool.Question{color}, "", "cancel", nil, tool.ErrAskDeclined.Error()},
		{[]tool.Question{color}, "", "green", nil, `"green" is none of the options: "Red", "2" or "decline"`},
		{[]tool.Question{color}, `{"answers":[["Red","2"]]}`, "", nil, `/answers/0: one of the options is wanted: "Red", "2" or "decline"`},
		{[]tool.Question{color}, `{"answers":[[]]}`, "", nil, "/answers/0: one of the options is wanted"},
		{[]tool.Question{sizes}, "", "s\nm, l", [][]string{{"S"}}, `"m" is none`},
		{[]tool.Question{sizes}, "", "m, l", [][]string{{"M, L"}}, ""},
		{[]tool.Question{sizes}, "", "1,2", [][]string{{"S", "M, L"}}, ""},
		{[]tool.Question{words, sizes}, "", "both", nil, `there are 2 questions: answer with {"answers":[["…"],["…"]]} as a data part or a text, a list for each question in their order`},
		{[]tool.Question{words, sizes}, "", "decline", nil, tool.ErrAskDeclined.Error()},
		{[]tool.Question{words, sizes}, `{"answers":[["a"]]}`, "", nil, "/answers has 1 of 2 lists"},
	} {
		var data json.RawMessage
		if c.data != "" {
			data = json.RawMessage(c.data)
		}
		got, err := tool.ReadAnswers(c.all, data, c.words)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) || strings.HasPrefix(c.err, "the person") != errors.Is(err, tool.ErrAskDeclined) {
				t.Errorf("%.40s%s: %v, want %s", c.words, c.data, err, c.err)
			}
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%.40s%s: %v\n%s", c.words, c.data, err, diff)
		}
	}
}
