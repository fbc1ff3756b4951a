package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	sdk "github.com/coder/acp-go-sdk"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/rpc"
)

// The limits of what an agent offers to choose from. Some list all models of all vendors.
const (
	maxOptions  = 64
	maxCommands = 512
	maxValues   = 2048
)

// The keys of the older ways to choose; their values are in the answer's modes and models.
const (
	keyMode  = "mode"
	keyModel = "model"
)

// way says how an option is set.
type way int

const (
	byConfig way = iota // session/set_config_option
	bySwitch            // the same, for an option that is on or off
	byMode              // session/set_mode
	byModel             // session/set_model
)

// option is one that an agent offers.
type option struct {
	peer.Choice
	way way
}

// offer is what an agent offers in a conversation, and what it has chosen.
type offer struct {
	session  string
	options  []option
	commands []string // that begin with a slash in a message
}

func (o *offer) choices() (all []peer.Choice) {
	for _, one := range o.options {
		c := one.Choice
		c.Values = slices.Clone(c.Values)
		all = append(all, c)
	}
	return all
}

func (o *offer) find(key string) *option {
	at := slices.IndexFunc(o.options, func(one option) bool { return one.Key == key })
	if at < 0 {
		return nil
	}
	return &o.options[at]
}

// learn takes what an answer or an update says of options. Older ways count if there is no newer one of the
// same name; an answer without options leaves what is known.
func (o *offer) learn(f fields) {
	if f.has("configOptions") {
		o.options = slices.DeleteFunc(o.options, func(one option) bool { return one.way == byConfig || one.way == bySwitch })
		for _, v := range f.list("configOptions") {
			o.add(configOption(object(v)))
		}
	}
	o.add(older(f.object("modes"), keyMode, "Mode", byMode, "availableModes", "id", "currentModeId"))
	o.add(older(f.object("models"), keyModel, "Model", byModel, "availableModels", "modelId", "currentModelId"))
}

// add adds an option, or replaces one that has its key and is not newer.
func (o *offer) add(one option) {
	if one.Key == "" {
		return
	}
	if known := o.find(one.Key); known != nil {
		if one.way <= bySwitch || known.way > bySwitch {
			*known = one
		}
		return
	}
	if len(o.options) < maxOptions {
		o.options = append(o.options, one)
	}
}

// configOption reads an element of configOptions.
func configOption(f fields) option {
	o := option{Choice: peer.Choice{
		Key: name(f.text("id")), Name: name(f.text("name")), Value: name(f.text("currentValue", "value")),
	}}
	if f.text("type") == "boolean" {
		o.way, o.Values, o.Value = bySwitch, []string{"true", "false"}, fmt.Sprint(f.flag("currentValue"))
		return o
	}
	for _, v := range f.list("options") {
		group := object(v)
		if !group.has("options") {
			o.value(group.text("value", "id"))
			continue
		}
		for _, v := range group.list("options") {
			o.value(object(v).text("value", "id"))
		}
	}
	return o
}

// older reads modes or models as agents give them that have no configOptions.
func older(f fields, key, title string, by way, list, id, current string) (o option) {
	if f == nil {
		return o
	}
	o = option{Choice: peer.Choice{Key: key, Name: title, Value: name(f.text(current))}, way: by}
	for _, v := range f.list(list) {
		o.value(object(v).text(id))
	}
	return o
}

func (o *option) value(v string) {
	if v = name(v); v != "" && len(o.Values) < maxValues {
		o.Values = append(o.Values, v)
	}
}

// name is a name of the agent's as it is kept.
func name(s string) string { return text.Line(s, maxName) }

// choose sets what the user has chosen in a conversation that was just opened.
func (a *connection) choose(ctx context.Context, session string) error {
	for _, want := range a.process.Options {
		a.mu.Lock()
		o := a.chosen.find(want.Key)
		var one option
		if o != nil {
			one = *o
		}
		err := a.chosen.check(o, want)
		a.mu.Unlock()
		if err != nil {
			return err
		}
		if one.Value == want.Value {
			continue
		}
		if err := a.set(ctx, session, one, want); err != nil {
			return err
		}
	}
	return nil
}

// set tells the agent of one choice.
func (a *connection) set(ctx context.Context, session string, o option, want peer.Option) error {
	method, params := o.request(session, want)
	var raw json.RawMessage
	err := a.conn.Call(ctx, method, params, &raw)
	var fault *rpc.Error
	if errors.As(err, &fault) {
		return fmt.Errorf("%s: the agent refuses it: %w", want, fault)
	}
	if err != nil {
		return lost(err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.chosen.session != session {
		return nil
	}
	if known := a.chosen.find(want.Key); known != nil {
		known.Value = want.Value
	}
	a.chosen.learn(object(raw))
	return nil
}

// request returns the request that sets an option.
func (o *option) request(session string, want peer.Option) (method string, params any) {
	id := sdk.SessionId(session)
	switch o.way {
	case byMode:
		return sdk.AgentMethodSessionSetMode, sdk.SetSessionModeRequest{SessionId: id, ModeId: sdk.SessionModeId(want.Value)}
	case byModel:
		return sdk.AgentMethodSessionSetModel, sdk.UnstableSetSessionModelRequest{SessionId: id, ModelId: sdk.UnstableModelId(want.Value)}
	case bySwitch:
		return sdk.AgentMethodSessionSetConfigOption, sdk.SetSessionConfigOptionRequest{Boolean: &sdk.SetSessionConfigOptionBoolean{
			SessionId: id, ConfigId: sdk.SessionConfigId(want.Key), Value: want.Value == "true"}}
	}
	return sdk.AgentMethodSessionSetConfigOption, sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
		SessionId: id, ConfigId: sdk.SessionConfigId(want.Key), Value: sdk.SessionConfigValueId(want.Value)}}
}

// check says what is wrong with a choice. found is the option of that key, nil if there is none.
func (o *offer) check(found *option, want peer.Option) error {
	switch {
	case found == nil:
		return peer.NoOption(want, o.choices())
	case len(found.Values) > 0 && !slices.Contains(found.Values, want.Value):
		return peer.NoValue(want, found.Values)
	}
	return nil
}
