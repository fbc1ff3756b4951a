package codex

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/spec"
	"github.com/a2a-sidecar/sidecar/sidecar/channel"
)

// At the end of each turn codex runs the program that notify names, with one JSON
// object as its last argument, and does not wait for it. It reports what it is doing
// by OSC 7501; notify adds the exact answer. Seen with 0.169.

// errOwnNotify means that the user already uses the one notify that codex has.
var errOwnNotify = errors.New("the user has a notify of his own")

// install passes notify. If the user has a notify already, it is left alone and the
// answer comes by OSC 9, unless a person would see that pop up.
func install(l *spec.Launch) (spec.Plan, error) {
	err := ownNotify(l)
	if err == nil {
		var command []string
		if command, err = l.Command(); err == nil {
			return spec.Plan{Argv: l.With("-c", "notify="+tomlArray(command))}, nil
		}
	}
	if l.Person {
		return spec.Plan{}, err
	}
	argv := l.Argv
	for _, setting := range []string{
		"tui.notifications=true", `tui.notification_method="osc9"`, `tui.notification_condition="always"`,
	} {
		if name, _, _ := strings.Cut(setting, "="); !sets(l, name) {
			argv = l.With("-c", setting)
			l.Argv = argv
		}
	}
	return spec.Plan{Argv: argv}, err
}

// tomlArray writes strings as a TOML array, whose form is that of JSON.
func tomlArray(items []string) string {
	data, err := json.Marshal(items)
	if err != nil { // it never fails: they are strings
		panic(err)
	}
	return string(data)
}

// ownNotify fails if the user has a notify: in the arguments, or anywhere in a
// configuration file, whichever part of it is in effect.
func ownNotify(l *spec.Launch) error {
	if sets(l, "notify") {
		return errOwnNotify
	}
	sets := regexp.MustCompile(`(?m)^\s*["']?notify["']?\s*=`)
	for _, path := range configFiles(l) {
		if data, err := spec.ReadUserFile(path); err == nil && sets.Match(data) {
			return errOwnNotify
		}
	}
	return nil
}

// sets reports whether the arguments contain a setting.
func sets(l *spec.Launch, name string) bool {
	return slices.ContainsFunc(settings(l), func(setting string) bool {
		set, _, _ := strings.Cut(setting, "=")
		return strings.TrimSpace(set) == name
	})
}

// configFiles lists the files that codex may read its settings from.
func configFiles(l *spec.Launch) []string {
	home := l.Getenv("CODEX_HOME")
	if home == "" {
		home = filepath.Join(l.Getenv("HOME"), ".codex")
	}
	files := []string{"/etc/codex/config.toml", "/etc/codex/managed_config.toml"}
	entries, _ := os.ReadDir(home) // a folder that does not exist says nothing
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".toml") {
			files = append(files, filepath.Join(home, e.Name()))
		}
	}
	return files
}

// event holds the parts that we read of notify's input.
type event struct {
	Type        string   `json:"type"`
	ThreadID    string   `json:"thread-id"`
	Messages    []string `json:"input-messages"`
	LastMessage string   `json:"last-assistant-message"`
}

// titlePrompt begins the only message of the threads that give a session its title.
// Such a thread ends as a turn does, before or after the turn that it belongs to.
const titlePrompt = "Generate a concise, single-line task title"

func readHook(payload []byte, _ func(string) []byte) (r channel.Report, ok bool) {
	var e event
	if json.Unmarshal(payload, &e) != nil || e.Type != "agent-turn-complete" {
		return r, false
	}
	r = spec.Final(e.LastMessage)
	r.ID = e.ThreadID
	if len(e.Messages) > 0 {
		r.Prompt = e.Messages[len(e.Messages)-1]
	}
	return r, !strings.HasPrefix(r.Prompt, titlePrompt)
}
