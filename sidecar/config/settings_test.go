package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/config"
)

// sample is a value of a setting that is not its default.
type sample struct {
	text     string // as a flag or our variable has it
	platform string // as the platform writes it, "" for the same
	shown    string // as it is printed, "" for the same
}

func samples(t *testing.T) map[string]sample {
	return map[string]sample{
		"mode": {text: "oneshot"}, "agent-option": {text: "mode=plan,model=m/1=2"}, "workspace": {text: t.TempDir()}, "user": {text: "1000:1001"},
		"cancel-grace": {text: "3s", platform: "3000"}, "drain-timeout": {text: "0s"}, "headless": {text: "true"},
		"runtime-dir": {text: "/r"}, "state-dir": {text: "/s"}, "host": {text: "::1"}, "port": {text: "0"},
		"public-url": {text: "https://a.example/x"}, "allow-anonymous": {text: "yes", shown: "true"}, "name": {text: "n"},
		"card": {text: tempFile(t, "card.json", "{}")}, "max-body": {text: "1MiB"}, "header-timeout": {text: "1s"},
		"idle-timeout": {text: "90s", shown: "1m30s"}, "stall-timeout": {text: "1m"}, "manifest": {text: "t.json"},
		"accept": {text: "image/*,text/markdown"}, "allowed-host": {text: "agent.example,agent:8999"}, "cors": {text: "https://chat.example"},
		"manifest-lenient": {text: "true"}, "give-tools": {text: "true", shown: "on"}, "govern": {text: "strict"}, "tools": {text: "core,todo"}, "skills": {text: t.TempDir()}, "workspace-skills": {text: "true"}, "reserved-namespace": {text: "acme,git.hub"}, "root": {text: t.TempDir() + "," + t.TempDir()}, "unprotect": {text: ".envrc,.vscode"}, "call-timeout": {text: "2h"},
		"fetch-host": {text: "localhost:3000,10.0.0.0/8"}, "search-provider": {text: "acme.search,acme.other"}, "search-calls": {text: "3"}, "search-timeout": {text: "20s"},
		"mcp-config": {text: tempFile(t, "mcp.json", "{}")}, "mcp-lock": {text: "/l.json"}, "mcp-unlocked": {text: "refuse"},
		"agents": {text: tempFile(t, "agents.json", "{}")}, "budget": {text: "calls=5,cost=0.25,time=10m", shown: "calls=5,cost=0.25,time=10m"},
		"task-depth": {text: "1"}, "task-number": {text: "2"}, "task-timeout": {text: "5m"},
		"mcp-proxy-url": {text: "https://platform.example/mcp"}, "policy": {text: "preset:workspace"}, "trust-project": {text: "true"},
		"max-output": {text: "200KiB"}, "output-bytes": {text: "2GiB"}, "outputs-total": {text: "20GiB"}, "changes-total": {text: "1GiB"}, "changes-file": {text: "1MiB"}, "sandbox": {text: "required"}, "tool-prompt": {text: "call {name}"}, "max-concurrency": {text: "2"}, "queue": {text: "0"},
		"watchdog": {text: "unix:/run/guard"}, "watchdog-timeout": {text: "2s"}, "audit": {text: "/var/log/audit"},
		"turn-timeout": {text: "5m"}, "ask-timeout": {text: "1h"}, "task-bytes": {text: "1MB"},
		"keep-bytes": {text: "1.5GiB", shown: "1536MiB"}, "retain-bytes": {text: "2GiB"}, "retain-for": {text: "720h"},
		"sessions": {text: "3"}, "session-idle": {text: "1m"}, "mcp-sessions": {text: "3"}, "mcp-caller-sessions": {text: "3"}, "mcp-session-idle": {text: "1m"}, "restart": {text: "always"},
		"deliver": {text: "channel"}, "profile": {text: "claude"}, "no-hooks": {text: "true"}, "record": {text: "/r.cast"}, "ready-timeout": {text: "2s"}, "prompt-pattern": {text: "x$"}, "allow-agent-commands": {text: "1", shown: "true"},
		"terminal": {text: "off"}, "size": {text: "80x24"}, "tee": {text: "on", shown: "true"},
		"output-format": {text: "json"}, "thread-id-arg-create": {text: "--session-id"}, "thread-id-arg-resume": {text: "--resume"},
		"log-level": {text: "debug"}, "log-format": {text: "json"}, "log-file": {text: "/l"},
		"token-file": {text: tempFile(t, "tokens", "")}, "tls-cert": {text: tempFile(t, "cert", "")}, "tls-key": {text: tempFile(t, "key", "")},
		"tls-client-ca": {text: tempFile(t, "ca", "")}, "max-connections": {text: "100"}, "max-requests": {text: "0"},
		"caller-requests": {text: "7"}, "max-inflight": {text: "1GiB"}, "caller-inflight": {text: "0"}, "caller-rate": {text: "0.5"},
		"caller-burst": {text: "3"}, "push": {text: "off"}, "push-allow-private": {text: "true"}, "push-timeout": {text: "15s"},
		"push-retry-for": {text: "24h"}, "push-concurrency": {text: "4"}, "operators": {text: "alice,bob"},
		"config": {text: tempFile(t, "empty.json", "{}")}, "grants": {text: tempFile(t, "grants.json", "{}")}, "surface": {text: tempFile(t, "surface.json", "{}")},
		"image-digest": {text: "sha256:" + strings.Repeat("0a", 32)},
	}
}

func tempFile(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A setting that the table has and one of the sources does not reach would be
// documented and dead.
func TestEverySettingIsReachedBySource(t *testing.T) {
	all := samples(t)
	for _, s := range config.Settings() {
		v, found := all[s.Name]
		if !found {
			t.Errorf("%s has no sample in this test", s.Name)
			continue
		}
		if v.shown == "" {
			v.shown = v.text
		}
		t.Run(s.Name, func(t *testing.T) {
			reached(t, s, v.shown, config.FromFlag, config.Sources{Flags: map[string][]string{s.Name: {v.text}}})
			if env := s.Env(); env != "" {
				reached(t, s, v.shown, config.FromEnv, config.Sources{Environ: []string{env + "=" + v.text}})
			}
			if s.Platform != "" {
				text := v.platform
				if text == "" {
					text = v.text
				}
				reached(t, s, v.shown, config.FromPlatform, config.Sources{Environ: []string{s.Platform + "=" + text}})
			}
			if s.InFile() {
				doc, _ := json.Marshal(map[string]string{s.Name: v.text})
				reached(t, s, v.shown, config.FromFile, fromFile(t, string(doc)))
			}
		})
	}
}

func fromFile(t *testing.T, doc string) config.Sources {
	return config.Sources{Flags: map[string][]string{"config": {tempFile(t, "sidecar.json", doc)}}}
}

func reached(t *testing.T, s config.Setting, want string, from config.From, src config.Sources) {
	t.Helper()
	loaded, _ := config.Load(src) // others may be missing
	got := value(t, loaded, s.Name)
	if got.Text != want || got.Origin.From != from {
		t.Errorf("got %q from %v (%d), want %q from %d", got.Text, got.Origin, got.Origin.From, want, from)
	}
}

func value(t *testing.T, l *config.Loaded, name string) config.Value {
	t.Helper()
	for _, v := range l.Values {
		if v.Setting.Name == name {
			return v
		}
	}
	t.Fatalf("no value of %s", name)
	return config.Value{}
}

func TestPrecedence(t *testing.T) {
	file := tempFile(t, "c.json", `{"port": 4}`)
	src := config.Sources{
		Args:    []string{"cat"},
		Flags:   map[string][]string{"port": {"0", "1"}, "config": {file}},
		Environ: []string{"SIDECAR_PORT=2", "AGENT_PORT=3"},
	}
	steps := []struct {
		want string
		drop func()
	}{
		{"1", func() { delete(src.Flags, "port") }},
		{"2", func() { src.Environ[0] = "SIDECAR_PORT=" }}, // empty is unset
		{"3", func() { src.Environ[1] = "AGENT_PORT=" }},
		{"4", func() { delete(src.Flags, "config") }},
		{"8999", func() {}},
	}
	for _, step := range steps {
		loaded, err := config.Load(src)
		if err != nil {
			t.Fatal(err)
		}
		if got := value(t, loaded, "port"); got.Text != step.want {
			t.Errorf("port is %s (%v), want %s", got.Text, got.Origin, step.want)
		}
		step.drop()
	}
}

func TestDefaultsAreValid(t *testing.T) {
	c := config.DefaultConfig()
	c.Command = []string{"cat"}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	loaded, err := config.Load(config.Sources{Args: []string{"cat"}})
	if err != nil {
		t.Fatal(err)
	}
	if got := loaded.Config; got.Port != c.Port || got.CancelGrace != c.CancelGrace || got.Host != "127.0.0.1" || got.MaxOutput != 200_000 {
		t.Errorf("Load without sources is not DefaultConfig: %+v", got)
	}
}

func TestHelpFitsItsColumns(t *testing.T) {
	for _, s := range config.Settings() {
		if s.Group == "" || s.Doc == "" || len(s.Doc) > 66 || strings.HasSuffix(s.Doc, ".") {
			t.Errorf("--%s: group %q, doc %q", s.Name, s.Group, s.Doc)
		}
	}
}
