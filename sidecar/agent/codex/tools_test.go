package codex_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/codex"
)

func TestCodexIsGivenToolsInAdditionToTheUsers(t *testing.T) {
	o := agenttest.Launch(t, "codex", "exec", "-c", `mcp_servers.theirs.command="x"`, "-")
	o.Self = `/opt/my "tools"/sidecar`
	plan := agenttest.GiveTools(t, codex.Agent(), o)
	want := append(slices.Clone(o.Argv),
		"-c", `mcp_servers.sidecar.command="/opt/my \"tools\"/sidecar"`,
		"-c", `mcp_servers.sidecar.args=["mcp","--channel","`+o.Dir+`/channel.json"]`,
		"-c", `mcp_servers.sidecar.default_tools_approval_mode="approve"`,
		"-c", "mcp_servers.sidecar.tool_timeout_sec=600",
		"-c", "mcp_servers.sidecar.startup_timeout_sec=60")
	if !slices.Equal(plan.Argv, want) || !slices.Equal(plan.Env, o.Env) {
		t.Errorf("started as %q with %q", plan.Argv, plan.Env)
	}
	agenttest.Door(t, o, o.Dir+"/channel.json")
}

func TestCodexsOwnServerOfOurNameStays(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		args       []string
		given      bool
	}{
		"table":           {file: "home/.codex/config.toml", text: "[mcp_servers.sidecar]\nurl = \"https://x\"\n"},
		"quoted":          {file: "home/.codex/config.toml", text: "[ mcp_servers . \"sidecar\" ]\n"},
		"part of a table": {file: "home/.codex/config.toml", text: "[mcp_servers.sidecar.env]\n"},
		"below the table": {file: "home/.codex/config.toml", text: "[mcp_servers]\nsidecar = { command = \"x\" }\n"},
		"dotted":          {file: "home/.codex/config.toml", text: "mcp_servers.sidecar.command = \"x\"\n"},
		"inline":          {file: "home/.codex/config.toml", text: "mcp_servers = { sidecar = { command = \"x\" } }\n"},
		"project":         {file: "work/.codex/config.toml", text: "[mcp_servers.sidecar]\n"},
		"argument":        {args: []string{"-c", `mcp_servers.sidecar.command="x"`}},
		"joined argument": {args: []string{`--config=mcp_servers={sidecar={command="x"}}`}},
		"another server":  {file: "home/.codex/config.toml", text: "[mcp_servers.sidecars]\ncommand = \"sidecar\"\n# [mcp_servers.sidecar]\n", given: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := agenttest.Launch(t, append([]string{"codex"}, c.args...)...)
			if c.file != "" {
				file := filepath.Join(filepath.Dir(o.Dir), c.file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				agenttest.Write(t, file, c.text)
			}
			if c.given {
				agenttest.GiveTools(t, codex.Agent(), o)
			} else {
				agenttest.GivesNone(t, codex.Agent(), o, "already")
			}
		})
	}
}
