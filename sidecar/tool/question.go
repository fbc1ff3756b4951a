package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest"
)

// Asker asks the person behind a call. Its methods may be called from any goroutine.
type Asker interface {
	// Ask puts all questions at once, waits, and returns the answers: for each question the labels that
	// were chosen, or one text. The error is one of the ErrAsk errors, or the cause of the call's
	// end.
	Ask(ctx context.Context, all []Question) ([][]string, error)
}

// The errors of an Asker. They are written for the model.
var (
	ErrAskNobody   = errors.New("nobody can be asked: go on with your best guess, and say what you have assumed")
	ErrAskTimeout  = errors.New("nobody has answered in time: go on with your best guess, and say what you have assumed")
	ErrAskDeclined = errors.New("the person does not want to answer: go on without it, or end here")
	ErrAskEnded    = errors.New("the work that this call is a part of has ended: there is nobody to ask any more")
)

// Question is one question.
type Question struct {
	Question string `json:"question"`
	// Header is a few words that name the subject; "" for none.
	Header string `json:"header,omitempty"`
	// Options are the answers to choose from. None: the answer is a text.
	Options []QuestionOption `json:"options,omitempty"`
	// MultiSelect says that any number of the options may be chosen, also none.
	MultiSelect bool `json:"multi_select,omitempty"`
}

// QuestionOption is one answer that can be chosen.
type QuestionOption struct {
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
}

// The bounds of one call: how many questions, how many options of each, and how long each text may be,
// in characters. A person reads them all at once.
const (
	MaxQuestions      = 8
	MaxOptions        = 20
	maxQuestionText   = 2000
	maxQuestionHeader = 60
	maxOptionLabel    = 120
	maxOptionText     = 500
)

// question asks the person behind the call.
func question() *Tool {
	return define(manifest.Definition{
		Name: "question",
		Description: "Ask the person for whom you work, and wait for the answer. Use it when you cannot decide by yourself and a wrong guess would be costly: " +
			"not for what the files or the conversation say. Ask all questions at once. With options the answer is one label, or with multi_select any number of them; without options it is a text. " +
			"The result has one list of answers for each question, in their order. If nobody can be asked, the call fails: go on with your best guess then.",
		InputSchema: json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":%d,"items":{"type":"object","properties":{
			"question":{"type":"string","minLength":1,"maxLength":%d,"description":"the whole question, with what one must know to answer it"},
			"header":{"type":"string","maxLength":%d,"description":"its subject in a few words"},
			"options":{"type":"array","maxItems":%d,"description":"the answers to choose from, each with a label of its own; leave it out for an answer in words","items":{"type":"object","properties":{
				"label":{"type":"string","minLength":1,"maxLength":%d},"description":{"type":"string","maxLength":%d,"description":"what choosing it means"}},"required":["label"],"additionalProperties":false}},
			"multi_select":{"type":"boolean","default":false,"description":"any number of the options may be chosen"}},
			"required":["question"],"additionalProperties":false}}},"required":["questions"],"additionalProperties":false}`,
			MaxQuestions, maxQuestionText, maxQuestionHeader, MaxOptions, maxOptionLabel, maxOptionText)),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"answers":{"type":"array","items":{"type":"array","items":{"type":"string"}}}},"required":["answers"]}`),
		Effects:      manifest.EffectsRead, Kind: "think", Requires: &manifest.Requires{},
	}, ask)
}

func ask(ctx context.Context, c *Call) (*Result, error) {
	var args struct{ Questions []Question }
	if err := json.Unmarshal(c.Args, &args); err != nil {
		return nil, err
	}
	for i := range args.Questions {
		if err := args.Questions[i].check(); err != nil {
			return nil, fmt.Errorf("/questions/%d: %w", i, err)
		}
	}
	if c.Asker == nil {
		return nil, ErrAskNobody
	}
	answers, err := c.Asker.Ask(ctx, args.Questions)
	if err != nil {
		return nil, err
	}
	data, err := text.JSON(struct {
		Answers [][]string `json:"answers"`
	}{answers})
	return &Result{Data: data}, err
}

// check cleans a question and says why it cannot be answered.
func (q *Question) check() error {
	q.Question, q.Header = strings.TrimSpace(text.Strip(q.Question)), strings.TrimSpace(text.Line(q.Header, 0))
	if q.Question == "" {
		return errors.New("question is empty: write what you want to know")
	}
	if q.MultiSelect && len(q.Options) == 0 {
		return errors.New("multi_select is about options, and there are none: add options, or leave multi_select out")
	}
	labels := map[string]bool{}
	for i := range q.Options {
		o := &q.Options[i]
		o.Label, o.Description = strings.TrimSpace(text.Line(o.Label, 0)), strings.TrimSpace(text.Line(o.Description, 0))
		key := strings.ToLower(o.Label)
		switch {
		case o.Label == "":
			return fmt.Errorf("/options/%d: label is empty: write what the person chooses", i)
		case labels[key]:
			return fmt.Errorf("/options/%d: the label %q is there twice: two options must have two labels", i, o.Label)
		}
		labels[key] = true
	}
	return nil
}
