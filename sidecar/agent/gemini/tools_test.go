package gemini_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/gemini"
)

const ours = `"sidecar":{"command":"/opt/my tools/sidecar","args":["mcp","--channel","DIR/channel.json"],"timeout":600000,"trust":true}`

func TestGeminiIsGivenToolsInACopyOfTheSystemsSettings(t *testing.T) {
	o := agenttest.Launch(t, "gemini")
	agenttest.Protect(&o, "/")
	plan := agenttest.GiveTools(t, gemini.Agent(), o)
	file := o.Dir + "/gemini-tools.json"
	want := append(slices.Clone(o.Env), "GEMINI_CLI_SYSTEM_DEFAULTS_PATH=/etc/gemini-cli/system-defaults.json", "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+file)
	if !slices.Equal(plan.Argv, o.Argv) || !slices.Equal(plan.Env, want) {
		t.Errorf("started as %q with %q", plan.Argv, plan.Env)
	}
	written := func() string {
		t.Helper()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(data), o.Dir, "DIR")
	}
	if got := written(); got != `{"mcpServers":{`+ours+`}}` {
		t.Errorf("the settings are %s", got)
	}
	agenttest.Door(t, o, o.Dir+"/channel.json")

	// What is there stays, be it somebody's or that of our hooks.
	dir, err := os.MkdirTemp("/run", "tools-test-")
	if err != nil {
		t.Skip("needs a directory that only root can write to: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	theirs := dir + "/theirs.json"
	agenttest.Write(t, theirs, "{ // a comment\n \"model\": \"m\", \"mcpServers\": {\"theirs\": {\"url\": \"https://x\",},}}")
	o.Env = append(o.Env, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+theirs)
	plan = agenttest.GiveTools(t, gemini.Agent(), o)
	if got, want := written(), `{"mcpServers":{`+ours+`,"theirs":{"url":"https://x"}},"model":"m"}`; got != want {
		t.Errorf("merged to\n%s, want\n%s", got, want)
	}
	if defaults := "GEMINI_CLI_SYSTEM_DEFAULTS_PATH=" + dir + "/system-defaults.json"; !slices.Contains(plan.Env, defaults) {
		t.Errorf("the defaults would be looked for elsewhere: %q", plan.Env)
	}
	agenttest.Write(t, theirs, `{"mcpServers":{"sidecar":{}}}`)
	agenttest.GivesNone(t, gemini.Agent(), o, "already")
	agenttest.Write(t, theirs, `[]`)
	agenttest.GivesNone(t, gemini.Agent(), o, "cannot be read")
	agenttest.Write(t, theirs, `{}`)
	if err := os.Chmod(theirs, 0o666); err != nil {
		t.Fatal(err)
	}
	agenttest.GivesNone(t, gemini.Agent(), o, "is not to read it in a copy")
}

func TestGeminiIsGivenNoToolsWhereItWouldNotReadThem(t *testing.T) {
	o := agenttest.Launch(t, "gemini")
	agenttest.GivesNone(t, gemini.Agent(), o, "nobody but root")
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	agenttest.Protect(&o, open)
	agenttest.GivesNone(t, gemini.Agent(), o, open)
	agenttest.Protect(&o, "/")
	o.Self = "/opt/$HOME/sidecar"
	agenttest.GivesNone(t, gemini.Agent(), o, "$")
	o.Self = "/opt/sidecar"
	if err := os.Mkdir(o.WorkDir+"/.gemini", 0o700); err != nil {
		t.Fatal(err)
	}
	agenttest.Write(t, o.WorkDir+"/.gemini/settings.json", `{"mcpServers":{"sidecar":{"command":"x"}}}`)
	agenttest.GivesNone(t, gemini.Agent(), o, "already")
}
