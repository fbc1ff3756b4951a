package codex_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/codex"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

const bundled = `{"models":[{"slug":"a","shell_type":"unified_exec","apply_patch_tool_type":"freeform","tool_mode":"code_mode_only","context_window":7,
	"multi_agent_version":"v2","experimental_supported_tools":["clock"],"supports_search_tool":true}],"more":1}`

func TestAGovernedCodexHasNoToolsOfItsOwn(t *testing.T) {
	a := codex.Agent()
	o := agenttest.Launch(t, "codex", "exec", "-m", "a")
	agenttest.Write(t, filepath.Join(spec.Getenv(o.Env, "HOME"), ".codex", "config.toml"), "[mcp_servers.theirs]\ncommand = \"x\"\n[mcp_servers.\"remote\"]\nurl = \"https://x/\"\n[other]\n")
	o.Argv = agenttest.GiveTools(t, a, o).Argv
	o.Printed = []byte(bundled)
	plan, err := a.Governed(o)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Join(plan.Argv, " ")
	for _, part := range []string{
		"--disable shell_tool", "--disable unified_exec", "--disable hooks", "--disable apps", `-c web_search="disabled"`, `-c sandbox_mode="read-only"`, "-c notify=[]",
		`-c model_catalog_json="` + o.Dir + `/codex-models.json"`, "-c project_doc_max_bytes=0", "-c mcp_servers.theirs.command=\"x\" -c mcp_servers.theirs.enabled=false",
		`-c mcp_servers.remote.url="http://127.0.0.1/" -c mcp_servers.remote.enabled=false`,
	} {
		if !strings.Contains(line, part) {
			t.Errorf("%s is not in %q", part, line)
		}
	}
	if strings.Contains(line, "mcp_servers.sidecar.enabled") {
		t.Errorf("our server is switched off: %q", line)
	}
	data, err := os.ReadFile(filepath.Join(o.Dir, "codex-models.json"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		More   int
		Models []map[string]any
	}
	if err := json.Unmarshal(data, &got); err != nil || got.More != 1 || len(got.Models) != 1 {
		t.Fatalf("%s: %v", data, err)
	}
	m := got.Models[0]
	if m["slug"] != "a" || m["context_window"] != 7.0 || m["shell_type"] != "disabled" || m["apply_patch_tool_type"] != nil || m["tool_mode"] != "direct" ||
		m["multi_agent_version"] != "disabled" || m["supports_search_tool"] != false || len(m["experimental_supported_tools"].([]any)) != 0 {
		t.Errorf("the model is %v", m)
	}
	o.Argv = agenttest.Prepare(t, a, o).Argv
	if plan, err = a.Governed(o); err != nil || slices.Contains(plan.Argv, "notify=[]") {
		t.Errorf("our hook is off: %q, %v", plan.Argv, err)
	}
}

func TestACodexThatCannotBeGoverned(t *testing.T) {
	a := codex.Agent()
	for _, c := range []struct{ config, printed, want string }{
		{"", "nothing", "no catalogue"}, {"", `{"models":[]}`, "no catalogue"},
		{"mcp_servers = { x = { command = \"y\" } }\n", bundled, "in one table or line"}, {"[mcp_servers]\nx = { command = \"y\" }\n", bundled, "in one table or line"},
		{"[mcp_servers.\"a.b\"]\ncommand = \"y\"\n", bundled, "without a dot"},
	} {
		o := agenttest.Launch(t, "codex")
		agenttest.Write(t, filepath.Join(spec.Getenv(o.Env, "HOME"), ".codex", "config.toml"), c.config)
		o.Printed = []byte(c.printed)
		if _, err := a.Governed(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.config, err, c.want)
		}
	}
}

func TestWhatAGovernedCodexIsNotStartedWith(t *testing.T) {
	a := codex.Agent()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--dangerously-bypass-approvals-and-sandbox"}, "--dangerously-bypass-approvals-and-sandbox"}, {[]string{"-c", "features.shell_tool=true"}, "-c features"},
		{[]string{"exec", "-cmcp_servers.x.command=y"}, "-c mcp_servers"}, {[]string{"--config=notify=[\"x\"]"}, "--config notify"}, {[]string{"-s", "read-only"}, "-s"},
		{[]string{"--enable", "hooks"}, "--enable"}, {[]string{"mcp"}, "codex mcp"}, {[]string{"-c", "model=\"m\"", "exec", "-"}, ""}, {nil, ""},
	} {
		o := agenttest.Launch(t, append([]string{"codex"}, c.args...)...)
		err := a.Governable("oneshot", o, 1)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}

func TestCodexsOwnTools(t *testing.T) {
	a := codex.Agent()
	for name, native := range map[string]bool{"shell": true, "apply_patch": true, "web_search": true, "other.tool": true, "sidecar.read": false, "list_mcp_resources": false} {
		if a.Govern.Native(name) != native {
			t.Errorf("%s", name)
		}
	}
}
