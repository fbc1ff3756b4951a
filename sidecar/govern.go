package sidecar

import (
	"fmt"

	"github.com/a2a-sidecar/sidecar/sidecar/capability"
	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/confine"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// governedStatus is how the agent is governed.
type governedStatus struct {
	// Mode is on or strict.
	Mode string `json:"mode"`
	// Version is the agent's own word for it; it is left out if it did not tell. Measured says that
	// the recipe was measured for that version.
	Version  string `json:"version,omitempty"`
	Measured bool   `json:"measured"`
	Recipe   string `json:"recipe"`
	// Left are the tools that the model has in addition to the sidecar's, Holes what is not closed.
	Left  []string `json:"left,omitempty"`
	Holes []string `json:"holes,omitempty"`
	// Sandbox says what the agent's own process is held by; it is left out if it runs in no sandbox.
	Sandbox string `json:"sandbox,omitempty"`
	// Watched says what shows that a tool of the agent's own is used; it is left out if nothing does.
	Watched string `json:"watched,omitempty"`
	// Native is how many uses of such tools were seen, and LastNative the name of the last.
	Native     int64  `json:"nativeCalls"`
	LastNative string `json:"lastNative,omitempty"`
}

// governedOf returns what is told of a governed agent; nil if it is not governed.
func governedOf(g *turn.Governed) *governedStatus {
	if g == nil {
		return nil
	}
	mode := config.GovernOn
	if g.Strict {
		mode = config.GovernStrict
	}
	return &governedStatus{
		Mode: mode, Version: g.Version, Measured: g.Known, Recipe: g.Recipe, Left: g.Left, Holes: g.Holes,
		Sandbox: g.Sandbox, Watched: g.Watched, Native: g.Native, LastNative: g.Last,
	}
}

// governsPerson says to a person at the agent's terminal what --govern means there; "" if the agent is not governed.
func (s *sidecar) governsPerson() string {
	switch s.Config.Govern {
	case config.GovernOn:
		return "the agent is governed, and what you type at its terminal is not: see sidecar help govern"
	case config.GovernStrict:
		return "--govern=strict: you may watch; your keys are held back, but for Ctrl-C"
	}
	return ""
}

// confineAgent puts the agent's own processes into a sandbox, under --govern=strict. The error says
// what of it cannot be held here.
func (s *sidecar) confineAgent(o *turn.Options) error {
	c := &s.Config
	if c.Govern != config.GovernStrict {
		return nil
	}
	keeper, err := confine.New(confine.Options{
		Mode: confine.Auto, User: c.User, Self: s.Self, Private: s.ownFiles(), Namespaces: s.rules.spaces, Log: s.Log,
	})
	if err == nil {
		err = keeper.AgentFault()
	}
	if err != nil {
		return fmt.Errorf("--govern=strict: the agent's own process cannot be put into a sandbox here: %w; use --govern, and see sidecar help govern", err)
	}
	o.Sandbox = keeper
	o.Requires = func() *capability.Set {
		if r := s.rules.Set().Requires(); r != nil {
			return s.rules.scope.Expand(*r)
		}
		return nil
	}
	return nil
}
