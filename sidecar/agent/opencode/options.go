package opencode

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// The options that opencode has.
const (
	modelKey = "model"
	agentKey = "agent"
)

// maxValues is how many values of an option are told.
const maxValues = 200

// offer is what can be chosen, and what is chosen.
type offer struct {
	models   []string // "provider/model", sorted
	agents   []string
	modes    map[string]modalities // of models
	model    *model                // chosen by the user
	agent    string
	ordinary struct{ model, agent string } // of the configuration, "" if it does not say
}

// modalities is what a model takes.
type modalities struct{ Image, PDF bool }

// catalog reads what the server offers. It makes the server read its configuration, which can take long.
func (a *api) catalog(ctx context.Context) (offer, error) {
	var o offer
	var providers struct {
		Providers []struct {
			ID     string `json:"id"`
			Models map[string]struct {
				Capabilities struct {
					Input modalities `json:"input"`
				} `json:"capabilities"`
			} `json:"models"`
		} `json:"providers"`
	}
	if err := a.callSlow(ctx, http.MethodGet, "/config/providers", nil, &providers); err != nil {
		return o, err
	}
	o.modes = map[string]modalities{}
	for _, p := range providers.Providers {
		for id, m := range p.Models {
			name := p.ID + "/" + id
			o.models, o.modes[name] = append(o.models, name), m.Capabilities.Input
		}
	}
	slices.Sort(o.models)
	var agents []struct {
		Name   string `json:"name"`
		Mode   string `json:"mode"`
		Hidden bool   `json:"hidden"`
	}
	if err := a.callSlow(ctx, http.MethodGet, "/agent", nil, &agents); err != nil {
		return o, err
	}
	for _, g := range agents {
		if g.Mode != "subagent" && !g.Hidden {
			o.agents = append(o.agents, g.Name)
		}
	}
	var config struct {
		Model string `json:"model"`
		Agent string `json:"default_agent"`
	}
	if err := a.callSlow(ctx, http.MethodGet, "/config", nil, &config); err != nil {
		return o, err
	}
	o.ordinary.model, o.ordinary.agent = config.Model, config.Agent
	return o, nil
}

// choose takes what the user has chosen.
func (o *offer) choose(options []peer.Option) error {
	for _, c := range options {
		var values []string
		switch c.Key {
		case modelKey:
			values = o.models
			if provider, id, ok := strings.Cut(c.Value, "/"); ok {
				o.model = &model{provider, id}
			}
		case agentKey:
			values, o.agent = o.agents, c.Value
		default:
			return peer.NoOption(c, o.choices())
		}
		if !slices.Contains(values, c.Value) {
			return peer.NoValue(c, values)
		}
	}
	return nil
}

// choices returns the options as they are told.
func (o *offer) choices() []peer.Choice {
	chosen := o.ordinary.model
	if o.model != nil {
		chosen = o.model.ProviderID + "/" + o.model.ModelID
	}
	agent := o.agent
	if agent == "" {
		agent = o.ordinary.agent
	}
	return []peer.Choice{
		{Key: modelKey, Name: "Model", Value: chosen, Values: o.models[:min(len(o.models), maxValues)]},
		{Key: agentKey, Name: "Agent", Value: agent, Values: o.agents[:min(len(o.agents), maxValues)]},
	}
}

// sees reports whether the model takes files of a kind. Of a model that is not known opencode takes care itself.
func (o *offer) sees(kind string) bool {
	name := o.ordinary.model
	if o.model != nil {
		name = o.model.ProviderID + "/" + o.model.ModelID
	}
	m, known := o.modes[name]
	return !known || kind == "image" && m.Image || kind == "pdf" && m.PDF
}
