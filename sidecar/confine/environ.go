package confine

import "strings"

// Environ returns the environment of a confined program that has a private directory, "" for
// none: its TMPDIR is there and, unless it may read its home, so is HOME.
func (c *Confined) Environ(env []string, temp string) []string {
	if c.Box == nil || temp == "" {
		return env
	}
	env = SetVariable(env, "TMPDIR", temp)
	if !c.Home {
		env = SetVariable(env, "HOME", temp)
	}
	return env
}

// SetVariable returns an environment in which a variable has a value.
func SetVariable(env []string, name, value string) []string {
	all := make([]string, 0, len(env)+1)
	for _, v := range env {
		if !strings.HasPrefix(v, name+"=") {
			all = append(all, v)
		}
	}
	return append(all, name+"="+value)
}
