package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

func TestAgentOptions(t *testing.T) {
	with := func(mode string, given ...string) (*config.Loaded, error) {
		return config.Load(config.Sources{Args: []string{"agent"}, Flags: map[string][]string{"mode": {mode}, "agent-option": given}})
	}
	l, err := with("acp", "mode=plan", "model=a/b=c, effort=high")
	want := []config.AgentOption{{Key: "mode", Value: "plan"}, {Key: "model", Value: "a/b=c"}, {Key: "effort", Value: "high"}}
	if err != nil || !slices.Equal(l.Config.AgentOptions, want) {
		t.Errorf("%v, %v", l.Config.AgentOptions, err)
	}
	if _, err := with("stream", "mode=plan"); err != nil {
		t.Error(err)
	}
	many := make([]string, 65)
	for i := range many {
		many[i] = strings.Repeat("k", i+1) + "=v"
	}
	for _, c := range []struct {
		mode  string
		given []string
		says  string
	}{
		{"pty", []string{"mode=plan"}, "--agent-option needs --mode acp or --mode stream"},
		{"acp", []string{"plan"}, `"plan" is not KEY=VALUE`},
		{"acp", []string{"=plan"}, "is not KEY=VALUE"},
		{"acp", []string{"mode="}, "is not KEY=VALUE"},
		{"acp", []string{"mode=a", "mode=b"}, `gives "mode" twice`},
		{"acp", []string{"mode=a\x1b[2J"}, "cannot be seen"},
		{"acp", []string{"k=" + strings.Repeat("v", 4<<10)}, "holds an option of 4098 bytes"},
		{"acp", many, "holds 65 options"},
	} {
		if _, err := with(c.mode, c.given...); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %.40q: %v, want %q", c.mode, c.given, err, c.says)
		}
	}
	if _, err := with("acp", many[:64]...); err != nil {
		t.Error(err)
	}
}

func TestAutoIsSettledBeforeTheRestIsChecked(t *testing.T) {
	load := func(mode string, choose config.Chooser) (*config.Loaded, error) {
		return config.Load(config.Sources{Args: []string{"agent"}, Flags: map[string][]string{"mode": {mode}, "agent-option": {"a=b"}, "size": {"80x24"}}, Choose: choose})
	}
	choose := func(c *config.Config) (string, string) {
		if c.Command[0] != "agent" || c.Size.Cols != 80 {
			t.Errorf("asked with %+v", c)
		}
		return config.ModeStream, "it says so"
	}
	l, err := load("auto", choose)
	if err != nil || l.Config.Mode != config.ModeStream || l.Config.ModeWhy != "it says so" {
		t.Errorf("%q %q %v", l.Config.Mode, l.Config.ModeWhy, err)
	}
	if len(l.Warnings) != 1 || !strings.Contains(l.Warnings[0], "no effect with --mode stream") {
		t.Errorf("warnings %q", l.Warnings)
	}
	var out strings.Builder
	if err := l.Print(&out); err != nil || !strings.Contains(out.String(), "auto: stream, because it says so") {
		t.Errorf("%v\n%s", err, out.String())
	}
	if l, err := load("acp", choose); err != nil || l.Config.Mode != config.ModeACP || l.Config.ModeWhy != "" {
		t.Errorf("a mode that was given became %q (%q), %v", l.Config.Mode, l.Config.ModeWhy, err)
	}
	if l.Config.Passthrough(true) || !l.Config.Person(true) {
		t.Error("a person's terminal is the agent's in pty alone")
	}
}
