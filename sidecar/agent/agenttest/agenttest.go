// Package agenttest is what the tests of agents' folders share: it starts an agent
// in a session that has everything, and says what its hooks must be like. It is for
// tests only.
package agenttest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

const secret = "the-token"

// Launch returns the launch of a session with everything, in a home without settings.
func Launch(t *testing.T, argv ...string) spec.Launch {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"home/.codex", "session", "work"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return spec.Launch{
		Argv: argv, Env: []string{"HOME=" + dir + "/home", "PATH=/bin"}, WorkDir: dir + "/work",
		Dir: dir + "/session", Self: "/opt/my tools/sidecar", Socket: "/run/x/sock", Token: secret,
	}
}

// Prepare expects hooks, and that their secret is only where it belongs.
func Prepare(t *testing.T, a spec.Agent, l spec.Launch) spec.Plan {
	t.Helper()
	before := slices.Concat(l.Argv, l.Env)
	plan, err := a.Prepare(l)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.Join(plan.Argv, " "), secret) {
		t.Errorf("the token can be read by anybody: %q", plan.Argv)
	}
	unchanged(t, l, before)
	return plan
}

// unchanged expects that the command and the environment of a Launch are what they were.
func unchanged(t *testing.T, l spec.Launch, before []string) {
	t.Helper()
	if !slices.Equal(before, slices.Concat(l.Argv, l.Env)) {
		t.Error("the caller's arguments were changed")
	}
}

// Refuses expects that there are no hooks, for a reason, and that the agent is as it
// was.
func Refuses(t *testing.T, a spec.Agent, l spec.Launch, why string) {
	t.Helper()
	plan, err := a.Prepare(l)
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("want an error with %q, got %v", why, err)
	}
	if !slices.Equal(plan.Argv, l.Argv) || !slices.Equal(plan.Env, l.Env) || plan.Source != nil {
		t.Errorf("the agent was changed all the same: %+v", plan)
	}
}

// GiveTools expects that the agent is given tools, and that the secret is only where it
// belongs.
func GiveTools(t *testing.T, a spec.Agent, l spec.Launch) spec.Plan {
	t.Helper()
	before := slices.Concat(l.Argv, l.Env)
	plan, err := a.GiveTools(l)
	if err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if data, err := os.ReadFile(filepath.Join(l.Dir, f.Name())); err != nil || strings.Contains(string(data), secret) && f.Name() != "channel.json" {
			t.Errorf("%s holds the token, or cannot be read (%v)", f.Name(), err)
		}
	}
	if strings.Contains(strings.Join(slices.Concat(plan.Argv, plan.Env), " "), secret) {
		t.Errorf("the token can be read: %q %q", plan.Argv, plan.Env)
	}
	unchanged(t, l, before)
	return plan
}

// GivesNone expects that the agent is given no tools, for a reason, and is started as it was.
func GivesNone(t *testing.T, a spec.Agent, l spec.Launch, why string) {
	t.Helper()
	plan, err := a.GiveTools(l)
	if err == nil || !strings.Contains(err.Error(), why) {
		t.Errorf("want an error with %q, got %v", why, err)
	}
	if !slices.Equal(plan.Argv, l.Argv) || !slices.Equal(plan.Env, l.Env) {
		t.Errorf("the agent was changed all the same: %+v", plan)
	}
}

// Protect stands for the place of protected files in a Launch: Dir itself, which is as safe as
// safe finds the directory it is told.
func Protect(l *spec.Launch, dir string) {
	l.Protect = func(name string, data []byte, safe func(string) error) (string, error) {
		if err := safe(dir); err != nil {
			return "", err
		}
		path := filepath.Join(l.Dir, name)
		return path, os.WriteFile(path, data, 0o600)
	}
}

// Door expects that a file is private and leads to the channel.
func Door(t *testing.T, l spec.Launch, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 || filepath.Dir(path) != l.Dir {
		t.Errorf("%s has mode %s", path, info.Mode())
	}
	if socket, token, err := spec.OpenDoor(path); socket != l.Socket || token != secret || err != nil {
		t.Errorf("the door leads to %q with %q, %v", socket, token, err)
	}
}

// Settings are the settings that an agent gets in our file, as far as tests look at
// them.
type Settings struct {
	Hooks map[string][]struct {
		Matcher string
		Hooks   []struct {
			Type, Command string
			Timeout       int
		}
	}
	Model string
}

// ReadSettings reads the settings file that an agent gets.
func ReadSettings(t *testing.T, file string) (s Settings) {
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

// Write writes a private file.
func Write(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// Describe returns a report as one line, "-" if there is none.
func Describe(r channel.Report, ok bool) string {
	if !ok {
		return "-"
	}
	var b strings.Builder
	b.WriteString(string(r.State))
	if r.Kind != "" {
		b.WriteString(" " + r.Kind)
	}
	if r.Final {
		b.WriteString(" final")
	}
	for _, field := range []struct{ name, value string }{{"text", r.Text}, {"message", r.Message}, {"prompt", r.Prompt}, {"id", r.ID}} {
		if field.value != "" {
			fmt.Fprintf(&b, " %s=%q", field.name, field.value)
		}
	}
	return b.String()
}
