package claude_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/claude"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

func TestClaudeIsGivenSettings(t *testing.T) {
	o := agenttest.Launch(t, "claude", "--continue", "--", "--settings")
	plan := agenttest.Prepare(t, claude.Agent(), o)
	file := o.Dir + "/claude-settings.json"
	if want := []string{"claude", "--continue", "--settings", file, "--", "--settings"}; !slices.Equal(plan.Argv, want) {
		t.Errorf("started as %q", plan.Argv)
	}
	s := agenttest.ReadSettings(t, file)
	for _, event := range []string{"UserPromptSubmit", "PermissionRequest", "PostToolUse", "Stop", "StopFailure", "SessionEnd"} {
		if len(s.Hooks[event]) != 1 || len(s.Hooks[event][0].Hooks) != 1 {
			t.Fatalf("hooks of %s: %+v", event, s.Hooks[event])
		}
		h := s.Hooks[event][0].Hooks[0]
		want := "'/opt/my tools/sidecar' 'emit' 'hook' '--channel' '" + o.Dir + "/channel.json' 'claude' 2>/dev/null || :"
		if h.Type != "command" || h.Command != want || h.Timeout <= 0 {
			t.Errorf("the hook of %s is %+v", event, h)
		}
	}
	if s.Hooks["SubagentStop"] != nil {
		t.Error("the end of a subagent would be told")
	}
	agenttest.Door(t, o, o.Dir+"/channel.json")
}

// claude takes one --settings; the user's hooks and all else in his must hold.
func TestClaudesOwnSettingsAreMerged(t *testing.T) {
	const own = `{"model":"m","hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"mine"}]}],"Other":[{"hooks":[]}]}}`
	for _, form := range []string{"file", "file=", "inline", "inline=", "relative"} {
		t.Run(form, func(t *testing.T) {
			o := agenttest.Launch(t)
			file := filepath.Join(o.WorkDir, "own.json")
			if err := os.WriteFile(file, []byte(own), 0o600); err != nil {
				t.Fatal(err)
			}
			value := map[string]string{"file": file, "inline": " " + own, "relative": "own.json"}[strings.TrimSuffix(form, "=")]
			ours, at := o.Dir+"/claude-settings.json", 3
			o.Argv = []string{"claude", "-p", "--settings", value, "hi"}
			if strings.HasSuffix(form, "=") {
				o.Argv, ours, at = []string{"claude", "-p", "--settings=" + value, "hi"}, "--settings="+ours, 2
			}
			plan := agenttest.Prepare(t, claude.Agent(), o)
			want := slices.Clone(o.Argv)
			want[at] = ours
			if !slices.Equal(plan.Argv, want) {
				t.Errorf("started as %q", plan.Argv)
			}
			s := agenttest.ReadSettings(t, o.Dir+"/claude-settings.json")
			stop := s.Hooks["Stop"]
			if s.Model != "m" || len(stop) != 2 || stop[0].Matcher != "*" || stop[0].Hooks[0].Command != "mine" || len(s.Hooks["Other"]) != 1 {
				t.Errorf("merged to %+v", s)
			}
			if data, err := os.ReadFile(file); string(data) != own {
				t.Errorf("the user's file is now %q, %v", data, err)
			}
		})
	}
}

func TestClaudesOwnSettingsThatCannotBeMerged(t *testing.T) {
	for settings, why := range map[string]string{
		`{"hooks":`:    "cannot be read",
		`null`:         "no object",
		`{"hooks":[]}`: "cannot be read",
		`{"permissions":{"allow":["Read(/src/**)"]}}`: "relative",
		`{"x":"` + strings.Repeat("x", 1<<20) + `"}`:  "too long",
	} {
		o := agenttest.Launch(t)
		file := filepath.Join(o.WorkDir, "own.json")
		if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Argv = []string{"claude", "--settings", file}
		agenttest.Refuses(t, claude.Agent(), o, why)
	}
	o := agenttest.Launch(t, "claude", "--settings", "missing.json")
	agenttest.Refuses(t, claude.Agent(), o, "missing.json")
	o.Argv[2] = o.WorkDir
	agenttest.Refuses(t, claude.Agent(), o, "not a file")
	pipe := filepath.Join(o.WorkDir, "pipe") // as a shell makes of <(command)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Argv[2] = pipe
	agenttest.Refuses(t, claude.Agent(), o, "not a file")
}

// A tool's arguments may have any shape.
func TestAnyToolMayAskForPermission(t *testing.T) {
	for input, want := range map[string]string{
		`{"command":"ls"}`: "X: ls", `{"file_path":"/a","content":"b"}`: "X: /a", `{"url":"https://x/"}`: "X: https://x/",
		`{"command":["ls"]}`: "X", `7`: "X", `null`: "X", `{}`: "X",
	} {
		r, ok := read([]byte(`{"hook_event_name":"PermissionRequest","tool_name":"X","tool_input":`+input+`}`), nil)
		if !ok || r.State != channel.ReportAsking || r.Kind != "permission" || r.Message != want {
			t.Errorf("%s: %s, want %q", input, agenttest.Describe(r, ok), want)
		}
	}
}

// claude 2.1.328 marks a long text that was pasted, between others.
func TestMarksAroundAPasteAreNoPartOfThePrompt(t *testing.T) {
	const payload = `{"hook_event_name":"UserPromptSubmit","prompt":"before\n\n<pasted_content id=\"d61e\">\nfirst\n\n  <b>second</b>\n</pasted_content id=\"d61e\">\n\nafter <pasted_content id=\"x\">y</pasted_content>"}`
	r, ok := read([]byte(payload), nil)
	if !ok || !spec.Concerns(r, "before\nfirst\n\n  <b>second</b>\nafter y") {
		t.Errorf("%v, %q", ok, r.Prompt)
	}
}

func read(payload []byte, tail func(string) []byte) (channel.Report, bool) {
	a := claude.Agent()
	return a.Read(payload, tail)
}
