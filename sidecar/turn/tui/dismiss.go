package tui

import (
	"context"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
	"github.com/a2a-sidecar/sidecar/sidecar/turn/console"
)

// dismiss closes a dialog whose answer nobody has to decide, and reports whether it
// has typed the keys for that. If a person is at the terminal, it leaves the choice
// to that person.
func (d *Driver) dismiss(ctx context.Context, v console.Observation) (bool, error) {
	m, ok := d.profile.Match(v.Screen)
	if !ok || m.State != profile.Dialogue || len(m.Dismiss) == 0 || console.Occupied(d.people) {
		return false, nil
	}
	there := func(v console.Observation) bool {
		now, ok := d.profile.Match(v.Screen)
		return ok && now.State == profile.Dialogue && now.Rule == m.Rule
	}
	d.console.Log.Info("a dialog of the agent's own is closed", "rule", m.Rule)
	if err := d.pressWhile(ctx, m.Dismiss, there); err != nil {
		return true, err
	}
	d.console.Within(ctx, d.profile.Timing.DismissLimit, func(v console.Observation) bool { return !there(v) })
	return true, nil
}
