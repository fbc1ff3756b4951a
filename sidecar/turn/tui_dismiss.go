package turn

import (
	"context"
	"time"

	"github.com/a2a-sidecar/sidecar/sidecar/agent/profile"
)

// dismissTime is how long a dialog may take to go that its keys have closed.
const dismissTime = 2 * time.Second

// dismiss closes a dialog whose answer nobody has to decide, and reports whether it
// has typed the keys for that. A person at the terminal has the choice.
func (d *tui) dismiss(ctx context.Context, v sight) (bool, error) {
	m, ok := d.profile.Match(v.screen)
	if !ok || m.State != profile.Dialogue || len(m.Dismiss) == 0 || occupied(d.people) {
		return false, nil
	}
	there := func(v sight) bool {
		now, ok := d.profile.Match(v.screen)
		return ok && now.State == profile.Dialogue && now.Rule == m.Rule
	}
	d.console.log.Info("a dialog of the agent's own is closed", "rule", m.Rule)
	if err := d.pressWhile(ctx, m.Dismiss, there); err != nil {
		return true, err
	}
	d.console.within(ctx, dismissTime, func(v sight) bool { return !there(v) })
	return true, nil
}
