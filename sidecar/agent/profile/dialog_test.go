package profile_test

import (
	"testing"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// TestDialogs: what no message may be typed into is known by its name, and
// whoever meets it is told how to avoid it.
func TestDialogs(t *testing.T) {
	for _, tt := range []struct{ profile, screen, rule, kind string }{
		{"claude", "dialogs.1", "folder trust", ""},
		{"claude", "dialogs.2", "folder trust", ""},
		{"claude", "apikey-dialog.1", "API key approval", "auth"},
		{"claude", "328-seen.ready", "auto mode offer", ""},
		{"claude", "328-settings-error", "settings error", ""},
		{"codex", "fresh.1", "folder trust", ""},
		{"codex", "sign-in", "sign in", "auth"},
		{"gemini", "fresh.1", "folder trust", ""},
		{"gemini", "authentication", "authentication", "auth"},
		{"gemini", "loop", "loop detection", ""},
	} {
		s := readScreen(t, tt.profile, tt.screen)
		s.Title = "◇  Ready (work)" // as gemini's says, whatever it shows
		p := load(t, tt.profile)
		m, ok := p.Match(s)
		if !ok || m.State != profile.Dialogue || m.Rule != tt.rule || m.Kind != tt.kind || m.Hint == "" || m.Generic {
			t.Errorf("%s: %+v", tt.screen, m)
		}
		if (len(m.Dismiss) > 0) != (tt.rule == "loop detection") {
			t.Errorf("%s is closed by %q", tt.screen, m.Dismiss)
		}
		if in, ok := p.Input(s); ok {
			t.Errorf("%s: there is an input with %q", tt.screen, in)
		}
	}
}

// TestScreenReaderMode: a mode without an input, however it was switched on.
func TestScreenReaderMode(t *testing.T) {
	for name, text := range map[string]string{
		"claude": "[Screen Reader Mode: on via settings]\nClaude Code v2.1.328\nmanual mode on\n$",
		"gemini": "You are currently in screen reader-friendly view. To switch out, open\n~/.gemini/settings.json\n",
	} {
		if m, ok := load(t, name).Match(screen(text)); !ok || m.State != profile.Dialogue || m.Rule != "screen-reader mode" || m.Hint == "" {
			t.Errorf("%s: %+v, %v", name, m, ok)
		}
	}
}
