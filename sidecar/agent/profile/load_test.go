package profile_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent"
)

func TestEveryBuiltInProfileLoads(t *testing.T) {
	for _, name := range agent.Names() {
		p, err := agent.Load(name)
		if err != nil {
			t.Errorf("%s:\n%v", name, err)
		} else if p.Name != name || p.About == "" {
			t.Errorf("%s is called %q, about %q", name, p.Name, p.About)
		}
	}
}
