package claude_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/claude"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

// governedSettings are the settings of a governed claude.
type governedSettings struct {
	agenttest.Settings
	APIKeyHelper string
	Env          map[string]string
	Permissions  map[string]json.RawMessage
	All          map[string]json.RawMessage `json:"-"`
}

// govern gives a launch our tools and governs it.
func govern(t *testing.T, o spec.Launch) (spec.Plan, governedSettings) {
	t.Helper()
	a := claude.Agent()
	given := agenttest.GiveTools(t, a, o)
	o.Argv, o.Env = given.Argv, given.Env
	plan, err := a.Governed(o)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(o.Dir, "claude-governed.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s governedSettings
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &s.All); err != nil {
		t.Fatal(err)
	}
	return plan, s
}

func TestAGovernedClaudeHasNoToolsOfItsOwn(t *testing.T) {
	o := agenttest.Launch(t, "claude", "--model", "m", "--", "hello")
	o.Env = append(o.Env, "CLAUDE_CODE_DISABLE_FILE_MENTIONS=0")
	plan, s := govern(t, o)
	want := []string{
		"claude", "--model", "m", "--mcp-config=" + o.Dir + "/claude-mcp.json", "--allowedTools=mcp__sidecar__*",
		"--settings", o.Dir + "/claude-governed.json", "--tools=", "--strict-mcp-config", "--permission-mode=dontAsk", "--disable-slash-commands", "--setting-sources=", "--", "hello",
	}
	if !slices.Equal(plan.Argv, want) {
		t.Errorf("started as %q", plan.Argv)
	}
	if slices.Contains(plan.Env, "CLAUDE_CODE_DISABLE_FILE_MENTIONS=0") || spec.Getenv(plan.Env, "CLAUDE_CODE_DISABLE_FILE_MENTIONS") != "1" {
		t.Errorf("started with %q", plan.Env)
	}
	if len(s.Hooks) != 1 || len(s.Hooks["PreToolUse"]) != 1 || !strings.Contains(s.Hooks["PreToolUse"][0].Hooks[0].Command, "'emit' 'hook'") {
		t.Errorf("nothing shows the use of a tool: %+v", s.Hooks)
	}
	if !strings.Contains(string(s.Permissions["deny"]), `"Bash"`) || string(s.All["disableAgentView"]) != "true" || string(s.All["disableSkillShellExecution"]) != "true" {
		t.Errorf("the settings are %s", s.All)
	}
}

// Our hooks are the only ones, and all of them are there.
func TestAGovernedClaudeReports(t *testing.T) {
	o := agenttest.Launch(t, "claude")
	o.Argv = agenttest.Prepare(t, claude.Agent(), o).Argv
	plan, s := govern(t, o)
	if n := len((&spec.Launch{Argv: plan.Argv}).Flags("--settings")); n != 1 {
		t.Errorf("%d times --settings in %q", n, plan.Argv)
	}
	for _, event := range []string{"UserPromptSubmit", "PreToolUse", "Stop"} {
		if len(s.Hooks[event]) != 1 {
			t.Errorf("hooks of %s: %+v", event, s.Hooks[event])
		}
	}
}

// The login, the model and the looks are the user's; programs, rules and servers are not.
func TestAGovernedClaudeKeepsItsLogin(t *testing.T) {
	for _, dir := range []string{".claude", "elsewhere"} {
		o := agenttest.Launch(t, "claude")
		home := spec.Getenv(o.Env, "HOME")
		if dir == "elsewhere" {
			o.Env = append(o.Env, "CLAUDE_CONFIG_DIR="+filepath.Join(home, dir))
		}
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
		const own = `{"model":"m","apiKeyHelper":"/bin/key","env":{"ANTHROPIC_BASE_URL":"u","NODE_OPTIONS":"--require x","CLAUDE_CODE_SHELL_PREFIX":"p"},
			"hooks":{"Stop":[{"hooks":[{"type":"command","command":"mine"}]}]},"permissions":{"allow":["Bash"]},"statusLine":{"type":"command","command":"x"},
			"enabledPlugins":{"p":true},"enableAllProjectMcpServers":true,"disableAllHooks":true}`
		agenttest.Write(t, filepath.Join(home, dir, "settings.json"), own)
		_, s := govern(t, o)
		if s.Model != "m" || s.APIKeyHelper != "/bin/key" || len(s.Env) != 1 || s.Env["ANTHROPIC_BASE_URL"] != "u" {
			t.Errorf("the user's are not kept: %+v", s)
		}
		for _, gone := range []string{"statusLine", "enabledPlugins", "enableAllProjectMcpServers"} {
			if s.All[gone] != nil {
				t.Errorf("%s is kept", gone)
			}
		}
		if len(s.Hooks["Stop"]) != 0 || s.Permissions["allow"] != nil || string(s.All["disableAllHooks"]) != "false" {
			t.Errorf("hooks or rules are kept: %s", s.All)
		}
		if data, err := os.ReadFile(filepath.Join(home, dir, "settings.json")); string(data) != own {
			t.Errorf("the user's file is now %q, %v", data, err)
		}
	}
}

func TestWhatAGovernedClaudeIsNotStartedWith(t *testing.T) {
	a := claude.Agent()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--dangerously-skip-permissions"}, "--dangerously-skip-permissions"},
		{[]string{"--permission-mode", "bypassPermissions"}, "--permission-mode"}, {[]string{"-p", "--tools=default"}, "--tools"},
		{[]string{"--settings", "x"}, "--settings"}, {[]string{"--mcp-config=x"}, "--mcp-config"}, {[]string{"--plugin-dir", "x"}, "--plugin-dir"},
		{[]string{"-w"}, "-w"}, {[]string{"-wx"}, "-w"}, {[]string{"agents"}, "claude agents"}, {[]string{"mcp", "serve"}, "claude mcp"},
		{[]string{"--", "--settings"}, ""}, {[]string{"--model", "m", "-p", "agents"}, ""}, {nil, ""},
	} {
		o := agenttest.Launch(t, append([]string{"claude"}, c.args...)...)
		err := a.Governable("pty", o, 1)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	o := agenttest.Launch(t, "claude")
	if err := a.Governable("acp", o, 1); err == nil || !strings.Contains(err.Error(), "use --mode pty or oneshot or stream") {
		t.Errorf("acp: %v", err)
	}
	o.Env = append(o.Env, "CLAUDE_CODE_SAFE_MODE=1")
	if err := a.Governable("pty", o, 1); err == nil || !strings.Contains(err.Error(), "CLAUDE_CODE_SAFE_MODE") {
		t.Errorf("a variable: %v", err)
	}
}

func TestClaudesHookNamesTheTool(t *testing.T) {
	a := claude.Agent()
	for name, native := range map[string]bool{"Bash": true, "WebFetch": true, "mcp__other__x": true, "mcp__sidecar__read": false, "DeferredToolPlaceholder": false} {
		r, ok := read([]byte(`{"hook_event_name":"PreToolUse","tool_name":"`+name+`"}`), nil)
		if !ok || r.Tool != name || a.Govern.Native(r.Tool) != native {
			t.Errorf("%s: %+v, %v", name, r, ok)
		}
	}
}

func TestAMessageToAGovernedClaudeIsText(t *testing.T) {
	escape := claude.Agent().Govern.Escape
	for _, c := range []struct{ mode, message, want string }{
		{"oneshot", "/help me", " /help me"}, {"oneshot", "say /help", "say /help"}, {"oneshot", "!ls", "!ls"}, {"oneshot", "", ""}, {"pty", "/help", "/help"}, {"stream", "/help", "/help"},
	} {
		if got := escape(c.mode, c.message); got != c.want {
			t.Errorf("%s: %q became %q, want %q", c.mode, c.message, got, c.want)
		}
	}
}
