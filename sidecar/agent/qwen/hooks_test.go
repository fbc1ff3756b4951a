package qwen_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/qwen"
)

func TestQwenIsGivenSystemSettings(t *testing.T) {
	l := agenttest.Launch(t, "qwen", "--continue")
	plan := agenttest.Prepare(t, qwen.Agent(), l)
	file := l.Dir + "/qwen-settings.json"
	if want := append(slices.Clone(l.Env), "QWEN_CODE_SYSTEM_DEFAULTS_PATH="+file); !slices.Equal(plan.Argv, l.Argv) || !slices.Equal(plan.Env, want) {
		t.Errorf("started as %q with %q", plan.Argv, plan.Env)
	}
	s := agenttest.ReadSettings(t, file)
	if h := s.Hooks["Stop"]; len(h) != 1 || !strings.Contains(h[0].Hooks[0].Command, "'--channel' '"+l.Dir+"/channel.json' 'qwen'") || h[0].Hooks[0].Timeout < 1000 {
		t.Errorf("hooks %+v", s.Hooks)
	}
	if s.Hooks["PermissionRequest"] != nil {
		t.Error("a question would be read before it is drawn")
	}
	agenttest.Door(t, l, l.Dir+"/channel.json")
}

// Each of the system's two files may be somebody's: the other is taken.
func TestSystemSettingsOfOthersAreLeftAlone(t *testing.T) {
	l := agenttest.Launch(t, "qwen")
	theirs := filepath.Join(l.WorkDir, "theirs.json")
	agenttest.Write(t, theirs, "{}")
	l.Env = append(l.Env, "QWEN_CODE_SYSTEM_DEFAULTS_PATH="+theirs)
	plan := agenttest.Prepare(t, qwen.Agent(), l)
	if added := strings.Join(plan.Env[len(l.Env):], " "); added != "QWEN_CODE_SYSTEM_DEFAULTS_PATH="+theirs+" QWEN_CODE_SYSTEM_SETTINGS_PATH="+l.Dir+"/qwen-settings.json" {
		t.Errorf("with defaults of somebody's: %s", added)
	}
	l.Env = append(l.Env, "QWEN_CODE_SYSTEM_SETTINGS_PATH="+theirs)
	agenttest.Refuses(t, qwen.Agent(), l, "already")
	l.Token = ""
	agenttest.Refuses(t, qwen.Agent(), l, "no channel")
}
