package spec

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// SystemSettings are the system's two settings files that gemini and its forks read:
// the defaults before the user's own settings, and the other file after them. A variable
// can put each of them elsewhere.
type SystemSettings struct {
	Linux, Darwin string // where the settings are without their variable; the defaults are beside them

	DefaultsVariable, SettingsVariable string
}

// Place returns the variables that make file the one of the two that nobody uses yet. It
// fails if both are in use.
func (s SystemSettings) Place(l *Launch, file string) ([]string, error) {
	settings := l.Getenv(s.SettingsVariable)
	if settings == "" {
		settings = s.Linux
		if runtime.GOOS == "darwin" {
			settings = s.Darwin
		}
	}
	defaults := l.Getenv(s.DefaultsVariable)
	if defaults == "" {
		defaults = filepath.Join(filepath.Dir(settings), "system-defaults.json")
	}
	switch {
	case absent(defaults):
		return []string{s.DefaultsVariable + "=" + file}, nil
	case absent(settings):
		// The defaults are looked for beside the settings, unless they have a variable.
		return []string{s.DefaultsVariable + "=" + defaults, s.SettingsVariable + "=" + file}, nil
	}
	return nil, fmt.Errorf("there are system settings for %s already", l.agent)
}

func absent(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
