package gemini_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/gemini"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestAGovernedGeminiHasNoToolsOfItsOwn(t *testing.T) {
	a := gemini.Agent()
	o := agenttest.Launch(t, "gemini", "-m", "m")
	if _, err := a.Governed(o); err == nil || !strings.Contains(err.Error(), "nobody but root") {
		t.Errorf("without a safe place: %v", err)
	}
	place := filepath.Dir(o.Dir)
	o.Protect = func(name string, data []byte, _ func(string) error) (string, error) {
		path := filepath.Join(place, name)
		return path, os.WriteFile(path, data, 0o600)
	}
	tools := filepath.Join(place, "tools.json")
	agenttest.Write(t, tools, `{"mcpServers":{"sidecar":{"command":"ours"},"theirs":{"command":"x"}},"tools":{"core":["run_shell_command"],"sandbox":false},"ui":{"theme":"dark"}}`)
	o.Env = append(o.Env, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+tools)
	plan, err := a.Governed(o)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"gemini", "-m", "m", "--admin-policy=" + place + "/gemini-policy.toml", "--allowed-mcp-server-names=sidecar", "-e=none"}
	if !slices.Equal(plan.Argv, want) {
		t.Errorf("started as %q", plan.Argv)
	}
	file := spec.Getenv(plan.Env, "GEMINI_CLI_SYSTEM_SETTINGS_PATH")
	data, err := os.ReadFile(file)
	if err != nil || file == tools {
		t.Fatal(file, err)
	}
	var got map[string]map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if len(got["mcpServers"]) != 1 || got["mcpServers"]["sidecar"] == nil || got["hooksConfig"]["enabled"] != false || got["skills"]["enabled"] != false ||
		got["tools"]["core"].([]any)[0] != "nothing_at_all" || got["mcp"]["allowed"].([]any)[0] != "sidecar" || got["ui"]["theme"] != "dark" {
		t.Errorf("the settings are %s", data)
	}
	rules, err := os.ReadFile(place + "/gemini-policy.toml")
	if err != nil || !strings.Contains(string(rules), "decision = \"deny\"\npriority = 900") || !strings.Contains(string(rules), `mcpName = "sidecar"`) {
		t.Errorf("the policy is %s, %v", rules, err)
	}
}

func TestWhatAGovernedGeminiIsNotStartedWith(t *testing.T) {
	a := gemini.Agent()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-y"}, "-y"}, {[]string{"--yolo"}, "--yolo"}, {[]string{"--approvalMode=yolo"}, "--approvalMode"}, {[]string{"-e", "all"}, "-e"},
		{[]string{"--allowed-tools", "x"}, "--allowed-tools"}, {[]string{"mcp", "list"}, "gemini mcp"}, {[]string{"-m", "m"}, ""}, {nil, ""},
	} {
		err := a.Governable("pty", agenttest.Launch(t, append([]string{"gemini"}, c.args...)...), 1)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	if err := a.Governable("acp", agenttest.Launch(t, "gemini"), 1); err == nil || !strings.Contains(err.Error(), "not measured in --mode acp") {
		t.Errorf("acp: %v", err)
	}
}

// gemini reads each file that a message names with an @, wherever it is.
func TestGeminisMentionsAreText(t *testing.T) {
	escape := gemini.Agent().Govern.Escape
	for text, want := range map[string]string{
		"look at @a.txt": `look at \@a.txt`, "@a": `\@a`, `\@a`: `\@a`, "a@b.c @x": `a\@b.c \@x`, "": "", "none": "none", `\\@a`: `\\\@a`,
	} {
		if got := escape("pty", text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
