package claude

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
)

// The options that claude has.
const (
	modelOption  = "model"
	modeOption   = "permission_mode"
	effortOption = "effort"
)

// modes lists claude's permission modes. It refuses those that it has not.
func modes() []string {
	return []string{"acceptEdits", "auto", "bypassPermissions", "default", "dontAsk", "plan"}
}

// offer is claude's answer to initialize, as far as we read it.
type offer struct {
	Version string `json:"claude_code_version"`
	Mode    string `json:"current_permission_mode"`
	Models  []struct {
		Value  string   `json:"value"`
		Levels []string `json:"supportedEffortLevels"`
	} `json:"models"`
}

// Start says hello, learns what can be chosen, and chooses what the user wants.
func (c *connection) Start(ctx context.Context) error {
	var o offer
	if err := c.call(ctx, map[string]any{"subtype": "initialize", "hooks": nil}, &o); err != nil {
		if errors.Is(err, peer.ErrForgotten) {
			return err
		}
		return fmt.Errorf("claude does not start: %w", err)
	}
	choices := o.choices()
	for _, option := range c.process.Options {
		if err := c.choose(ctx, choices, option); err != nil {
			return err
		}
	}
	c.current(ctx, choices)
	cost, known := 0.0, true
	if c.resumed { // some versions go on with what was spent before
		cost, known = c.spentBefore(ctx)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = true
	if known {
		c.cost = &cost
	}
	c.about = peer.About{Name: "Claude Code", Version: o.Version, Protocol: "stream-json", Resumes: true, Options: choices}
	return nil
}

// cannotStart takes a result that comes before anything was asked: it says what is in the way.
func (c *connection) cannotStart(m *message) {
	err := errors.New(text.ShowLines(m.reason()))
	if c.resumed {
		if why := m.reason(); strings.Contains(why, "No conversation found") || strings.Contains(why, resumeFlag+" requires") {
			err = fmt.Errorf("%w: %s", peer.ErrForgotten, text.ShowLines(why))
		}
	}
	select {
	case c.failed <- err:
	default: // one is there
	}
}

// choices lists what can be chosen.
func (o *offer) choices() []peer.Choice {
	var models, levels []string
	for _, m := range o.Models {
		models = append(models, m.Value)
		for _, level := range m.Levels {
			if !slices.Contains(levels, level) {
				levels = append(levels, level)
			}
		}
	}
	return []peer.Choice{
		{Key: modelOption, Name: "Model", Values: models},
		{Key: modeOption, Name: "Permission mode", Value: o.Mode, Values: modes()},
		{Key: effortOption, Name: "Effort", Values: levels},
	}
}

// choose sets an option. A model may be any that claude's provider knows; the other options have their values.
func (c *connection) choose(ctx context.Context, choices []peer.Choice, o peer.Option) error {
	at := slices.IndexFunc(choices, func(known peer.Choice) bool { return known.Key == o.Key })
	if at < 0 {
		return peer.NoOption(o, choices)
	}
	choice := &choices[at]
	if o.Key != modelOption && len(choice.Values) > 0 && !slices.Contains(choice.Values, o.Value) {
		return peer.NoValue(o, choice.Values)
	}
	choice.Value = o.Value
	var request any = map[string]any{"subtype": "apply_flag_settings", "settings": map[string]string{"effortLevel": o.Value}}
	switch o.Key {
	case modelOption:
		request = map[string]string{"subtype": "set_model", "model": o.Value}
	case modeOption:
		request = map[string]string{"subtype": "set_permission_mode", "mode": o.Value}
	}
	if err := c.call(ctx, request, nil); err != nil {
		return fmt.Errorf("%s: claude does not take it: %w", o, err)
	}
	return nil
}

// current fills in what is chosen now, as far as claude says it.
func (c *connection) current(ctx context.Context, choices []peer.Choice) {
	var settings struct {
		Applied struct {
			Model  string          `json:"model"`
			Effort json.RawMessage `json:"effort"` // null for models that have none
		} `json:"applied"`
	}
	if err := c.call(ctx, map[string]string{"subtype": "get_settings"}, &settings); err != nil {
		c.process.Log.Debug("claude does not say what is chosen", "error", err)
		return
	}
	choices[0].Value = settings.Applied.Model
	_ = json.Unmarshal(settings.Applied.Effort, &choices[2].Value) // it stays unknown
}

// spentBefore asks what the conversation has cost before this process, as far as claude counts it.
func (c *connection) spentBefore(ctx context.Context) (usd float64, known bool) {
	var usage struct {
		Session struct {
			Cost *float64 `json:"total_cost_usd"`
		} `json:"session"`
	}
	err := c.call(ctx, map[string]string{"subtype": "get_usage"}, &usage)
	if err != nil || usage.Session.Cost == nil {
		c.process.Log.Debug("claude does not say what was spent before", "error", err)
		return 0, false
	}
	return *usage.Session.Cost, true
}
