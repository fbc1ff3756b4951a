package sidecar

import (
	"encoding/json"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
	"github.com/a2a-sidecar/sidecar/sidecar/turn"
)

// TestAPersonAtAGovernedAgent is told what the terminal is.
func TestAPersonAtAGovernedAgent(t *testing.T) {
	for govern, want := range map[string]string{
		config.GovernOff:    "",
		config.GovernOn:     "the agent is governed, and what you type at its terminal is not: see sidecar help govern",
		config.GovernStrict: "--govern=strict: you may watch; your keys are held back, but for Ctrl-C",
	} {
		s := &sidecar{}
		s.Config.Govern = govern
		if said := s.governsPerson(); said != want {
			t.Errorf("%s: a person is told %q", govern, said)
		}
	}
}

func TestTheStatusOfAGovernedAgent(t *testing.T) {
	if governedOf(nil) != nil {
		t.Error("an agent that is not governed has a status")
	}
	for want, g := range map[string]*turn.Governed{
		`{"mode":"on","measured":false,"recipe":"r","nativeCalls":0}`: {Recipe: "r"},
		`{"mode":"strict","version":"1","measured":true,"recipe":"r","left":["a"],"holes":["b"],"sandbox":"s","watched":"w","nativeCalls":2,"lastNative":"c"}`: {
			Strict: true, Version: "1", Known: true, Recipe: "r", Left: []string{"a"}, Holes: []string{"b"}, Sandbox: "s", Watched: "w", Native: 2, Last: "c",
		},
	} {
		if got, err := json.Marshal(governedOf(g)); string(got) != want || err != nil {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	}
}
