package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// TestGovernBringsTools: unless the user has said otherwise.
func TestGovernBringsTools(t *testing.T) {
	for _, c := range []struct {
		flags map[string][]string
		tools []string
		give  string
		fault string
	}{
		{flags: map[string][]string{}, tools: []string{"none"}, give: config.GiveOff},
		{flags: map[string][]string{"govern": {"true"}}, tools: []string{"core"}, give: config.GiveOn},
		{flags: map[string][]string{"govern": {"strict"}}, tools: []string{"core"}, give: config.GiveOn},
		{flags: map[string][]string{"govern": {"on"}, "tools": {"todo"}}, tools: []string{"todo"}, give: config.GiveOn},
		{flags: map[string][]string{"govern": {"on"}, "give-tools": {"auto"}}, fault: "leave --give-tools out"},
		{flags: map[string][]string{"govern": {"on"}, "allow-agent-commands": {"true"}}, tools: []string{"core"}, give: config.GiveOn},
		{flags: map[string][]string{"govern": {"strict"}, "allow-agent-commands": {"true"}}, fault: "--allow-agent-commands"},
		{flags: map[string][]string{"govern": {"strict"}, "no-hooks": {"true"}}, fault: "leave --no-hooks out"},
		{flags: map[string][]string{"govern": {"very"}}, fault: "write one of on, off, strict"},
	} {
		l, err := config.Load(config.Sources{Args: []string{"claude"}, Flags: c.flags})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("%v: %v, want %q", c.flags, err, c.fault)
			}
			continue
		}
		if err != nil || !slices.Equal(l.Config.Tools, c.tools) || l.Config.GiveTools != c.give {
			t.Errorf("%v: %v, tools %q, give %q", c.flags, err, l.Config.Tools, l.Config.GiveTools)
		}
	}
}
