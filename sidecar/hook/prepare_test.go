package hook_test

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/hook"
)

const secret = "the-token"

// options are those of a session with everything, in a home without settings.
func options(t *testing.T, agent string, argv ...string) hook.Options {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"home/.codex", "session", "work"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return hook.Options{
		Agent: agent, Argv: argv, Env: []string{"HOME=" + dir + "/home", "PATH=/bin"}, WorkDir: dir + "/work",
		Dir: dir + "/session", Self: "/opt/my tools/sidecar", Socket: "/run/x/sock", Token: secret,
	}
}

// prepare expects hooks, and that their secret is where it belongs.
func prepare(t *testing.T, o hook.Options) hook.Plan {
	t.Helper()
	before := slices.Concat(o.Argv, o.Env)
	plan, err := hook.Prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.Join(plan.Argv, " "), secret) {
		t.Errorf("the token can be read by anybody: %q", plan.Argv)
	}
	if !slices.Equal(before, slices.Concat(o.Argv, o.Env)) {
		t.Error("the caller's arguments were changed")
	}
	return plan
}

// refuses expects none, for a reason, and the agent as it was.
func refuses(t *testing.T, o hook.Options, why string) {
	t.Helper()
	plan, err := hook.Prepare(o)
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("want an error with %q, got %v", why, err)
	}
	if !slices.Equal(plan.Argv, o.Argv) || !slices.Equal(plan.Env, o.Env) || plan.Source != nil {
		t.Errorf("the agent was changed all the same: %+v", plan)
	}
}

// door expects that a file is private and leads to the channel.
func door(t *testing.T, o hook.Options, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || filepath.Dir(path) != o.Dir {
		t.Errorf("%s has mode %s", path, info.Mode())
	}
	if socket, token, err := hook.OpenDoor(path); socket != o.Socket || token != secret || err != nil {
		t.Errorf("the door leads to %q with %q, %v", socket, token, err)
	}
}

// claudeSettings reads the settings that claude is given.
func claudeSettings(t *testing.T, file string) (s struct {
	Hooks map[string][]struct {
		Matcher string
		Hooks   []struct {
			Type, Command string
			Timeout       int
		}
	}
	Model string
}) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestClaudeIsGivenSettings(t *testing.T) {
	o := options(t, "claude", "claude", "--continue", "--", "--settings")
	plan := prepare(t, o)
	file := o.Dir + "/claude-settings.json"
	if want := []string{"claude", "--continue", "--settings", file, "--", "--settings"}; !slices.Equal(plan.Argv, want) {
		t.Errorf("started as %q", plan.Argv)
	}
	s := claudeSettings(t, file)
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
	door(t, o, o.Dir+"/channel.json")
}

// claude takes one --settings; the user's hooks and all else in his must hold.
func TestClaudesOwnSettingsAreMerged(t *testing.T) {
	const own = `{"model":"m","hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"mine"}]}],"Other":[{"hooks":[]}]}}`
	for _, form := range []string{"file", "file=", "inline", "inline=", "relative"} {
		t.Run(form, func(t *testing.T) {
			o := options(t, "claude")
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
			plan := prepare(t, o)
			want := slices.Clone(o.Argv)
			want[at] = ours
			if !slices.Equal(plan.Argv, want) {
				t.Errorf("started as %q", plan.Argv)
			}
			s := claudeSettings(t, o.Dir+"/claude-settings.json")
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
		o := options(t, "claude")
		file := filepath.Join(o.WorkDir, "own.json")
		if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
		o.Argv = []string{"claude", "--settings", file}
		refuses(t, o, why)
	}
	o := options(t, "claude", "claude", "--settings", "missing.json")
	refuses(t, o, "missing.json")
	o.Argv[2] = o.WorkDir
	refuses(t, o, "not a file")
	pipe := filepath.Join(o.WorkDir, "pipe") // as a shell makes of <(command)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	o.Argv[2] = pipe
	refuses(t, o, "not a file")
}

func TestCodexIsGivenANotify(t *testing.T) {
	o := options(t, "codex", "codex", "-c", "model=notify", "resume")
	plan := prepare(t, o)
	want := `notify=["/opt/my tools/sidecar","emit","hook","--channel","` + o.Dir + `/channel.json","codex"]`
	if !slices.Equal(plan.Argv, append(slices.Clone(o.Argv), "-c", want)) {
		t.Errorf("started as %q", plan.Argv)
	}
	door(t, o, o.Dir+"/channel.json")
}

// Where the user has a notify, the answer comes by OSC 9, unless it would pop up
// before a person.
func TestCodexsOwnNotifyIsLeftAlone(t *testing.T) {
	for name, set := range map[string]func(o *hook.Options, home string){
		"-c":        func(o *hook.Options, _ string) { o.Argv = append(o.Argv, "-c", `notify=["mine"]`) },
		"-cX":       func(o *hook.Options, _ string) { o.Argv = append(o.Argv, `-cnotify=["mine"]`) },
		"--config":  func(o *hook.Options, _ string) { o.Argv = append(o.Argv, "--config", `notify = ["mine"]`) },
		"--config=": func(o *hook.Options, _ string) { o.Argv = append(o.Argv, `--config=notify=["mine"]`) },
		"config.toml": func(_ *hook.Options, home string) {
			write(t, home+"/.codex/config.toml", "model='x'\n notify = ['mine']\n")
		},
		"profile": func(_ *hook.Options, home string) { write(t, home+"/.codex/work.config.toml", "\"notify\"=['mine']\n") },
		"$CODEX_HOME": func(o *hook.Options, home string) {
			write(t, home+"/config.toml", "notify=['mine']")
			o.Env = append(o.Env, "CODEX_HOME="+home)
		},
		"in a section": func(_ *hook.Options, home string) {
			write(t, home+"/.codex/config.toml", "[profiles.x]\nnotify=['mine']\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(t, "codex", "codex")
			set(&o, strings.TrimPrefix(o.Env[0], "HOME="))
			plan, err := hook.Prepare(o)
			if err == nil || !strings.Contains(err.Error(), "notify of his own") {
				t.Errorf("error %v", err)
			}
			osc9 := []string{"-c", "tui.notifications=true", "-c", `tui.notification_method="osc9"`, "-c", `tui.notification_condition="always"`}
			if !slices.Equal(plan.Argv, append(slices.Clone(o.Argv), osc9...)) {
				t.Errorf("started as %q", plan.Argv)
			}
			o.Person = true
			refuses(t, o, "notify of his own")
		})
	}
}

func TestCodexsOwnNotificationsAreLeftAlone(t *testing.T) {
	o := options(t, "codex", "codex", "-c", "notify=[]", "-c", "tui.notifications=false")
	plan, _ := hook.Prepare(o)
	if got := strings.Join(plan.Argv, " "); strings.Contains(got, "tui.notifications=true") || !strings.Contains(got, "osc9") {
		t.Errorf("started as %s", got)
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// gemini reads such settings only where nobody but root can write.
func TestGeminiIsGivenSystemSettings(t *testing.T) {
	o := options(t, "gemini", "node", "gemini.js")
	refuses(t, o, "nobody but root")
	dir, err := os.MkdirTemp("/run", "hook-test-")
	if err != nil {
		t.Skip("needs a directory that only root can write to: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o.Dir = dir
	plan := prepare(t, o)
	file := dir + "/gemini-settings.json"
	if want := append(slices.Clone(o.Env), "GEMINI_CLI_SYSTEM_DEFAULTS_PATH="+file); !slices.Equal(plan.Argv, o.Argv) || !slices.Equal(plan.Env, want) {
		t.Errorf("started as %q with %q", plan.Argv, plan.Env)
	}
	s := claudeSettings(t, file)
	if h := s.Hooks["AfterAgent"]; len(h) != 1 || !strings.Contains(h[0].Hooks[0].Command, "'--channel' '"+dir+"/channel.json' 'gemini'") || h[0].Hooks[0].Timeout < 1000 {
		t.Errorf("hooks %+v", s.Hooks)
	}
	if s.Hooks["SessionStart"] != nil {
		t.Error("keys that are typed at its start would be lost")
	}
	door(t, o, dir+"/channel.json")

	// Each of the system's two files may be somebody's: the other is taken.
	theirs := filepath.Join(o.WorkDir, "theirs.json")
	write(t, theirs, "{}")
	o.Env = append(o.Env, "GEMINI_CLI_SYSTEM_DEFAULTS_PATH="+theirs)
	plan = prepare(t, o)
	added := strings.Join(plan.Env[len(o.Env):], " ")
	if want := "GEMINI_CLI_SYSTEM_DEFAULTS_PATH=" + theirs + " GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + file; added != want {
		t.Errorf("with defaults of somebody's: %s", added)
	}
	o.Env = append(o.Env, "GEMINI_CLI_SYSTEM_SETTINGS_PATH="+theirs)
	refuses(t, o, "already")
	o.Env = o.Env[:2]
	o.Self = "/opt/$HOME/sidecar"
	refuses(t, o, "$")
	o.Self = "/opt/sidecar"
	if err := os.Chmod(dir, 0o770); err != nil {
		t.Fatal(err)
	}
	refuses(t, o, "nobody but root")
}

func TestOpencodeIsGivenAPortAndAPassword(t *testing.T) {
	o := options(t, "opencode", "opencode", "--continue")
	plan := prepare(t, o)
	if len(plan.Argv) != 4 || plan.Argv[2] != "--port" {
		t.Fatalf("started as %q", plan.Argv)
	}
	if ln, err := net.Listen("tcp", "127.0.0.1:"+plan.Argv[3]); err != nil {
		t.Errorf("the port is not free: %v", err)
	} else {
		ln.Close()
	}
	password, ok := strings.CutPrefix(plan.Env[len(plan.Env)-1], "OPENCODE_SERVER_PASSWORD=")
	if !ok || len(password) < 24 || strings.Contains(strings.Join(plan.Argv, " "), password) {
		t.Errorf("with %q", plan.Env)
	}
	if again := prepare(t, o); slices.Equal(again.Env, plan.Env) {
		t.Error("the password is always the same")
	}
	if plan.Source == nil {
		t.Error("nobody reads the events")
	}
}

func TestOpencodesOwnServerIsUsed(t *testing.T) {
	o := options(t, "opencode", "opencode", "--port=4096", "dir")
	o.Env = append(o.Env, "OPENCODE_SERVER_PASSWORD=mine")
	plan := prepare(t, o)
	if !slices.Equal(plan.Argv, o.Argv) || !slices.Equal(plan.Env, o.Env) || plan.Source == nil {
		t.Errorf("started as %+v", plan)
	}
	o.Argv = []string{"opencode", "--port", "0"}
	if plan := prepare(t, o); len(plan.Argv) != 3 || plan.Argv[2] == "0" {
		t.Errorf("nobody knows the port: %q", plan.Argv)
	}
	o.Argv = []string{"opencode", "run", "hi"}
	refuses(t, o, "another program")
}

func TestOthersAreLeftAlone(t *testing.T) {
	o := options(t, "bash", "bash", "-i")
	plan := prepare(t, o)
	if !slices.Equal(plan.Argv, o.Argv) || !slices.Equal(plan.Env, o.Env) || plan.Source != nil {
		t.Errorf("started as %+v", plan)
	}
	left, err := os.ReadDir(o.Dir)
	if err != nil || len(left) > 0 {
		t.Errorf("files %v, %v", left, err)
	}
}

func TestNoChannelNoHooks(t *testing.T) {
	for _, agent := range []string{"claude", "gemini"} {
		for _, take := range []func(*hook.Options){
			func(o *hook.Options) { o.Dir = "" }, func(o *hook.Options) { o.Socket = "" }, func(o *hook.Options) { o.Self = "" }, func(o *hook.Options) { o.Token = "" },
		} {
			o := options(t, agent, agent)
			if agent == "gemini" {
				if o.Dir = "/run"; os.Geteuid() != 0 {
					continue
				}
			}
			take(&o)
			refuses(t, o, "no channel")
		}
	}
	refuses(t, options(t, "claude"), "no command")
}
