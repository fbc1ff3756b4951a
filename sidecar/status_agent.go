package sidecar

import (
	"github.com/a2a-sidecar/sidecar/internal/text"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/peer"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// The limits of what is told of an agent: all of it is the agent's word. optionsShown and valuesShown are
// how many options, and values of each, are listed; aboutText is the longest name or value, in bytes.
const (
	optionsShown = 50
	valuesShown  = 50
	aboutText    = 120
)

// aboutStatus is what an agent that is spoken to in messages says of itself.
type aboutStatus struct {
	Name     string         `json:"name,omitempty"`
	Version  string         `json:"version,omitempty"`
	Protocol string         `json:"protocol"`
	Resumes  bool           `json:"resumes"`
	Options  []optionStatus `json:"options,omitempty"`
	// More is how many options there are in addition to these.
	More int `json:"optionsMore,omitempty"`
}

// optionStatus is what can be chosen by --agent-option.
type optionStatus struct {
	Key    string   `json:"key"`
	Name   string   `json:"name,omitempty"`
	Value  string   `json:"value"`
	Values []string `json:"values,omitempty"`
	More   int      `json:"valuesMore,omitempty"`
}

// aboutOf returns what is told of an agent; nil if it has said nothing.
func aboutOf(a *peer.About) *aboutStatus {
	if a == nil {
		return nil
	}
	line := func(s string) string { return text.Line(s, aboutText) }
	st := &aboutStatus{Name: line(a.Name), Version: line(a.Version), Protocol: line(a.Protocol), Resumes: a.Resumes}
	for i, c := range a.Options {
		if i == optionsShown {
			st.More = len(a.Options) - i
			break
		}
		o := optionStatus{Key: line(c.Key), Name: line(c.Name), Value: line(c.Value)}
		for _, v := range c.Values[:min(len(c.Values), valuesShown)] {
			o.Values = append(o.Values, line(v))
		}
		o.More = len(c.Values) - len(o.Values)
		st.Options = append(st.Options, o)
	}
	return st
}

// agentOptions returns the choices of --agent-option.
func agentOptions(c *config.Config) (all []peer.Option) {
	for _, o := range c.AgentOptions {
		all = append(all, peer.Option{Key: o.Key, Value: o.Value})
	}
	return all
}
