package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/a2a-sidecar/sidecar/manifest/jsontree"
)

func (l *loader) warn(format string, args ...any) {
	l.Warnings = append(l.Warnings, fmt.Sprintf(format, args...))
}

// serviceLink reports whether Kubernetes set a variable for a Service that happens to
// be called sidecar or agent (SIDECAR_PORT=tcp://10.0.0.1:80). Nobody writes that by
// hand, and such a Service in the namespace must not keep the sidecar from starting.
func (l *loader) serviceLink(s Setting, name, text string) bool {
	if s.Name != "port" || !strings.HasPrefix(text, "tcp://") && !strings.HasPrefix(text, "udp://") {
		return false
	}
	l.warn("%s=%s comes from a Kubernetes Service of that name and is ignored; enableServiceLinks: false keeps it away", name, quote(text))
	return true
}

// warnOfUnknown warns of variables that look like settings but are none, such as a
// misspelt one, which would otherwise be ignored in silence.
func (l *loader) warnOfUnknown() {
	var known, unknown []string // without the prefix, which is no likeness
	for name := range l.env {
		rest, ours := strings.CutPrefix(name, prefix)
		if !ours || spokenElsewhere(name) || wasSetting(rest) {
			continue
		}
		if known == nil {
			known = l.variables()
		}
		if !slices.Contains(known, rest) {
			unknown = append(unknown, rest)
		}
	}
	slices.Sort(unknown)
	for _, rest := range unknown {
		if near := jsontree.Nearest(rest, known); near != "" {
			l.warn("%s is not a setting and changes nothing; did you mean %s?", quoteName(prefix+rest), prefix+near)
		} else {
			l.warn("%s is not a setting and changes nothing; see sidecar help settings", quoteName(prefix+rest))
		}
	}
}

// variables returns the names of all settings' variables, without the prefix.
func (l *loader) variables() (names []string) {
	for _, s := range l.table {
		names = append(names, strings.TrimPrefix(s.Env(), prefix))
	}
	return names
}

// quoteName leaves a well-formed name unchanged, and quotes any other.
func quoteName(s string) string {
	if q := quote(s); q != `"`+s+`"` {
		return q
	}
	return s
}

// spokenElsewhere reports whether a SIDECAR_ name has a meaning without being a
// setting: the variables that agents are given, the clients' address, and Kubernetes'
// variables of a Service called sidecar.
func spokenElsewhere(name string) bool {
	switch name {
	case "SIDECAR_URL", "SIDECAR_TOKEN", "SIDECAR_CA", "SIDECAR_CERT", "SIDECAR_KEY", "SIDECAR_SOCKET", "SIDECAR_CHANNEL_TOKEN", "SIDECAR_CHANNEL_FD", "SIDECAR_TASK_ID", "SIDECAR_CONTEXT_ID",
		"SIDECAR_MESSAGE_ID", "SIDECAR_MESSAGE_FILE", "SIDECAR_OUTBOX", "SIDECAR_CALL_ID", "SIDECAR_TOOL":
		return true
	}
	return strings.HasPrefix(name, "SIDECAR_SERVICE_") || strings.HasPrefix(name, "SIDECAR_PORT_")
}

// warnOfNoEffect names the settings that were given but have no effect in the chosen
// mode.
func (l *loader) warnOfNoEffect() {
	other := map[string][]string{
		ModePTY:     {"output-format", "thread-id-arg-create", "thread-id-arg-resume"},
		ModeLines:   {"output-format", "thread-id-arg-create", "thread-id-arg-resume", "profile", "no-hooks", "record", "prompt-pattern", "terminal", "size", "tee", "allow-agent-commands"},
		ModeMCP:     {"output-format", "thread-id-arg-create", "thread-id-arg-resume", "profile", "no-hooks", "record", "prompt-pattern", "terminal", "size", "tee", "allow-agent-commands", "session-idle", "deliver", "tool-prompt"},
		ModeACP:     {"output-format", "thread-id-arg-create", "thread-id-arg-resume", "profile", "no-hooks", "record", "prompt-pattern", "terminal", "size", "tee", "allow-agent-commands"},
		ModeStream:  {"output-format", "thread-id-arg-create", "thread-id-arg-resume", "profile", "no-hooks", "record", "prompt-pattern", "terminal", "size", "tee", "allow-agent-commands"},
		ModeOneshot: {"sessions", "session-idle", "restart", "deliver", "profile", "no-hooks", "record", "ready-timeout", "prompt-pattern", "tool-prompt", "terminal", "size", "tee", "allow-agent-commands"},
	}
	if origin, given := l.given("operators"); given && !l.Config.Authenticates() {
		l.warn("operators (%s) has no effect without --token-file or --tls-client-ca: nobody has a name", origin)
	}
	for _, name := range other[l.Config.Mode] {
		if origin, given := l.given(name); given {
			l.warn("%s (%s) has no effect with --mode %s", name, origin, l.Config.Mode)
		}
	}
}
