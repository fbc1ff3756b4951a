package claude_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/claude"
)

func TestClaudeIsGivenToolsInAdditionToTheUsers(t *testing.T) {
	o := agenttest.Launch(t, "claude", "--mcp-config", "own.json", "-p", "--", "hello")
	agenttest.Write(t, filepath.Join(o.WorkDir, "own.json"), `{"mcpServers":{"theirs":{"command":"x"}}}`)
	o.ToolTime = time.Hour
	o.Env = append(o.Env, "MCP_CONNECTION_NONBLOCKING=1") // the user's own choice stays
	plan := agenttest.GiveTools(t, claude.Agent(), o)
	file := o.Dir + "/claude-mcp.json"
	// Each of the two flags takes all arguments that follow it, unless it has a =.
	want := []string{"claude", "--mcp-config", "own.json", "-p", "--mcp-config=" + file, "--allowedTools=mcp__sidecar__*", "--", "hello"}
	waits := append(slices.Clone(o.Env), "CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS=0")
	if !slices.Equal(plan.Argv, want) || !slices.Equal(plan.Env, waits) {
		t.Errorf("started as %q with %q", plan.Argv, plan.Env)
	}
	got, err := os.ReadFile(file)
	if want := `{"mcpServers":{"sidecar":{"type":"stdio","command":"/opt/my tools/sidecar","args":["mcp","--channel","` + o.Dir + `/channel.json"],"timeout":3600000}}}`; string(got) != want || err != nil {
		t.Errorf("the servers are %s, %v; want %s", got, err, want)
	}
	agenttest.Door(t, o, o.Dir+"/channel.json")

	hooked := agenttest.Prepare(t, claude.Agent(), o)
	o.Argv = hooked.Argv
	if both := agenttest.GiveTools(t, claude.Agent(), o); len(both.Argv) != len(want)+2 {
		t.Errorf("with hooks it is started as %q", both.Argv)
	}
}

func TestClaudesOwnServerOfOurNameStays(t *testing.T) {
	const server = `{"mcpServers":{"sidecar":{"command":"x"}}}`
	for _, c := range []struct {
		name, file, text string
		args             []string
		given            bool
	}{
		{name: "user", file: "home/.claude.json", text: server},
		{name: "project", file: "work/.mcp.json", text: server},
		{name: "argument", file: "work/own.json", text: server, args: []string{"--mcp-config", "other.json", "own.json"}},
		{name: "joined argument", args: []string{"--mcp-config=" + server}},
		{name: "file that is not read", file: "work/.mcp.json", text: server, args: []string{"--strict-mcp-config"}, given: true},
		{name: "another server", file: "work/.mcp.json", text: `{"mcpServers":{"theirs":{"command":"sidecar"}}}`, given: true},
		{name: "no JSON", file: "work/.mcp.json", text: `{"mcpServers":{"sidecar"`, given: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := agenttest.Launch(t, append([]string{"claude"}, c.args...)...)
			if c.file != "" {
				agenttest.Write(t, filepath.Join(filepath.Dir(o.Dir), c.file), c.text)
			}
			if c.given {
				agenttest.GiveTools(t, claude.Agent(), o)
			} else {
				agenttest.GivesNone(t, claude.Agent(), o, "already")
			}
		})
	}
	o := agenttest.Launch(t, "claude")
	agenttest.Write(t, filepath.Dir(o.Dir)+"/home/.claude.json", `{"projects":{"`+o.WorkDir+`":`+server+`}}`)
	agenttest.GivesNone(t, claude.Agent(), o, "already")
}

func TestClaudeIsGivenNoToolsWithoutAChannel(t *testing.T) {
	o := agenttest.Launch(t, "claude")
	o.Socket = ""
	agenttest.GivesNone(t, claude.Agent(), o, "no channel")
	o = agenttest.Launch(t, "claude")
	o.Self = "/opt/${HOME}/sidecar"
	agenttest.GivesNone(t, claude.Agent(), o, "${")
}
