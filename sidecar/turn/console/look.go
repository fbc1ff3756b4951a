package console

import (
	"strings"

	"github.com/a2a-sidecar/sidecar/proc/term"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/agent/state"
)

// CtrlC is Ctrl-C.
const CtrlC = 0x03

// LastRow returns the last row with text, "" if there is none.
func LastRow(s term.Snapshot) string {
	for i := len(s.Lines) - 1; i >= 0; i-- {
		if text := strings.TrimSpace(s.Lines[i].Text); text != "" {
			return text
		}
	}
	return ""
}

// FullScreen reports whether an agent that prints lines has started a full-screen
// program, which waits for keys.
func FullScreen(v state.Verdict) bool {
	return v.State == profile.Asking && v.Rule == state.RuleFullScreen
}
