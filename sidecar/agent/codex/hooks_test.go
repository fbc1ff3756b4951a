package codex_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/agenttest"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/codex"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
)

func TestCodexIsGivenANotify(t *testing.T) {
	o := agenttest.Launch(t, "codex", "-c", "model=notify", "resume")
	plan := agenttest.Prepare(t, codex.Agent(), o)
	want := `notify=["/opt/my tools/sidecar","emit","hook","--channel","` + o.Dir + `/channel.json","codex"]`
	if !slices.Equal(plan.Argv, append(slices.Clone(o.Argv), "-c", want)) {
		t.Errorf("started as %q", plan.Argv)
	}
	agenttest.Door(t, o, o.Dir+"/channel.json")
}

// Where the user has a notify, the answer comes by OSC 9, unless it would pop up
// before a person.
func TestCodexsOwnNotifyIsLeftAlone(t *testing.T) {
	for name, set := range map[string]func(o *spec.Launch, home string){
		"-c":        func(o *spec.Launch, _ string) { o.Argv = append(o.Argv, "-c", `notify=["mine"]`) },
		"-cX":       func(o *spec.Launch, _ string) { o.Argv = append(o.Argv, `-cnotify=["mine"]`) },
		"--config":  func(o *spec.Launch, _ string) { o.Argv = append(o.Argv, "--config", `notify = ["mine"]`) },
		"--config=": func(o *spec.Launch, _ string) { o.Argv = append(o.Argv, `--config=notify=["mine"]`) },
		"config.toml": func(_ *spec.Launch, home string) {
			agenttest.Write(t, home+"/.codex/config.toml", "model='x'\n notify = ['mine']\n")
		},
		"profile": func(_ *spec.Launch, home string) {
			agenttest.Write(t, home+"/.codex/work.config.toml", "\"notify\"=['mine']\n")
		},
		"$CODEX_HOME": func(o *spec.Launch, home string) {
			agenttest.Write(t, home+"/config.toml", "notify=['mine']")
			o.Env = append(o.Env, "CODEX_HOME="+home)
		},
		"in a section": func(_ *spec.Launch, home string) {
			agenttest.Write(t, home+"/.codex/config.toml", "[profiles.x]\nnotify=['mine']\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := agenttest.Launch(t, "codex")
			set(&o, strings.TrimPrefix(o.Env[0], "HOME="))
			a := codex.Agent()
			plan, err := a.Prepare(o)
			if err == nil || !strings.Contains(err.Error(), "notify of his own") {
				t.Errorf("error %v", err)
			}
			osc9 := []string{"-c", "tui.notifications=true", "-c", `tui.notification_method="osc9"`, "-c", `tui.notification_condition="always"`}
			if !slices.Equal(plan.Argv, append(slices.Clone(o.Argv), osc9...)) {
				t.Errorf("started as %q", plan.Argv)
			}
			o.Person = true
			agenttest.Refuses(t, codex.Agent(), o, "notify of his own")
		})
	}
}

func TestCodexsOwnNotificationsAreLeftAlone(t *testing.T) {
	o := agenttest.Launch(t, "codex", "-c", "notify=[]", "-c", "tui.notifications=false")
	a := codex.Agent()
	plan, _ := a.Prepare(o)
	if got := strings.Join(plan.Argv, " "); strings.Contains(got, "tui.notifications=true") || !strings.Contains(got, "osc9") {
		t.Errorf("started as %s", got)
	}
}
