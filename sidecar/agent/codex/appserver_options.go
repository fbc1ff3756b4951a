package codex

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// choices are the options of a conversation that the user has chosen; "" leaves codex's configuration alone.
type choices struct{ model, effort, approval, sandbox string }

// The keys of --agent-option.
const (
	optionModel    = "model"
	optionEffort   = "effort"
	optionApproval = "approval_policy"
	optionSandbox  = "sandbox"
)

// modelsTime is how long codex may take to list its models: without the list any name is taken.
const modelsTime = 5 * time.Second

// maxModels is how many models are listed.
const maxModels = 100

// model is a model that codex offers.
type model struct {
	Model   string `json:"model"`
	Efforts []struct {
		Effort string `json:"reasoningEffort"`
	} `json:"supportedReasoningEfforts"`
}

// configuration is the part of codex's that we read.
type configuration struct {
	Model      string         `json:"model"`
	Effort     string         `json:"model_reasoning_effort"`
	Approval   any            `json:"approval_policy"` // a name, or a table
	Sandbox    string         `json:"sandbox_mode"`
	MCPServers map[string]any `json:"mcp_servers"`
}

// choose reads codex's configuration and models, and checks the options against them.
func (s *server) choose(ctx context.Context, version string) error {
	var read struct {
		Config configuration `json:"config"`
	}
	if err := s.ignoreRefusal(s.call(ctx, "config/read", map[string]any{"cwd": s.p.Dir}, &read)); err != nil {
		return err
	}
	models, err := s.models(ctx)
	if err != nil {
		return err
	}
	offered := offers(&read.Config, models)
	chosen, err := check(s.p.Options, offered, models)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chosen = chosen
	for name := range read.Config.MCPServers {
		s.configs = append(s.configs, name)
	}
	s.about = peer.About{Name: "codex", Version: version, Protocol: appServer, Resumes: true, Options: offered}
	return nil
}

// models lists the models that codex offers, in its order. There may be others, of the user's own provider.
func (s *server) models(ctx context.Context) ([]model, error) {
	var list struct {
		Data []model `json:"data"`
	}
	within, cancel := context.WithTimeout(ctx, modelsTime)
	defer cancel()
	err := s.call(within, "model/list", map[string]any{"limit": maxModels}, &list)
	if within.Err() != nil && ctx.Err() == nil {
		s.p.Log.Info("codex does not list its models", "error", err)
		return nil, nil
	}
	return list.Data[:min(len(list.Data), maxModels)], s.ignoreRefusal(err)
}

// offers lists the options, with what the configuration says.
func offers(c *configuration, models []model) []peer.Choice {
	approval, _ := c.Approval.(string)
	model := peer.Choice{Key: optionModel, Name: "Model", Value: c.Model}
	effort := peer.Choice{Key: optionEffort, Name: "Reasoning effort", Value: c.Effort}
	for _, m := range models {
		model.Values = append(model.Values, m.Model)
		for _, e := range m.Efforts {
			if !slices.Contains(effort.Values, e.Effort) {
				effort.Values = append(effort.Values, e.Effort)
			}
		}
	}
	return []peer.Choice{
		model, effort,
		{Key: optionApproval, Name: "When codex asks", Value: approval, Values: []string{"on-request", "never"}},
		{Key: optionSandbox, Name: "Sandbox", Value: c.Sandbox, Values: []string{"read-only", "workspace-write", "danger-full-access"}},
	}
}

// check reads the options, and writes what is chosen into what is offered. A model may be one that codex does not list.
func check(options []peer.Option, offered []peer.Choice, models []model) (c choices, err error) {
	fields := map[string]*string{optionModel: &c.model, optionEffort: &c.effort, optionApproval: &c.approval, optionSandbox: &c.sandbox}
	for _, o := range options {
		at := slices.IndexFunc(offered, func(c peer.Choice) bool { return c.Key == o.Key })
		if at < 0 {
			return c, peer.NoOption(o, offered)
		}
		known := offered[at].Values
		if o.Value == "" || o.Key != optionModel && len(known) > 0 && !slices.Contains(known, o.Value) {
			return c, peer.NoValue(o, known)
		}
		*fields[o.Key], offered[at].Value = o.Value, o.Value
	}
	return c, c.fits(offered[0].Value, models)
}

// fits fails if the model, which codex lists, has no such effort.
func (c *choices) fits(name string, models []model) error {
	at := slices.IndexFunc(models, func(m model) bool { return m.Model == name })
	if c.effort == "" || at < 0 {
		return nil
	}
	var known []string
	for _, e := range models[at].Efforts {
		known = append(known, e.Effort)
	}
	if len(known) > 0 && !slices.Contains(known, c.effort) {
		return fmt.Errorf("--agent-option %s=%s: the model %s has no such value; it has %s", optionEffort, text.Quote(c.effort, maxShown), text.Quote(name, maxShown), strings.Join(known, ", "))
	}
	return nil
}

// params are the parameters of a conversation with these options and an MCP server, if there is one.
func (c *choices) params(tools *peer.Server) startParams {
	p := startParams{Model: c.model, Approval: c.approval, Sandbox: c.sandbox}
	if c.effort != "" {
		p.set("model_reasoning_effort", c.effort)
	}
	if tools != nil {
		env := map[string]string{}
		for _, kv := range tools.Env {
			name, value, _ := strings.Cut(kv, "=")
			env[name] = value
		}
		p.set("mcp_servers."+tools.Name, map[string]any{
			"command": tools.Argv[0], "args": tools.Argv[1:], "env": env,
			"default_tools_approval_mode": "approve", "startup_timeout_sec": startTime, "tool_timeout_sec": int64(spec.LeastToolTime.Seconds()),
		})
	}
	return p
}

// set adds a setting that counts for the conversation.
func (p *startParams) set(name string, value any) {
	if p.Config == nil {
		p.Config = map[string]any{}
	}
	p.Config[name] = value
}
