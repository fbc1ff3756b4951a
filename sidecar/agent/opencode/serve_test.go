package opencode_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/opencode"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestServeIsStartedOnLoopbackWithAPassword(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"opencode", "opencode serve --hostname 127.0.0.1 --port 0"},
		{"opencode --pure", "opencode --pure serve --hostname 127.0.0.1 --port 0"},
		{"opencode serve --port 4100", "opencode serve --port 4100 --hostname 127.0.0.1"},
		{"opencode serve --hostname=localhost --log-level INFO", "opencode serve --hostname=localhost --log-level INFO --port 0"},
		{"node /lib/opencode.js", "node /lib/opencode.js serve --hostname 127.0.0.1 --port 0"},
	} {
		l := agenttest.Launch(t, strings.Fields(c.command)...)
		plan, err := opencode.Agent().Stream.Plan(&l)
		if got := strings.Join(plan.Argv, " "); err != nil || got != c.want {
			t.Errorf("%s is started as %q, %v; want %q", c.command, got, err, c.want)
		}
		password := spec.Getenv(plan.Env, "OPENCODE_SERVER_PASSWORD")
		if len(password) < 24 || strings.Contains(strings.Join(plan.Argv, " "), password) {
			t.Errorf("%s has the password %q", c.command, password)
		}
	}
	l := agenttest.Launch(t, "opencode")
	l.Env = append(l.Env, "OPENCODE_SERVER_PASSWORD=mine")
	if plan, err := opencode.Agent().Stream.Plan(&l); err != nil || !slices.Equal(plan.Env, l.Env) {
		t.Errorf("the user's password does not stay: %q, %v", plan.Env, err)
	}
}

func TestCommandsThatAreNoServerAreRefused(t *testing.T) {
	for command, want := range map[string]string{
		"opencode run hi":                   `run is another program of opencode's: leave it out, "serve" is started`,
		"opencode acp":                      "acp is another program",
		"opencode some/project":             `its server takes no "some/project": leave it out`,
		"opencode --model a/b":              "its server has no --model: use --agent-option model=…",
		"opencode -m a/b":                   "its server has no -m: use --agent-option model=…",
		"opencode --agent=plan":             "its server has no --agent: use --agent-option agent=…",
		"opencode --continue":               `its server takes no "--continue"`,
		"opencode serve --mdns":             `its server takes no "--mdns"`,
		"opencode serve --hostname 0.0.0.0": `--hostname "0.0.0.0" lets others reach it; leave it out`,
	} {
		l := agenttest.Launch(t, strings.Fields(command)...)
		if plan, err := opencode.Agent().Stream.Plan(&l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: started as %q, %v; want %q", command, plan.Argv, err, want)
		}
	}
}
