package call

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/a2a"
	"github.com/a2a-sidecar/sidecar/internal/escape"
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/manifest/schema"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
	"github.com/a2a-sidecar/sidecar/sidecar/job"
	"github.com/a2a-sidecar/sidecar/sidecar/mcp/client"
)

// serverWords puts what an MCP server says during a call into the call's task.
type serverWords struct {
	server string
	owner  *job.Owner
}

var _ client.Listener = (*serverWords)(nil)

// Progress implements client.Listener: it becomes a status of the task.
func (w *serverWords) Progress(done, total float64, message string) {
	s := channel.Status{Text: cutText(text.Strip(escape.Strip(message)), messageLimit), Progress: &done}
	if total > 0 {
		share := done / total
		s.Progress = &share
	}
	if *s.Progress < 0 || *s.Progress != *s.Progress {
		s.Progress = nil
	}
	_ = w.owner.Status(s) // a task that has ended needs no progress
}

// The answers to an elicitation.
const (
	accept  = "accept"
	decline = "decline"
	cancels = "cancel"
)

// formTries is how often the caller is asked again because the answer does not fit the form.
const formTries = 3

// Elicit implements client.Listener: the task asks (input-required). The answer is an object
// in a data part, the text of a form's only field, or one of the options; {"action":"decline"}
// and the text "decline" give no answer, "cancel" likewise.
func (w *serverWords) Elicit(ctx context.Context, e client.Elicitation) (client.Elicited, error) {
	words := fmt.Sprintf("%s asks: %s", w.server, text.Strip(escape.Strip(e.Message)))
	if e.URL != "" {
		return w.visit(ctx, words, e.URL)
	}
	f, err := readForm(e.Schema)
	if err != nil {
		return client.Elicited{}, err
	}
	q := channel.Question{Text: words, Options: f.options(), Parts: []a2a.Part{f.part(e.Message)}}
	for try := 1; ; try++ {
		a, err := w.owner.Ask(ctx, q)
		if err != nil {
			return unanswered(err)
		}
		answer, fault := f.read(ctx, a)
		if fault == nil {
			return answer, nil
		}
		if try == formTries {
			return client.Elicited{Action: cancels}, nil
		}
		q.Text = words + "\n(that answer does not fit: " + fault.Error() + ")"
	}
}

// visit asks the caller to go to a URL.
func (w *serverWords) visit(ctx context.Context, words, url string) (client.Elicited, error) {
	a, err := w.owner.Ask(ctx, channel.Question{
		Text: words, Parts: []a2a.Part{{Kind: a2a.PartURL, URL: url}},
		Options: []channel.Option{{ID: accept, Label: "done"}, {ID: decline}, {ID: cancels}},
	})
	if err != nil {
		return unanswered(err)
	}
	return client.Elicited{Action: a.OptionID}, nil
}

// unanswered is the answer to an elicitation that nobody answered: nobody can be asked, or
// nobody did in time.
func unanswered(err error) (client.Elicited, error) {
	if errors.Is(err, channel.ErrNobody) || errors.Is(err, channel.ErrTimeout) {
		return client.Elicited{Action: cancels}, nil
	}
	return client.Elicited{}, err
}

// Sample implements client.Listener: the caller is asked for the model's answer.
func (w *serverWords) Sample(ctx context.Context, s client.Sampling) (client.Sampled, error) {
	type message struct {
		Role string `json:"role"`
		Text string `json:"text"`
	}
	doc := struct {
		System    string    `json:"systemPrompt,omitempty"`
		Messages  []message `json:"messages"`
		MaxTokens int64     `json:"maxTokens,omitempty"`
	}{System: s.System, MaxTokens: s.MaxTokens}
	parts := make([]a2a.Part, 1, 2)
	for _, m := range s.Messages {
		var words []string
		for i := range m.Content {
			if c := &m.Content[i]; c.Kind == client.ContentText {
				words = append(words, c.Text)
			} else {
				parts = append(parts, contentArtifact("", c).Parts...)
			}
		}
		doc.Messages = append(doc.Messages, message{m.Role, strings.Join(words, "\n")})
	}
	data, err := json.Marshal(map[string]any{"sampling": doc})
	if err != nil {
		return client.Sampled{}, err
	}
	parts[0] = a2a.DataPart(data)
	a, err := w.owner.Ask(ctx, channel.Question{Text: w.server + " asks for a model's answer to the messages of the data part", Parts: parts})
	if err != nil {
		return client.Sampled{}, err
	}
	return client.Sampled{Text: a.Text, Model: "a2a-client"}, nil
}

// form is what an elicitation asks for.
type form struct {
	schema json.RawMessage
	only   string // the only field, "" if there are several, or none
	field  formField
}

// formField is what a form says of a field.
type formField struct {
	Type      string            `json:"type"`
	Enum      []json.RawMessage `json:"enum"`
	EnumNames []string          `json:"enumNames"`
	OneOf     []struct {
		Const json.RawMessage `json:"const"`
		Title string          `json:"title"`
	} `json:"oneOf"`
}

func readForm(raw json.RawMessage) (form, error) {
	f := form{schema: raw}
	var doc struct {
		Properties map[string]formField `json:"properties"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		return f, fmt.Errorf("the form is not a JSON Schema: %w", err)
	}
	for name, field := range doc.Properties {
		if len(doc.Properties) == 1 {
			f.only, f.field = name, field
		}
	}
	return f, nil
}

// part shows the form to programs.
func (f *form) part(message string) a2a.Part {
	data, _ := json.Marshal(map[string]any{"elicitation": map[string]any{"message": message, "requestedSchema": f.schema}}) // f.schema was read
	return a2a.DataPart(data)
}

// options returns the values of a form's only field, if they are few words; nil for free text.
func (f *form) options() []channel.Option {
	var all []channel.Option
	add := func(value json.RawMessage, label string) {
		var s string
		if json.Unmarshal(value, &s) == nil {
			all = append(all, channel.Option{ID: s, Label: label})
		}
	}
	switch {
	case f.field.Type == "boolean":
		all = []channel.Option{{ID: "true", Label: "yes"}, {ID: "false", Label: "no"}}
	default:
		for i, v := range f.field.Enum {
			label := ""
			if i < len(f.field.EnumNames) {
				label = f.field.EnumNames[i]
			}
			add(v, label)
		}
		for _, o := range f.field.OneOf {
			add(o.Const, o.Title)
		}
	}
	if len(all) > 0 {
		all = append(all, channel.Option{ID: decline}, channel.Option{ID: cancels})
	}
	return all
}

// read returns an answer. The error says how it does not fit.
func (f *form) read(ctx context.Context, a channel.Answer) (client.Elicited, error) {
	said := strings.TrimSpace(a.Text)
	if a.OptionID != "" {
		said = a.OptionID
	}
	content := f.object(a, said)
	var doc struct{ Action string }
	if json.Unmarshal(content, &doc) == nil && (doc.Action == decline || doc.Action == cancels) {
		said = doc.Action
	}
	if said == decline || said == cancels {
		return client.Elicited{Action: said}, nil
	}
	if content == nil {
		return client.Elicited{}, errors.New("answer with an object in a data part, or with its JSON as text")
	}
	if err := schema.NewValidators().ValidateValue(ctx, "form", f.schema, content); err != nil {
		return client.Elicited{}, errors.New(strings.TrimPrefix(err.Error(), "invalid arguments: "))
	}
	return client.Elicited{Action: accept, Content: content}, nil
}

// object returns the object that an answer is, nil if it is none.
func (f *form) object(a channel.Answer, said string) json.RawMessage {
	for _, p := range a.Parts {
		if p.Kind == a2a.PartData && isObject(p.Data) {
			return p.Data
		}
	}
	if isObject([]byte(said)) {
		return json.RawMessage(said)
	}
	if f.only == "" || said == "" {
		return nil
	}
	value := json.RawMessage(quote(said))
	if _, err := strconv.ParseFloat(said, 64); f.field.Type == "boolean" || err == nil && (f.field.Type == "number" || f.field.Type == "integer") {
		value = json.RawMessage(said)
	}
	content, err := json.Marshal(map[string]json.RawMessage{f.only: value})
	if err != nil {
		return nil
	}
	return content
}

func isObject(b []byte) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(b, &o) == nil && o != nil
}
