package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// maxQuestions is how many questions claude's model may ask at once; claude itself allows 4.
const maxQuestions = 16

// question is one of the questions of AskUserQuestion.
type question struct {
	Question string `json:"question"`
	Header   string `json:"header"`
	Several  bool   `json:"multiSelect"`
	Options  []struct {
		Label       string `json:"label"`
		Description string `json:"description"`
	} `json:"options"`
}

// ask puts the questions of a call of AskUserQuestion to the client, one after the other, and returns the
// call's arguments with the answers: by the question's text, the labels that were chosen or the client's own words.
func ask(ctx context.Context, on peer.Events, input json.RawMessage) (json.RawMessage, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(input, &whole); err != nil {
		return nil, fmt.Errorf("the questions cannot be read: %w", err)
	}
	var questions []question
	if err := json.Unmarshal(whole["questions"], &questions); err != nil {
		return nil, fmt.Errorf("the questions cannot be read: %w", err)
	}
	if len(questions) == 0 {
		return nil, errors.New("there is no question")
	}
	if len(questions) > maxQuestions {
		return nil, fmt.Errorf("there are %d questions; ask at most %d at once", len(questions), maxQuestions)
	}
	answers := map[string]string{}
	for _, q := range questions {
		reply, err := on.Ask(ctx, q.put())
		if err != nil {
			return nil, err
		}
		answers[q.Question] = q.words(reply)
	}
	var err error
	if whole["answers"], err = json.Marshal(answers); err != nil {
		return nil, err
	}
	return json.Marshal(whole)
}

// put returns the question as the client gets it. The options' ids are their numbers.
func (q *question) put() peer.Question {
	p := peer.Question{Text: q.Question, Several: q.Several}
	for i, o := range q.Options {
		p.Options = append(p.Options, peer.QuestionOption{ID: strconv.Itoa(i + 1), Label: o.Label, Description: o.Description})
	}
	return p
}

// words returns the client's answer as claude takes it.
func (q *question) words(r peer.Reply) string {
	var chosen []string
	for _, id := range r.Options {
		if n, err := strconv.Atoi(id); err == nil && n >= 1 && n <= len(q.Options) {
			chosen = append(chosen, q.Options[n-1].Label)
		}
	}
	if r.Text != "" {
		chosen = append(chosen, r.Text)
	}
	return strings.Join(chosen, ", ")
}
