package opencode_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/opencode"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestAGovernedOpencodeHasNoToolsOfItsOwn(t *testing.T) {
	a := opencode.Agent()
	o := agenttest.Launch(t, "opencode")
	agenttest.Write(t, filepath.Join(spec.Getenv(o.Env, "HOME"), ".config", "opencode", "opencode.json"), `{"mcp":{"theirs":{"type":"local","command":["x"]}}}`)
	o.Env = append(agenttest.GiveTools(t, a, o).Env, "OPENCODE_PURE=0")
	plan, err := a.Governed(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"OPENCODE_PURE", "OPENCODE_DISABLE_PROJECT_CONFIG"} {
		if spec.Getenv(plan.Env, name) != "1" {
			t.Errorf("%s is %q", name, spec.Getenv(plan.Env, name))
		}
	}
	var got struct {
		MCP          map[string]map[string]any
		Tools        map[string]bool
		Permission   map[string]string
		Agent        map[string]map[string]any
		DefaultAgent string `json:"default_agent"`
		Shell        string
		LSP          bool
	}
	content := spec.Getenv(plan.Env, "OPENCODE_CONFIG_CONTENT")
	if err := json.Unmarshal([]byte(content), &got); err != nil {
		t.Fatal(err)
	}
	if got.MCP["sidecar"]["enabled"] != true || got.MCP["theirs"]["enabled"] != false || got.Tools["*"] || !got.Tools["sidecar_*"] || got.Permission["*"] != "deny" ||
		got.Permission["sidecar_*"] != "allow" || got.Agent["build"]["disable"] != true || got.Agent[got.DefaultAgent]["mode"] != "primary" || got.Shell != "/bin/false" {
		t.Errorf("the configuration is %s", content)
	}
}

func TestAGovernedOpencodeIsNotStartedWherePluginsAre(t *testing.T) {
	a := opencode.Agent()
	for _, c := range []struct{ name, file, text, want string }{
		{"a plugin of the project", "work/.opencode/plugin/x.js", "", "work/.opencode/plugin/x.js"},
		{"in the other folder", "work/.opencode/plugins/x.ts", "", "work/.opencode/plugins/x.ts"},
		{"hidden", "work/.opencode/plugin/.x.js", "", "work/.opencode/plugin/.x.js"},
		{"above the project", ".opencode/plugin/x.js", "", ".opencode/plugin/x.js"},
		{"named by the project", "work/opencode.json", `{"plugin":["./x.js"]}`, `work/opencode.json (its "plugin")`},
		{"named in the newer way", "work/opencode.jsonc", "{\"plugins\":[{\"package\":\"x\"},], // one\n}", `work/opencode.jsonc (its "plugins")`},
		{"named inside", "work/.opencode/opencode.json", `{"plugin":["x"]}`, `work/.opencode/opencode.json (its "plugin")`},
		{"named in no list", "work/opencode.json", `{"plugin":"x"}`, `work/opencode.json (its "plugin")`},
		{"no JSON", "work/opencode.json", `{"plugin":[`, "work/opencode.json (which cannot be read)"},
		{"no file", "work/opencode.json/x", "", "work/opencode.json (which cannot be read)"},
		{"the user's plugin", "home/.config/opencode/plugin/x.ts", "", "home/.config/opencode/plugin/x.ts"},
		{"the user's tool", "home/.opencode/tool/x.ts", "", "home/.opencode/tool/x.ts"},
		{"named by the user", "home/.config/opencode/opencode.json", `{"plugin":["x"]}`, `opencode/opencode.json (its "plugin")`},
		{"no plugins", "work/opencode.json", `{"plugin":[],"model":"m/m"}`, ""},
		{"no script", "work/.opencode/plugin/README.md", "", ""},
		{"a tool of the project, which is not loaded", "work/.opencode/tool/x.ts", "", ""},
		{"a plugin of something else", "work/plugin/x.js", "", ""},
		{"a file in the place of the folder", "work/.opencode", "", ""},
		{"another program's settings", "work/config.json", `{"plugins":["x"]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := agenttest.Launch(t, "opencode")
			root := filepath.Dir(o.WorkDir)
			agenttest.Write(t, filepath.Join(root, c.file), c.text)
			o.Env = agenttest.GiveTools(t, a, o).Env
			_, err := a.Governed(o)
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "move that away")):
				t.Errorf("want an error with %q, got %v", c.want, err)
			}
		})
	}
}

func TestPluginsAreFoundWhereTheWorkingDirectoryLeads(t *testing.T) {
	a := opencode.Agent()
	o := agenttest.Launch(t, "opencode")
	root := filepath.Dir(o.WorkDir)
	agenttest.Write(t, filepath.Join(root, "project", "opencode.json"), `{"plugin":["x"]}`)
	agenttest.Write(t, filepath.Join(root, "project", "inner", "x"), "")
	link := filepath.Join(root, "link")
	if err := os.Symlink(filepath.Join(root, "project", "inner"), link); err != nil {
		t.Fatal(err)
	}
	o.WorkDir = link
	o.Env = agenttest.GiveTools(t, a, o).Env
	if _, err := a.Governed(o); err == nil || !strings.Contains(err.Error(), "project/opencode.json") {
		t.Errorf("want an error that names the file, got %v", err)
	}
}

func TestWhatAGovernedOpencodeIsNotStartedWith(t *testing.T) {
	a := opencode.Agent()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--agent", "build"}, "--agent"}, {[]string{"run", "--auto"}, "--auto"}, {[]string{"run", "--command=x"}, "--command"},
		{[]string{"run", "--attach", "http://127.0.0.1:1"}, "--attach"}, {[]string{"mcp"}, "opencode mcp"}, {[]string{"run", "-m", "m/m"}, ""}, {nil, ""},
	} {
		o := agenttest.Launch(t, append([]string{"opencode"}, c.args...)...)
		err := a.Governable("oneshot", o, 1)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%q: %v, want %q", c.args, err, c.want)
		}
	}
	o := agenttest.Launch(t, "opencode")
	o.Env = append(o.Env, "OPENCODE_PERMISSION={}")
	if err := a.Governable("pty", o, 1); err == nil || !strings.Contains(err.Error(), "OPENCODE_PERMISSION") {
		t.Errorf("a variable that allows more: %v", err)
	}
}
