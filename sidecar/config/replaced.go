package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// replaced is a former setting, with what has taken its place.
type replaced struct{ old, by, how string }

func replacedSettings() []replaced {
	return []replaced{
		{"cols", "size", "COLSxROWS, such as 120x40"},
		{"rows", "size", "COLSxROWS, such as 120x40"},
		{"keep-tasks", "keep-bytes", "each 64KiB of it keep one task"},
		{"retain-tasks", "retain-bytes", "each 100KiB of it keep one task"},
		{"max-streams", "max-requests", "it bounds streams as well"},
		{"caller-streams", "caller-requests", "it bounds streams as well"},
		{"max-tasks", "max-requests", "twice as many tasks may be unfinished"},
		{"caller-tasks", "caller-requests", "twice as many tasks may be unfinished"},
		{"print-config", "", "the command sidecar config prints it, with the same flags"},
		{"print-card", "", "the command sidecar card prints it, with the same flags"},
	}
}

// replacement returns what took the place of the former setting that a flag, a
// variable or a key names; nil if it names none. spell writes a setting's name as the
// source has it.
func replacement(old string, spell func(name string) string) error {
	for _, r := range replacedSettings() {
		switch {
		case r.old != old:
		case r.by == "":
			return errors.New("is no setting any more: " + r.how)
		default:
			return fmt.Errorf("is no setting any more: %s took its place (%s)", spell(r.by), r.how)
		}
	}
	return nil
}

// ReplacedFlag returns what took the place of a former flag of run; nil for any other
// name.
func ReplacedFlag(old string) error {
	return replacement(old, func(name string) string { return "--" + name })
}

func asVariable(name string) string { return Setting{Name: name}.Env() }

func asKey(name string) string { return name }

// checkReplaced refuses the variables of former settings: ignoring a limit that
// somebody has set would be a surprise.
func (l *loader) checkReplaced() {
	for _, r := range replacedSettings() {
		name := asVariable(r.old)
		if r.by == "" {
			continue // it was never a variable
		}
		if text, set := l.env[name]; set {
			l.faults = append(l.faults, &Fault{Setting: r.old, Origin: Origin{FromEnv, name}, Value: text, HasValue: true, Err: replacement(r.old, asVariable)})
		}
	}
}

// wasSetting reports whether a variable, given without its prefix, was the name of a
// former setting.
func wasSetting(variable string) bool {
	name := strings.ToLower(strings.ReplaceAll(variable, "_", "-"))
	return slices.ContainsFunc(replacedSettings(), func(r replaced) bool { return r.old == name && r.by != "" })
}
