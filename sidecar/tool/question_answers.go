package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
)

// maxAnswerText is the longest answer in words, in bytes.
const maxAnswerText = 16 << 10

// The words of an answer that answers nothing: {"action": AnswerDecline}.
const (
	AnswerDecline = "decline"
	AnswerCancel  = "cancel"
)

// ReadAnswers reads the answers to questions: data is {"answers":[["label"],…]} or {"action":"decline"}, or
// nil for an answer in words. One question may be answered by words, its label or the text; and
// words may be the JSON of data. The error says how the answer does not fit, or it is
// ErrAskDeclined.
func ReadAnswers(all []Question, data json.RawMessage, words string) ([][]string, error) {
	words = strings.TrimSpace(words)
	if data == nil && isData(words) {
		data = json.RawMessage(words)
	}
	if data != nil {
		return readData(all, data)
	}
	switch {
	case words == "":
		return nil, errors.New("there is no answer: " + form(all))
	case len(all) > 1 && (words == AnswerDecline || words == AnswerCancel):
		return nil, ErrAskDeclined
	case len(all) > 1:
		return nil, fmt.Errorf("there are %d questions: %s", len(all), form(all))
	}
	one, err := all[0].read([]string{words})
	if err != nil && (words == AnswerDecline || words == AnswerCancel) {
		return nil, ErrAskDeclined
	}
	return [][]string{one}, err
}

// isData reports whether words are an answer as data has it, and not another text that is JSON.
func isData(words string) bool {
	var members map[string]json.RawMessage
	if !strings.HasPrefix(words, "{") || json.Unmarshal([]byte(words), &members) != nil {
		return false
	}
	return members["answers"] != nil || members["action"] != nil
}

func readData(all []Question, data json.RawMessage) ([][]string, error) {
	var said struct {
		Action  string     `json:"action"`
		Answers [][]string `json:"answers"`
	}
	if err := json.Unmarshal(data, &said); err != nil {
		return nil, errors.New("the answer cannot be read: " + form(all))
	}
	switch {
	case said.Answers == nil && (said.Action == AnswerDecline || said.Action == AnswerCancel):
		return nil, ErrAskDeclined
	case len(said.Answers) != len(all):
		return nil, fmt.Errorf("/answers has %d of %d lists: %s", len(said.Answers), len(all), form(all))
	}
	answers := make([][]string, len(all))
	for i := range all {
		one, err := all[i].read(said.Answers[i])
		if err != nil {
			return nil, fmt.Errorf("/answers/%d: %w", i, err)
		}
		answers[i] = one
	}
	return answers, nil
}

// form says how questions are answered.
func form(all []Question) string {
	if len(all) == 1 {
		return `answer in words, or with {"answers":[["…"]]} as a data part or a text`
	}
	lists := strings.TrimSuffix(strings.Repeat(`["…"],`, len(all)), ",")
	return `answer with {"answers":[` + lists + `]} as a data part or a text, a list for each question in their order`
}

// read returns the answers to one question as they count: labels as they were written in the
// question.
func (q *Question) read(said []string) ([]string, error) {
	if len(q.Options) == 0 {
		switch {
		case len(said) != 1 || strings.TrimSpace(said[0]) == "":
			return nil, errors.New("one text is wanted")
		case len(said[0]) > maxAnswerText:
			return nil, fmt.Errorf("the text has %d bytes, and %d are the most", len(said[0]), maxAnswerText)
		}
		return []string{strings.TrimSpace(text.Strip(said[0]))}, nil
	}
	if q.MultiSelect {
		said = q.split(said)
	}
	chosen := []string{}
	for _, s := range said {
		label, ok := q.label(s)
		if !ok {
			return nil, fmt.Errorf("%s is none of the options: %s", text.Quote(s, maxOptionLabel), q.labels())
		}
		if !slices.Contains(chosen, label) {
			chosen = append(chosen, label)
		}
	}
	if !q.MultiSelect && len(chosen) != 1 {
		return nil, fmt.Errorf("one of the options is wanted: %s", q.labels())
	}
	return chosen, nil
}

// split takes apart what a person has written in one line for several options.
func (q *Question) split(said []string) (all []string) {
	for _, s := range said {
		if _, ok := q.label(s); ok {
			all = append(all, s)
			continue
		}
		for one := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ',' || r == '\n' }) {
			if one = strings.TrimSpace(one); one != "" {
				all = append(all, one)
			}
		}
	}
	return all
}

// label returns the label that is meant: in any case, or as the number of its place.
func (q *Question) label(s string) (string, bool) {
	s = text.Line(s, 0)
	for i := range q.Options {
		if strings.EqualFold(q.Options[i].Label, s) {
			return q.Options[i].Label, true
		}
	}
	for i := range q.Options {
		if s == fmt.Sprint(i+1) {
			return q.Options[i].Label, true
		}
	}
	return "", false
}

func (q *Question) labels() string {
	var all []string
	for i := range q.Options {
		all = append(all, text.Quote(q.Options[i].Label, maxOptionLabel))
	}
	return text.Enumerate(all, "or")
}

// QuestionsText returns questions for people.
func QuestionsText(all []Question) string {
	var b strings.Builder
	for i := range all {
		q := &all[i]
		if i > 0 {
			b.WriteString("\n\n")
		}
		if len(all) > 1 {
			fmt.Fprintf(&b, "%d. ", i+1)
		}
		if q.Header != "" {
			fmt.Fprintf(&b, "%s: ", q.Header)
		}
		b.WriteString(q.Question)
		if q.MultiSelect {
			b.WriteString(" (any number of these)")
		}
		for _, o := range q.Options {
			b.WriteString("\n  - " + o.Label)
			if o.Description != "" {
				b.WriteString(": " + o.Description)
			}
		}
	}
	return b.String()
}
