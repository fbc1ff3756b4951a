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
	defaults := s.defaults(l)
	switch {
	case Absent(defaults):
		return []string{s.DefaultsVariable + "=" + file}, nil
	case Absent(s.Settings(l)):
		return s.Replace(l, file), nil
	}
	return nil, fmt.Errorf("there are system settings for %s already", l.agent)
}

// Settings returns the path of the settings that come after the user's own.
func (s SystemSettings) Settings(l *Launch) string {
	if path := l.Getenv(s.SettingsVariable); path != "" {
		return path
	}
	if runtime.GOOS == "darwin" {
		return s.Darwin
	}
	return s.Linux
}

// defaults returns the path of the defaults.
func (s SystemSettings) defaults(l *Launch) string {
	if path := l.Getenv(s.DefaultsVariable); path != "" {
		return path
	}
	return filepath.Join(filepath.Dir(s.Settings(l)), "system-defaults.json")
}

// Replace returns the variables that make file the settings that come after the user's own.
// The defaults stay where they are: without a variable they are looked for beside the
// settings.
func (s SystemSettings) Replace(l *Launch, file string) []string {
	return []string{s.DefaultsVariable + "=" + s.defaults(l), s.SettingsVariable + "=" + file}
}

// Absent reports whether there is nothing at a path.
func Absent(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
