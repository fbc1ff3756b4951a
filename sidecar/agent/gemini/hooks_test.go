package gemini_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/gemini"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// gemini reads such settings only where nobody but root can write.
func TestGeminiIsGivenSystemSettings(t *testing.T) {
	o := agenttest.Launch(t, "node", "gemini.js")
	agenttest.Refuses(t, gemini.Agent(), o, "nobody but root")
	dir, err := os.MkdirTemp("/run", "hook-test-")
	if err != nil {
		t.Skip("needs a directory that only root can write to: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o.Dir = dir
	plan := agenttest.Prepare(t, gemini.Agent(), o)
	file := dir + "/gemini-settings.json"
	if want := append(slices.Clone(o.Env), "GEMINI_CLI_SYSTEM_DEFAULTS_PATH="+file); !slices.Equal(plan.Argv, o.Argv) || !slices.Equal(plan.Env, want) {
		t.Errorf("started as %q with %q", plan.Argv, plan.Env)
	}
	s := agenttest.ReadSettings(t, file)
	if h := s.Hooks["AfterAgent"]; len(h) != 1 || !strings.Contains(h[0].Hooks[0].Command, "'--channel' '"+dir+"/channel.json' 'gemini'") || h[0].Hooks[0].Timeout < 1000 {
		t.Errorf("hooks %+v", s.Hooks)
	}
	if s.Hooks["SessionStart"] != nil {
		t.Error("keys that are typed at its start would be lost")
	}
	agenttest.Door(t, o, dir+"/channel.json")

	// Each of the system's two files may be somebody's: the other is taken.
	theirs := filepath.Join(o.WorkDir, "theirs.json")
	agenttest.Write(t, theirs, "{}")
	o.Env = append(o.Env, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH="+theirs)
	plan = agenttest.Prepare(t, gemini.Agent(), o)
	added := strings.Join(plan.Env[len(o.Env):], " ")
	if want := "GEMINI_CLI_SYSTEM_DEFAULTS_PATH=" + theirs + " GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + file; added != want {
		t.Errorf("with defaults of somebody's: %s", added)
	}
	o.Env = append(o.Env, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+theirs)
	agenttest.Refuses(t, gemini.Agent(), o, "already")
	o.Env = o.Env[:2]
	o.Self = "/opt/$HOME/sidecar"
	agenttest.Refuses(t, gemini.Agent(), o, "$")
	o.Self = "/opt/sidecar"
	if err := os.Chmod(dir, 0o770); err != nil {
		t.Fatal(err)
	}
	agenttest.Refuses(t, gemini.Agent(), o, "nobody but root")
}

func TestTailIsTheEndOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "chat.jsonl")
	cut := strings.Repeat("x", 4<<20) + "\n"
	if err := os.WriteFile(file, []byte(cut+`{"type":"gemini","content":"the answer"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, ok := read([]byte(`{"hook_event_name":"AfterAgent","transcript_path":"`+file+`"}`), spec.Tail)
	if got, want := agenttest.Describe(r, ok), `ready final text="the answer"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, missing := range []string{file + "x", filepath.Dir(file), ""} {
		r, ok := read([]byte(`{"hook_event_name":"AfterAgent","transcript_path":"`+missing+`"}`), spec.Tail)
		if got := agenttest.Describe(r, ok); got != "ready final" {
			t.Errorf("without a transcript: %s", got)
		}
	}
}

func read(payload []byte, tail func(string) []byte) (channel.Report, bool) {
	a := gemini.Agent()
	return a.Read(payload, tail)
}
