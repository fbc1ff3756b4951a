package profile_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/proc/profile"
)

// TestDialogs: what no message may be typed into is known by its name, and
// whoever meets it is told how to avoid it.
func TestDialogs(t *testing.T) {
	for _, tt := range []struct{ profile, screen, rule, kind string }{
		{"claude", "claude-dialogs.1", "folder trust", ""},
		{"claude", "claude-dialogs.2", "folder trust", ""},
		{"claude", "claude-apikey-dialog.1", "API key approval", "auth"},
		{"claude", "claude2328-seen.ready", "auto mode offer", ""},
		{"claude", "claude328-settings-error", "settings error", ""},
		{"codex", "codex-fresh.1", "folder trust", ""},
		{"codex", "codex-sign-in", "sign in", "auth"},
		{"gemini", "gemini-fresh.1", "folder trust", ""},
		{"gemini", "gemini-authentication", "authentication", "auth"},
	} {
		s := readScreen(t, tt.screen)
		s.Title = "◇  Ready (work)" // as gemini's says, whatever it shows
		p := load(t, tt.profile)
		m, ok := p.Match(s)
		if !ok || m.State != profile.Dialogue || m.Rule != tt.rule || m.Kind != tt.kind || m.Hint == "" || m.Generic {
			t.Errorf("%s: %+v", tt.screen, m)
		}
		if in, ok := p.Input(s); ok {
			t.Errorf("%s: there is an input with %q", tt.screen, in)
		}
	}
}
