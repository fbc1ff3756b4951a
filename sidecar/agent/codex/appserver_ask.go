package codex

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// maxQuestions is how many questions one request may ask: of others nothing is answered.
const maxQuestions = 16

// askUser is item/tool/requestUserInput. A question that nobody answers has no answers. A secret is not asked for:
// the answer would stand in the task.
func (s *server) askUser(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p struct {
		Questions []struct {
			ID       string `json:"id"`
			Header   string `json:"header"`
			Question string `json:"question"`
			Secret   bool   `json:"isSecret"`
			Options  []struct {
				Label       string `json:"label"`
				Description string `json:"description"`
			} `json:"options"`
		} `json:"questions"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "the questions cannot be read: %v", err)
	}
	type answer struct {
		Answers []string `json:"answers"`
	}
	answers := map[string]answer{}
	for _, asked := range p.Questions[:min(len(p.Questions), maxQuestions)] {
		if t == nil || asked.Secret {
			s.p.Log.Info("a question of codex's is not asked", "secret", asked.Secret)
			continue
		}
		q := peer.Question{Text: asked.Question}
		for _, o := range asked.Options {
			q.Options = append(q.Options, peer.QuestionOption{ID: o.Label, Label: o.Label, Description: o.Description})
		}
		reply, err := t.on.Ask(ctx, q)
		if err != nil {
			break
		}
		given := reply.Options
		if reply.Text != "" {
			given = append(slices.Clone(given), reply.Text)
		}
		answers[asked.ID] = answer{given}
	}
	return map[string]any{"answers": answers}, nil
}

// elicitation is what an MCP server of codex's wants to know, or what codex wants to know of a tool of one.
type elicitation struct {
	Server  string `json:"serverName"`
	Mode    string `json:"mode"`
	Message string `json:"message"`
	Schema  struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	} `json:"requestedSchema"`
	Meta struct {
		Approval string          `json:"codex_approval_kind"`
		Tool     string          `json:"tool_name"`
		Params   json.RawMessage `json:"tool_params"`
	} `json:"_meta"`
}

// toolApproval is the kind of an elicitation that asks whether a tool may be called.
const toolApproval = "mcp_tool_call"

// elicitAnswer answers an elicitation.
type elicitAnswer struct {
	Action  string         `json:"action"` // accept, decline, cancel
	Content map[string]any `json:"content"`
	Meta    *struct{}      `json:"_meta"` // none: nothing is remembered by codex
}

// elicit is mcpServer/elicitation/request. A page that a person would have to visit is declined.
func (s *server) elicit(ctx context.Context, t *turn, params json.RawMessage) (any, error) {
	var p elicitation
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, rpc.Errorf(rpc.InvalidParams, "the elicitation cannot be read: %v", err)
	}
	switch {
	case t == nil:
		return elicitAnswer{Action: "decline"}, nil
	case p.Meta.Approval == toolApproval:
		name := p.Server + "." + p.Meta.Tool
		v, _ := permit(ctx, t, peer.Action{Kind: peer.Other, Name: name, Title: name, Input: p.Meta.Params})
		a := elicitAnswer{Action: [...]string{"decline", "accept", "cancel"}[v]}
		if v == accepted {
			a.Content = map[string]any{}
		}
		return a, nil
	case p.Meta.Approval != "" || p.Mode != "form" || len(p.Schema.Properties) > maxQuestions:
		return elicitAnswer{Action: "decline"}, nil
	}
	content, err := fill(ctx, t, &p)
	switch {
	case errors.Is(err, peer.ErrWithdrawn) || ctx.Err() != nil:
		return elicitAnswer{Action: "cancel"}, nil
	case err != nil:
		s.p.Log.Info("an elicitation is declined", "error", err)
		return elicitAnswer{Action: "decline"}, nil
	}
	return elicitAnswer{Action: "accept", Content: content}, nil
}

// property is a field of a form.
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	OneOf       []choice `json:"oneOf"`
	Items       struct {
		Enum  []string `json:"enum"`
		AnyOf []choice `json:"anyOf"`
	} `json:"items"`
}

type choice struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// fill asks for each field of a form.
func fill(ctx context.Context, t *turn, p *elicitation) (map[string]any, error) {
	names := slices.Clone(p.Schema.Required) // in their order
	for _, name := range slices.Sorted(maps.Keys(p.Schema.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 { // it only wants to be accepted
		reply, err := t.on.Ask(ctx, peer.Question{Text: p.Message, Options: []peer.QuestionOption{{ID: "yes", Label: "Yes"}, {ID: "no", Label: "No"}}})
		if err == nil && !slices.Contains(reply.Options, "yes") {
			err = errors.New("the answer is no")
		}
		return map[string]any{}, err
	}
	content := map[string]any{}
	for _, name := range names {
		field, ok := p.Schema.Properties[name]
		if !ok {
			return nil, fmt.Errorf("the field %q is not described", name)
		}
		reply, err := t.on.Ask(ctx, field.question(p.Message, name))
		if err != nil {
			return nil, err
		}
		value, given, err := field.value(reply)
		if err != nil {
			return nil, fmt.Errorf("the field %q: %w", name, err)
		}
		if given {
			content[name] = value
		}
	}
	return content, nil
}

// question asks for a field.
func (f *property) question(message, name string) peer.Question {
	title := f.Title
	if title == "" {
		title = name
	}
	q := peer.Question{Text: strings.TrimSpace(message + "\n" + title), Several: f.Type == "array"}
	if f.Description != "" {
		q.Text += ": " + f.Description
	}
	for _, value := range slices.Concat(f.Enum, f.Items.Enum) {
		q.Options = append(q.Options, peer.QuestionOption{ID: value, Label: value})
	}
	for _, c := range slices.Concat(f.OneOf, f.Items.AnyOf) {
		q.Options = append(q.Options, peer.QuestionOption{ID: c.Const, Label: c.Title})
	}
	if f.Type == "boolean" {
		q.Options = []peer.QuestionOption{{ID: "true", Label: "Yes"}, {ID: "false", Label: "No"}}
	}
	return q
}

// value is the answer as the form wants it; given is false for none.
func (f *property) value(r peer.Reply) (value any, given bool, err error) {
	one := r.Text
	if len(r.Options) > 0 {
		one = r.Options[0]
	}
	if q := f.question("", ""); len(q.Options) > 0 && f.Type != "array" && one != "" && !slices.ContainsFunc(q.Options, func(o peer.QuestionOption) bool { return o.ID == one }) {
		return nil, false, errors.New("the answer is none of the options")
	}
	switch {
	case f.Type == "array":
		return r.Options, len(r.Options) > 0, nil
	case one == "":
		return nil, false, nil
	case f.Type == "boolean":
		value, err = strconv.ParseBool(one)
	case f.Type == "integer":
		value, err = strconv.ParseInt(one, 10, 64)
	case f.Type == "number":
		value, err = strconv.ParseFloat(one, 64)
	default:
		value = one
	}
	return value, true, err
}
