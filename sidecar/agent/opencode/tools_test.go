package opencode_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/opencode"
)

func TestOpencodeIsGivenToolsInAdditionToTheUsers(t *testing.T) {
	const ours = `"sidecar":{"type":"local","command":["/opt/my tools/sidecar","mcp","--channel","DIR/channel.json"],"enabled":true,"timeout":600000}`
	for own, want := range map[string]string{
		"": `{"mcp":{` + ours + `}}`,
		"{/* of theirs */ \"mcp\": {\"theirs\": {\"x\": \"// kept, \\\" too\",},}, \"share\": \"disabled\"}": `{"mcp":{` + ours + `,"theirs":{"x":"// kept, \" too"}},"share":"disabled"}`,
	} {
		o := agenttest.Launch(t, "opencode", "run")
		if own != "" {
			o.Env = append(o.Env, "OPENCODE_CONFIG_CONTENT="+own)
		}
		plan := agenttest.GiveTools(t, opencode.Agent(), o)
		if got := strings.ReplaceAll(plan.Env[len(plan.Env)-1], o.Dir, "DIR"); got != "OPENCODE_CONFIG_CONTENT="+want || !slices.Equal(plan.Argv, o.Argv) {
			t.Errorf("started as %q with\n%s, want\n%s", plan.Argv, got, want)
		}
		agenttest.Door(t, o, o.Dir+"/channel.json")
	}
}

func TestOpencodesOwnServerOfOurNameStays(t *testing.T) {
	const server = `{"mcp":{"sidecar":{"type":"remote","url":"https://x"}}}`
	for _, file := range []string{"home/.config/opencode/opencode.json", "work/opencode.jsonc", "work/.opencode/opencode.json"} {
		o := agenttest.Launch(t, "opencode")
		path := filepath.Join(filepath.Dir(o.Dir), file)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		agenttest.Write(t, path, "// theirs\n"+server)
		agenttest.GivesNone(t, opencode.Agent(), o, path)
	}
	o := agenttest.Launch(t, "opencode")
	o.Env = append(o.Env, "OPENCODE_CONFIG_CONTENT="+server)
	agenttest.GivesNone(t, opencode.Agent(), o, "already")
	o.Env = append(o.Env, "OPENCODE_CONFIG_CONTENT=mcp:")
	agenttest.GivesNone(t, opencode.Agent(), o, "cannot be read")
	o = agenttest.Launch(t, "opencode")
	o.Self = "/opt/{env:HOME}/sidecar"
	agenttest.GivesNone(t, opencode.Agent(), o, "{env:")
}
